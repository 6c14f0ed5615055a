"""The two scores of an attention map that the protocol asks for: its profile, and induction at a period.

A map is causal, with rows that sum to 1; row t (0-based) attends to k <= t. Leading axes of maps become axes
of the scores.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from reference.attention_rows import Numbers, row_profile
from reference.errors import InputError


def head_profile(attention: Float64[np.ndarray, "*heads T T"]) -> dict[str, Numbers]:
    """Return the entropy, diagonal, previous, distance and relative_diagonal, means over all T rows.

    - entropy: each row's entropy over its largest possible value log(t+1), in 0..1; row 0 has one choice
      only and counts as 0. Uniform attention: (T-1)/T.
    - diagonal: weight on the token itself, in 0..1; row 0 counts with its 1. Uniform: H_T/T, with H_T =
      1 + 1/2 + ... + 1/T.
    - previous: weight on the token before, in 0..1; row 0 has none and counts as 0. Uniform: (H_T - 1)/T.
    - distance: mean distance t - k in tokens, in 0..(T-1)/2; row 0 counts as 0. Uniform: (T-1)/4.
    - relative_diagonal: A_tt (t+1), in 0..(T+1)/2; row 0 counts as 1. Uniform: 1 at every T.

    What a random head scores: `reference.random_heads`.

    Source: derived here; `theory.baselines` proves the uniform values.

    Raises:
        InputError: the map is no square.
    """
    check_map(attention)
    return {name: rows.mean(axis=-1) for name, rows in row_profile(attention).items()}


def check_map(attention: Float64[np.ndarray, "*shape"]) -> int:
    """Return T of [..., T, T] maps.

    Raises:
        InputError: they are no squares, or empty.
    """
    shape = list(attention.shape)
    if attention.ndim < 2 or shape[-1] != shape[-2] or not attention.size:
        raise InputError(f"An attention map has the shape {shape}; give a square, not empty.")
    return shape[-1]


def induction_score(attention: Float64[np.ndarray, "*heads T T"], period: int) -> Numbers:
    """Return the mean weight of row t on t - period + 1, over t = period..T-1.

    In a sequence that repeats with this period that is the position after the earlier occurrence of the
    current token: 1 for a perfect induction head that looks back once, in 0..1; rows before `period` have
    seen no repetition and are left out. Uniform attention on T = r * period positions:
    (H_T - H_period) / ((r - 1) * period), which is also what a random head with independent logits scores in
    the mean, at every variance.

    Raises:
        InputError: the map is no square, or the period is not in 1..T-1.
    """
    T = check_map(attention)
    if not 1 <= period < T:
        raise InputError(f"A map of {T} positions repeats with a period of 1 to {T - 1}, not {period}.")
    rows = np.arange(period, T)
    score: Numbers = attention[..., rows, rows - period + 1].mean(axis=-1)
    return score
