"""Extremes that no small generated case reaches: large logits, faint columns, no steps at all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.descent import train
from reference.model import loss, softmax, zero_parameters
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


def test_no_steps_leave_the_zero_start():
    assert all(not value.any() for value in train(np.array([[0, 1, 1]]), 2, 2, 0.5, 0).values())
