"""Attention metrics, interventions and composition in torch: closed forms, and reference beside them."""

from fractions import Fraction

import numpy as np
import pytest

from gpu.implementation import Gpu
from properties.tolerances import ELEMENTARY_ULPS, gamma, unit_roundoff
from reference import attention_metrics
from reference.composition import composition_score
from reference.errors import InputError
from reference.interventions import remove_projection

DTYPES = ["float64", "float32"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("T", [1, 2, 7, 40])
def test_uniform_attention_has_its_harmonic_numbers(T, dtype):
    found = Gpu(dtype).head_profile(uniform(T))
    H = sum((Fraction(1, k) for k in range(1, T + 1)), Fraction(0))
    exact = {
        "diagonal": H / T,
        "previous": (H - 1) / T,
        "distance": Fraction(T - 1, 4),
        "entropy": Fraction(T - 1, T),
    }
    error = gamma(T * T + 2 * ELEMENTARY_ULPS, unit_roundoff(dtype))
    for name, value in exact.items():
        assert abs(found[name] - value) <= error * max(value, 1), name


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_profile_agrees_with_reference(dtype):
    A = some_attention(23)
    found, expected = Gpu(dtype).head_profile(A), attention_metrics.head_profile(A)
    error = gamma(2 * A.size + 4 * ELEMENTARY_ULPS, unit_roundoff(dtype))
    for name, value in expected.items():
        assert abs(found[name] - value) <= error * max(value, 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("period", [1, 2, 5, 11])
def test_induction_agrees_with_reference(period, dtype):
    A = some_attention(12)
    found, expected = Gpu(dtype).induction_score(A, period), attention_metrics.induction_score(A, period)
    assert abs(found - expected) <= gamma(2 * len(A), unit_roundoff(dtype))


def test_a_perfect_induction_head_scores_one():
    A = np.zeros((8, 8))
    A[0, 0] = 1
    for t in range(1, 8):
        A[t, t - 2 if t >= 3 else 0] = 1
    assert Gpu().induction_score(A, 3) == 1


@pytest.mark.parametrize("period", [0, -1, 5, 9])
def test_a_period_that_does_not_fit_is_named(period):
    with pytest.raises(InputError, match=f"period {period}"):
        Gpu().induction_score(uniform(5), period)


@pytest.mark.parametrize("shape", [(3,), (2, 3), (0, 0)])
def test_a_map_that_is_not_square_is_named(shape):
    with pytest.raises(InputError, match="no square"):
        Gpu().head_profile(np.zeros(shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_left_has_nothing_along_the_direction(dtype):
    chance = np.random.default_rng(3)
    W = chance.standard_normal((6, 5)).astype(dtype)
    D = (chance.standard_normal((6, 5)) * 2.0**-20).astype(dtype)
    rest = Gpu(dtype).remove_projection(W, D).astype(np.float64)
    size = np.abs(W).sum() * np.abs(D).max()
    assert abs((rest * D).sum()) <= gamma(4 * W.size, unit_roundoff(dtype)) * size
    allowed = gamma(4 * W.size, unit_roundoff(dtype)) * np.linalg.norm(W)
    assert (np.abs(rest - remove_projection(W.astype(float), D.astype(float))) <= allowed).all()


def test_a_direction_without_length_removes_nothing():
    W = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(Gpu().remove_projection(W, np.zeros((2, 3))), W)
    assert Gpu().remove_projection(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600])
def test_a_direction_of_any_length_removes_the_same(scale):
    chance = np.random.default_rng(4)
    W, D = chance.standard_normal((3, 3)), chance.standard_normal((3, 3))
    np.testing.assert_array_equal(Gpu().remove_projection(W, D * scale), Gpu().remove_projection(W, D))


@pytest.mark.parametrize("dtype", DTYPES)
def test_composition_agrees_with_reference(dtype):
    chance = np.random.default_rng(5)
    first, second = (chance.standard_normal(shape).astype(dtype) for shape in ((4, 6), (6, 3)))
    expected = composition_score(first.astype(float), second.astype(float))
    allowed = gamma(2 * first.size + second.size, unit_roundoff(dtype)) * np.sqrt(first.shape[1])
    assert abs(Gpu(dtype).composition_score(first, second) - expected) <= allowed


def test_composition_at_its_ends():
    ray = np.array([[3.0], [4.0]])
    assert abs(Gpu().composition_score(ray.T, ray) - 1) <= gamma(8, unit_roundoff("float64"))
    assert Gpu().composition_score(np.eye(2)[:1], np.eye(2)[:, 1:]) == 0
    assert Gpu().composition_score(np.zeros((2, 2)), np.eye(2)) == 0


def test_a_norm_that_float32_cannot_square_still_composes():
    ray = np.array([[2.0**-100], [0.0]])
    assert Gpu("float32").composition_score(ray.T, ray) == 1


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(InputError, match="equal shapes"):
        Gpu().remove_projection(np.zeros((2, 2)), np.zeros((2, 3)))
    with pytest.raises(InputError, match="no product"):
        Gpu().composition_score(np.zeros((2, 2)), np.zeros((3, 2)))


def uniform(T):
    return np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]


def some_attention(T):
    """A causal map with rows that sum to 1, one of them on a single token."""
    weights = np.tril(np.random.default_rng(2).random((T, T)))
    weights[T // 2] = np.eye(T)[T // 3]
    return weights / weights.sum(axis=1, keepdims=True)
