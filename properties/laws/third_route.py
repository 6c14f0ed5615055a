"""The series by a third route: runs at small rates, extrapolated to rate zero, determine its coefficients.

`properties.arbitrary_precision` knows nothing of series or statistics, nor of gradients that flow back: it
differentiates the loss in guaranteed balls of 150 digits. Extrapolation misses a coefficient by what
`theory.extrapolation` bounds, some 10^-33 at rates near 2^-40; the balls are some 10^-100 wide. Fractions
with the denominators that a leading coefficient can have are 10^-15 apart, so one alone is near enough.

*Exponents.* Two runs, at a rate and at half of it, with |theta| = |a| eta^k (1 + d), |d| <= D, have the slope
log2 |theta(eta)| / |theta(eta / 2)|, within log2((1 + D) / (1 - D)) of k.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from flint import arb, ctx, fmpq

from properties.arbitrary_precision import DIGITS, Key, guaranteed_descent
from properties.cases import THIRD_ROUTE, DescentCase
from properties.check import Check, Comparison, Measurement, Outcome
from properties.laws.mathematics import equal
from properties.target import Target
from theory.balls import at_most
from theory.extrapolation import (
    extrapolation_errors,
    largest_denominator,
    only_fraction,
    remainders,
    weights_at_zero,
)
from theory.orders import GROUPS, leading_orders
from theory.series import descend

RATES = tuple(fmpq(1, 2 ** (40 + n)) for n in range(3))


@cache
def _runs(tokens: tuple[tuple[int, ...], ...], V: int, L: int, steps: int) -> list[dict[Key, Any]]:
    sequences = [list(row) for row in tokens]
    return [guaranteed_descent(sequences, V, L, steps, rate) for rate in RATES]


def _agrees(target: Target, case: DescentCase) -> Outcome:
    V, L, steps = case.vocab_size, case.layers, case.steps
    sequences, length = case.tokens.shape[0], case.tokens.shape[1] - 1
    runs = _runs(tuple(map(tuple, case.tokens.tolist())), V, L, steps)
    exact = descend(case.tokens.tolist(), V, L, steps, max(leading_orders(L).values()))
    largest = largest_denominator(sequences, length, V)
    widest = fmpq(0)
    for group, order in leading_orders(L).items():
        missed = extrapolation_errors(L, steps, RATES, order)[group]
        for key in (key for key in runs[0] if key[0] == group):
            _, layer, i, j = key
            value, error = _extrapolated([run[key] for run in runs], order)
            widest = max(widest, error + missed[layer])
            found = only_fraction(value, error + missed[layer], largest)
            name = f"coefficient of eta^{order} in {group}, layer {layer}, entry [{i}, {j}]"
            yield equal(name, found, exact.group(group)[layer][order][i, j])
    yield Measurement("denominators up to", largest)
    yield Measurement("spacing of such fractions over the error", float(1 / (largest**2 * widest)))
    for group in GROUPS:
        yield from _exponent(runs[:2], case, group, leading_orders(L)[group])


def _extrapolated(values: Sequence[Any], order: int) -> tuple[fmpq, fmpq]:
    """Return the value at rate 0 of the polynomial through values over rate^order, and its ball's radius."""
    with ctx.workdps(DIGITS):
        shares = [w / rate**order for w, rate in zip(weights_at_zero(RATES), RATES, strict=True)]
        ball = sum((share * value for share, value in zip(shares, values, strict=True)), arb(0))
        return ball.mid().fmpq(), ball.rad().fmpq()


def _exponent(runs: Sequence[dict[Key, Any]], case: DescentCase, group: str, order: int) -> Outcome:
    with ctx.workdps(DIGITS):
        sizes, shares = [], []
        for run, rate in zip(runs, RATES, strict=False):
            size = sum((x * x for key, x in run.items() if key[0] == group), arb(0)).sqrt()
            rest = arb(sum(remainders(case.layers, case.steps, rate, order)[group], fmpq(0)))
            sizes.append(size)
            shares.append(rest / (size - rest))
        slope, share = (sizes[0] / sizes[1]).log() / arb(2).log(), shares[0].max(shares[1])
        bound = ((1 + share) / (1 - share)).log() / arb(2).log()
        nearest = int((slope.mid() + arb(0.5)).floor().fmpz())
        yield equal(f"exponent of {group}", nearest, order)
        yield _within(f"distance of {group}'s exponent from {nearest}", abs(slope - nearest), bound)
        yield _within(f"bound of that distance in {group}", bound, fmpq(1, 2))


def _within(name: str, a: Any, limit: Any) -> Comparison:
    return equal(f"{name} within its bound", at_most(a, limit), True)


CHECKS = (
    Check(
        id="series.third_route",
        statement="Extrapolated runs at 150 digits determine the leading coefficients and exponents exactly.",
        source="derived here",
        cases=THIRD_ROUTE,
        law=_agrees,
        evidence="exact",
        cost=24,
    ),
)
