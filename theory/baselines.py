"""What uniform causal attention scores on the usual attention metrics: closed forms, exact rationals.

Uniform attention spreads 1/t over the t visible keys of row t (1-based), so every metric of it is a function
of T, and of where tokens repeat if it is one of induction. `theory.baselines_symbolic` sums the same
quantities over the rows with SymPy. All values are fractions of 1 except the mean distance, which is in
positions. Derived here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import fmpq


def harmonic(n: int) -> fmpq:
    """H_n = 1 + 1/2 + ... + 1/n; H_0 = 0.

    Raises:
        ValueError: n is negative.
    """
    if n < 0:
        raise ValueError(f"a harmonic number needs n of 0 or more, not {n}")
    # One integer sum over a common denominator: n gcds fewer than adding fractions.
    unit = math.lcm(*range(1, n + 1))
    return fmpq(sum(unit // k for k in range(1, n + 1)), unit)


def mean_diagonal(length: int) -> fmpq:
    """Mean of A[t, t] over all T rows: H_T / T."""
    return harmonic(_positions(length)) / length


def mean_previous(length: int) -> fmpq:
    """Mean over all T rows of the weight on the previous token, row 0 counting as 0: (H_T - 1) / T."""
    return (harmonic(_positions(length)) - 1) / length


def mean_distance(length: int) -> fmpq:
    """Mean over rows of the expected distance query - key, in positions: (T - 1) / 4."""
    return fmpq(_positions(length) - 1, 4)


def normalised_entropy(length: int, include_first: bool = True) -> fmpq:
    """Mean over rows of entropy / log(visible keys): 1 for each row but the first, which sees one key.

    With `include_first` that row counts as 0 and the mean is (T - 1) / T; without it the mean is 1.

    Raises:
        ValueError: T is 1 and the first row left out, so that no row is left.
    """
    T = _positions(length)
    if include_first:
        return fmpq(T - 1, T)
    if T == 1:
        raise ValueError("with T = 1 there is no row besides the first to average over")
    return fmpq(1)


def relative_diagonal(length: int) -> fmpq:
    """Mean over rows of A[t, t] times the number of visible keys: 1 at every T."""
    _positions(length)
    return fmpq(1)


def induction_score(period: int, repeats: int) -> fmpq:
    """Mean of A[t, t - P + 1] over t = P .. r P - 1 (0-based): (H_rP - H_P) / ((r - 1) P).

    The score of a head on `repeats` = r copies of a random block of `period` = P tokens: the weight that a
    token of a later copy gives to what followed its previous occurrence.

    Raises:
        ValueError: P < 1 or r < 2.
    """
    if period < 1 or repeats < 2:
        raise ValueError(
            f"an induction score needs a period of 1 and 2 repeats or more, not {period} and {repeats}"
        )
    rows = (repeats - 1) * period
    return (harmonic(repeats * period) - harmonic(period)) / rows


def sequence_induction_score(tokens: Sequence[int]) -> fmpq:
    """The induction score of uniform attention on any sequence of tokens.

    A row t (0-based) that has seen its token before counts each key k <= t that follows an earlier
    occurrence, tokens[k - 1] = tokens[t], at 1/(t + 1); the mean is over these rows.

    Raises:
        ValueError: no token recurs.
    """
    weights = []
    for t, token in enumerate(tokens):
        following = sum(1 for k in range(1, t + 1) if tokens[k - 1] == token)
        if following:
            weights.append(fmpq(following, t + 1))
    if not weights:
        raise ValueError("no token of the sequence recurs, so no row could copy what followed it")
    return sum(weights, fmpq(0)) / len(weights)


def without_first_row(mean: fmpq, first: fmpq, length: int) -> fmpq:
    """The mean over rows 1..T-1 of what has the mean `mean` over all T rows and is `first` in row 0.

    Raises:
        ValueError: T is 1, so that no row is left.
    """
    T = _positions(length)
    if T == 1:
        raise ValueError("with T = 1 there is no row besides the first to average over")
    return (T * mean - first) / (T - 1)


def diagonal_similarity_squared(length: int) -> fmpq:
    """The squared cosine of the diagonal map with the uniform one, both flattened: H_T / T.

    Their inner product and the square of the uniform map are both H_T, the square of the diagonal map is T.
    """
    return harmonic(_positions(length)) / length


def _positions(length: int) -> int:
    if length < 1:
        raise ValueError(f"attention needs at least one position, not {length}")
    return length
