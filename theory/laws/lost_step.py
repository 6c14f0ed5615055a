"""The step at which a cosine is lost, decided over the rationals. Derived here.

At a rational rate a weight is its summed series up to a proven tail (`theory.truncation`): theta = S + e with
|e| <= tau. So its squared cosine with x lies between two rationals,

    (|<S, x>| - tau |x|)^2 / (|S| + tau)^2 |x|^2   and   (|<S, x>| + tau |x|)^2 / (|S| - tau)^2 |x|^2,

|x| and |S| being rounded outwards, and whether it is above a threshold is decided unless the threshold lies
between. `theory.alignment.last_step_aligned` predicts from the next order alone when it falls below; the next
power of eta moves 1 - cos by a share of about eta, so at a small rate the two must agree for any threshold
in the middle between what two steps in turn have, when these are a fair share of eta^2 apart.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

from flint import fmpq, fmpq_mat

from theory.alignment import Gram, last_step_aligned
from theory.corpus import Rows
from theory.laws.leading_terms import layers_of
from theory.next_order import gram, inner
from theory.orders import GROUPS, leading_orders
from theory.series import summed, trajectory
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients
from theory.truncation import tail_bounds
from theory.verdict import Statement, Verdict, compare

RATE = fmpq(1, 2**24)
BEYOND = 3
"""How many orders past the leading one are summed: the tail is then far below eta^2, which turns a weight."""

APART = RATE**2 / 2**14
"""How far the squared cosines of two steps must lie apart: far more than eta^3, which is not predicted."""

_ROOT_BITS = 64

Claim = Callable[[str, Gram, Any, Any, int], int]
"""(group, gram, rate, least squared cosine, limit) to the last step that keeps the cosine."""

Interval = tuple[fmpq, fmpq]


def cosine_squared_within(S: fmpq_mat, tail: fmpq, x: fmpq_mat) -> Interval:
    """The least and the largest squared cosine with x of anything within `tail` of S (Frobenius norm).

    Both are matrices of one shape that are not zero; `tail` is below |S| and below <S, x> / |x|.
    """
    along = abs(inner(S, x))
    reach = tail * _root_above(inner(x, x))
    size, square = _root_above(inner(S, S)), inner(x, x)
    longest = inner(S, S) + 2 * tail * size + tail * tail
    shortest = inner(S, S) - 2 * tail * size
    return (along - reach) ** 2 / (longest * square), (along + reach) ** 2 / (shortest * square)


def check(
    tokens: Rows, vocab_size: int, layers: int, steps: int, *, claim: Claim = last_step_aligned
) -> Verdict:
    """Holds the predicted last steps to the series, for a threshold between any two steps up to `steps`.

    A threshold that the proven interval of some step contains, or between steps that are not `APART`, is left
    out.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    orders = leading_orders(layers)
    history = trajectory(tokens, vocab_size, layers, steps, {g: k + BEYOND for g, k in orders.items()})
    directions = leading_directions(exact_statistics(tokens, vocab_size))
    grams = gram(tokens, vocab_size)
    tails = {
        (g, s): tail_bounds(layers, s, RATE, k + BEYOND)[g]
        for g, k in orders.items()
        for s in range(1, steps + 1)
    }
    statements: list[Statement[fmpq_mat]] = []
    found: dict[tuple[int | None, str, int], int] = {}
    for group in GROUPS:
        first = next(s for s in range(1, 5) if step_coefficients(s)[group])
        if not directions[group]:
            continue
        for layer in layers_of(group, layers):
            within = {}
            for s in range(first, steps + 1):
                scale = RATE ** orders[group]
                S = summed(history[s].group(group)[layer or 0], RATE) * (1 / scale)
                tail = tails[group, s][layer or 0] / scale
                within[s] = cosine_squared_within(S, tail, directions[group])
            for s in range(first, steps):
                threshold = (within[s][0] + within[s + 1][1]) / 2
                last = _last_above(within, threshold, steps)
                if within[s][0] - within[s + 1][1] > APART and last is not None:
                    found[layer, f"last step of {group}", s] = last
                    predicted = claim(group, grams[group], RATE, threshold, steps)
                    what = fmpq_mat(1, 1, [predicted])
                    statements.append(Statement(f"last step of {group}", layer, orders[group], what, s))
    return compare(
        "last step with a cosine",
        statements,
        lambda one: fmpq_mat(1, 1, [found[one.layer, one.quantity, one.step]]),
    )


def _last_above(within: dict[int, Interval], threshold: fmpq, limit: int) -> int | None:
    """The last step before the cosine is below the threshold for certain; None where that is not certain."""
    first = min(within)
    for s in sorted(within):
        low, high = within[s]
        if high < threshold:
            return s - 1 if s > first else 0
        if low < threshold:
            return None
    return limit


def _root_above(square: fmpq) -> fmpq:
    """A rational root of a square >= 0, rounded up at a relative 2^-60 or so."""
    p, q = int(square.p), int(square.q)
    scaled = -((-p << 2 * _ROOT_BITS) // q) if p else 0
    return fmpq(isqrt(scaled) + 1, 1 << _ROOT_BITS)
