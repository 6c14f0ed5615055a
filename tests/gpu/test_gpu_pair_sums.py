"""The compiled sums over pairs are those of the reference, within the rounding of their terms."""

import numpy as np
import pytest
from gpu_corpora import SHAPES, corpus

from gpu import compiled, pair_sums
from properties.tolerances import rounding
from reference import pair_sums as plain
from reference.statistics import uniform_attention

pytestmark = pytest.mark.skipif(not compiled.available(), reason="numba is not installed")
NAMES = ("stream_evidence", "backward_evidence", "averaged_evidence")


def table(V):
    drawn = np.random.default_rng(V).normal(size=(V, V))
    return drawn - drawn.mean(axis=0)


def close(found, expected, tokens, size):
    """Each side adds up all pairs of a corpus, none of them larger than `size`."""
    T = tokens.shape[1] - 1
    operations = len(tokens) * T * T + 4 * T + 8
    for one, other in zip(found, expected, strict=True):
        bound = 2 * rounding(size * T, operations, "float64")
        np.testing.assert_array_less(np.abs(one - other), bound + np.finfo(float).tiny)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rows", ["current", "next"])
def test_equal_to_reference(shape, rows):
    tokens, V = corpus(*shape), shape[2]
    weights = uniform_attention(tokens.shape[1] - 1) @ uniform_attention(tokens.shape[1] - 1)
    M = table(V)
    size = 2 * np.abs(M).max()
    found, expected = pair_sums.evidence(tokens, M, rows), plain.evidence(tokens, M, rows)
    close(found, expected, tokens, size)
    close([pair_sums.shares(tokens, V, weights, rows)], [plain.shares(tokens, V, weights, rows)], tokens, 1.0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_equal_to_reference_through_averages(shape, name):
    tokens, M = corpus(*shape), table(shape[2])
    size = 2 * np.abs(M).max()
    close(getattr(pair_sums, name)(tokens, M), getattr(plain, name)(tokens, M), tokens, size)


def test_the_same_bits_each_time():
    tokens, M = corpus(20, 9, 7), table(7)
    for name in NAMES:
        for one, other in zip(
            getattr(pair_sums, name)(tokens, M), getattr(pair_sums, name)(tokens, M), strict=True
        ):
            np.testing.assert_array_equal(one, other)
