"""How many kinds of content a circuit can carry: effective ranks of a matrix such as W_V W_O."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from reference.attention_rows import Numbers


def energy_rank(
    matrix: Float64[np.ndarray, "*heads a b"], share: float
) -> Int64[np.ndarray, "*heads"] | np.int64:
    """Return how many of the largest squared singular values make up `share` (0..1) of their sum.

    A whole number in 0..min(a, b); 0 for a matrix of zeros, and at most the width of a head for W_V W_O. It
    is blind to what it leaves out: singular values (1, .3) have rank 1 at a share of .9, and the direction
    of the output still varies by 17 degrees. What an untrained head has is no simple closed form;
    `participation_ratio` has one.

    Source: attention-chapter, sec. 4.2 (rank90).
    """
    energy = np.linalg.svd(matrix, compute_uv=False) ** 2
    total = energy.sum(axis=-1, keepdims=True)
    below = np.cumsum(energy, axis=-1) < share * total
    rank: Int64[np.ndarray, "*shape"] | np.int64 = below.sum(axis=-1) + (total[..., 0] > 0)
    return rank


def participation_ratio(matrix: Float64[np.ndarray, "*heads a b"]) -> Numbers:
    """Return (sum s^2)^2 / sum s^4 of the singular values s; 0 for a matrix of zeros.

    In 1..min(a, b): 1 for rank one, r for r equal singular values. Continuous, so it does not jump as an
    energy rank does. An untrained head of width h in a stream of width d, W_V and W_O Gaussian, has about
    h / (1 + 2 h/d), exactly `theory.random_rank.participation_ratio` as a ratio of expectations.
    """
    energy = np.linalg.svd(matrix, compute_uv=False) ** 2
    first, second = energy.sum(axis=-1), (energy**2).sum(axis=-1)
    ratio: Numbers = np.divide(first**2, second, out=np.zeros_like(first), where=second > 0)[()]
    return ratio
