"""What can be read off one attention map, each number with its value at uniform attention.

A map is [T, T], causal, with rows that sum to 1; row t (0-based) attends to k <= t.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from reference.errors import InputError


def head_profile(attention: Float64[np.ndarray, "T T"]) -> dict[str, float]:
    """Return the entropy, diagonal, previous and distance of one attention map, means over all T rows.

    - entropy: each row's entropy over its largest possible value log(t+1), in 0..1; row 0 has one choice
      only and counts as 0. Uniform attention: (T-1)/T.
    - diagonal: weight on the token itself, in 0..1. Uniform: H_T/T, with H_T = 1 + 1/2 + ... + 1/T.
    - previous: weight on the token before, in 0..1; row 0 has none and counts as 0. Uniform: (H_T - 1)/T.
    - distance: mean distance t - k in tokens, in 0..(T-1)/2. Uniform: (T-1)/4.

    Source: derived here; `theory.baselines` proves the uniform values.

    Raises:
        InputError: the map is no square.
    """
    T = check_map(attention)
    rows = np.arange(T)
    plogp = np.zeros_like(attention)
    np.log(attention, out=plogp, where=attention > 0)
    plogp *= attention
    return {
        "entropy": float((-plogp.sum(axis=1)[1:] / np.log(rows[1:] + 1)).sum() / T),
        "diagonal": float(np.trace(attention) / T),
        "previous": float(np.trace(attention, offset=-1) / T),
        "distance": float((attention * np.subtract.outer(rows, rows)).sum() / T),
    }


def check_map(attention: Float64[np.ndarray, ...]) -> int:
    """Return T of a [T, T] map.

    Raises:
        InputError: it is no square, or empty.
    """
    if attention.ndim != 2 or attention.shape[0] != attention.shape[1] or not attention.size:
        raise InputError(f"An attention map has the shape {list(attention.shape)}; give a square, not empty.")
    return len(attention)


def induction_score(attention: Float64[np.ndarray, "T T"], period: int) -> float:
    """Return the mean weight of row t on t - period + 1, over t = period..T-1, for one attention map.

    In a sequence that repeats with this period that is the position after the earlier occurrence of the
    current token: 1 for a perfect induction head. Uniform attention on T = r * period positions:
    (H_T - H_period) / ((r - 1) * period).

    Raises:
        InputError: the map is no square, or the period is not in 1..T-1.
    """
    T = check_map(attention)
    if not 1 <= period < T:
        raise InputError(f"A map of {T} positions repeats with a period of 1 to {T - 1}, not {period}.")
    rows = np.arange(period, T)
    return float(attention[rows, rows - period + 1].mean())
