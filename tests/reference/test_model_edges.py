"""Extremes that no small generated case reaches: large logits, faint columns, no steps at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.descent import train
from reference.errors import InputError
from reference.model import by_distance, causal_softmax, forward, loss, softmax, zero_parameters
from reference.statistics import strength_and_similarity


@pytest.mark.filterwarnings("error")
@given(st.sampled_from([-(2.0**12), 2.0**12]), st.integers(2, 5))
def test_a_softmax_of_large_logits_neither_overflows_nor_vanishes(shift, size):
    z = np.arange(size, dtype=np.float64)
    bound = rounding(1.0, size + 2 + 2 * ELEMENTARY_ULPS, "float64")
    assert (np.abs(softmax(z + shift) - softmax(z)) <= bound).all()


@pytest.mark.filterwarnings("error")
def test_the_loss_of_large_logits_is_the_margin():
    """Logits (0, m) with target 0 have the loss log(1 + e^m), which is m to the last bit at m = 4096."""
    tokens = np.array([[0, 0]])
    parameters = {**zero_parameters(2, 1, 1), "W_O": np.array([[0.0, 4096.0], [0.0, 0.0]])}
    assert loss(parameters, tokens) == 4096.0


def test_a_faint_column_has_a_cosine_too():
    B_bar = np.array([[1.0, 2.0**-30], [0.0, 0.0]])
    d, C = strength_and_similarity(B_bar)
    assert d.tolist() == [1.0, 2.0**-30]
    assert C.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_the_scores_by_distance_are_on_the_sub_diagonals_and_nowhere_else():
    assert by_distance(np.array([2.0, 3.0])).tolist() == [[2.0, 0.0], [3.0, 2.0]]


def test_the_softmax_of_one_map_is_that_of_a_batch_of_one():
    S = np.random.default_rng(0).normal(size=(2, 3, 3))
    assert (causal_softmax(S[0]) == causal_softmax(S)[0]).all()
    assert (causal_softmax(S[None]) == causal_softmax(S)).all()
    assert not causal_softmax(S)[:, 0, 1:].any()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"W": None, "P": None}, r"The parameters lack W, P; give W_O, V, W and P\."),
        (
            {"P": np.zeros((1, 1))},
            r"P has the shape \[1, 1\]; with 2 words, 1 layers and sequences of 3 tokens",
        ),
    ],
)
def test_parameters_that_do_not_fit_are_told(changes, told):
    parameters = {**zero_parameters(2, 2, 1), **changes}
    with pytest.raises(InputError, match=told):
        forward(
            {name: value for name, value in parameters.items() if value is not None}, np.array([[0, 1, 1]])
        )


def test_no_steps_leave_the_zero_start():
    assert all(not value.any() for value in train(np.array([[0, 1, 1]]), 2, 2, 0.5, 0).values())
