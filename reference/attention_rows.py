"""What each row of an attention map says: five numbers a row, and how they spread over the rows.

A map is causal, with rows that sum to 1; row t (0-based) attends to k <= t. Leading axes are heads, layers,
sequences, whatever is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from reference.errors import InputError

Numbers = np.ndarray | np.floating


def row_profile(attention: Float64[np.ndarray, "*heads T T"]) -> dict[str, Float64[np.ndarray, "*heads T"]]:
    """Return five numbers for each row of each map, by name.

    - entropy: over its largest possible value log(t+1), in 0..1; row 0 has one choice only and is 0.
      Uniform attention: 1.
    - diagonal: weight on the token itself, in 0..1; row 0 is 1 for every head. Uniform: 1/(t+1).
    - previous: weight on the token before, in 0..1; row 0 has none and is 0. Uniform: 1/(t+1).
    - distance: mean distance t - k in tokens, in 0..t; row 0 is 0. Uniform: t/2.
    - relative_diagonal: the diagonal over what uniform attention gives it, A_tt (t+1), in 0..t+1; row 0 is 1.
      Uniform: 1 in every row, so rows and lengths can be compared.

    A random head, whose logits are independent with variance v, departs from uniform attention only in its
    entropy in the mean, by -v t / (2 (t+1) log(t+1)) and more (`reference.random_heads`); the other four
    keep their uniform expectation at every v, for exchangeable weights each have the mean 1/(t+1).

    Source: attention-chapter, sec. 4.3.1 and 4.12; the uniform values are derived in `theory.baselines`.
    """
    T = attention.shape[-1]
    rows = np.arange(T)
    plogp = np.zeros_like(attention)
    np.log(attention, out=plogp, where=attention > 0)
    entropy = -(plogp * attention).sum(axis=-1)
    entropy[..., 1:] /= np.log(rows[1:] + 1)
    # A row on a single key has -0.0 here.
    entropy = np.abs(entropy)
    diagonal = np.diagonal(attention, axis1=-2, axis2=-1)
    previous = np.zeros_like(entropy)
    previous[..., 1:] = np.diagonal(attention, offset=-1, axis1=-2, axis2=-1)
    return {
        "entropy": entropy,
        "diagonal": diagonal.copy(),
        "previous": previous,
        "distance": (attention * np.subtract.outer(rows, rows)).sum(axis=-1),
        "relative_diagonal": diagonal * (rows + 1),
    }


@dataclass(frozen=True)
class Spread:
    """How a number varies over the rows of a map: its mean, standard deviation, least and largest value."""

    mean: Numbers
    deviation: Numbers
    least: Numbers
    largest: Numbers


def profile_spread(attention: Float64[np.ndarray, "*heads T T"]) -> dict[str, Spread]:
    """Return how each number of `row_profile` spreads over rows 1..T-1, by name.

    Row 0 is left out: it is the same for every head. A mean of .45 may stand for rows between .1 and .9.
    Units and ranges are those of `row_profile`, of a deviation 0 to half the range.

    Uniform attention, in mean and deviation: entropy and relative_diagonal 1 and 0; diagonal and previous
    m = (H_T - 1)/(T-1) and sqrt((H_T^(2) - 1)/(T-1) - m^2), with H_T^(2) = 1 + 1/4 + ... + 1/T^2; distance
    T/4 and sqrt(T (T-2)/48). What is the same in all rows of uniform attention spreads in a random head's,
    with logits of variance v: relative_diagonal by v (1 - 1/(T-1)) (1 - m) in the mean square.

    Source: attention-chapter, sec. 4.1.5; the values are derived here from those of the rows, and from the
    variance v (n-1)/n^3 of a weight among n (`theory.softmax_moments`).

    Raises:
        InputError: the map has one row only.
    """
    if attention.shape[-1] < 2:
        raise InputError("A map of one row has no row besides the first; give at least two positions.")
    later = {name: rows[..., 1:] for name, rows in row_profile(attention).items()}
    return {
        name: Spread(rows.mean(axis=-1), rows.std(axis=-1), rows.min(axis=-1), rows.max(axis=-1))
        for name, rows in later.items()
    }
