"""The series by a third route: arbitrary-precision runs at several rates, extrapolated to rate zero.

`properties.arbitrary_precision` knows nothing of series or statistics: complex-step gradients of the loss at
150 digits. Scaled by eta^-order, a parameter is a polynomial in eta; Richardson extrapolation from n rates
cancels n - 1 powers, so what is left is about eta^n with eta the largest rate.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import mpmath

from properties.arbitrary_precision import DIGITS, STEP, Key, extrapolated, numeric_descent
from properties.cases import THIRD_ROUTE, DescentCase
from properties.check import Check, Comparison, Outcome
from properties.target import Target
from theory.orders import GROUPS, leading_orders
from theory.series import descend

RATES = tuple(2.0 ** -(8 + n) for n in range(5))


@cache
def _runs(tokens: tuple[tuple[int, ...], ...], V: int, L: int, steps: int) -> list[dict[Key, Any]]:
    sequences = [list(row) for row in tokens]
    return [numeric_descent(sequences, V, L, steps, mpmath.mpf(rate)) for rate in RATES]


def _agrees(target: Target, case: DescentCase) -> Outcome:
    V, L, steps = case.vocab_size, case.layers, case.steps
    runs = _runs(tuple(map(tuple, case.tokens.tolist())), V, L, steps)
    rates = [mpmath.mpf(rate) for rate in RATES]
    exact = descend(case.tokens.tolist(), V, L, steps, 4)
    with mpmath.workdps(DIGITS):
        for key in runs[0]:
            group, layer, i, j = key
            order = leading_orders(L)[group]
            scaled = [run[key] / rate**order for run, rate in zip(runs, rates, strict=True)]
            coefficient = exact.group(group)[layer][order][i, j]
            expected = mpmath.mpf(int(coefficient.p)) / int(coefficient.q)
            value, bound = _extrapolated(scaled, rates)
            name = (
                f"coefficient of eta^{order} in {group}, layer {layer}, entry [{i}, {j}], less the exact one"
            )
            yield Comparison(name, float(value - expected), 0.0, bound)
        for group in GROUPS:
            sizes = [mpmath.sqrt(sum(x**2 for key, x in run.items() if key[0] == group)) for run in runs]
            slopes = [mpmath.log(coarse / fine, 2) for coarse, fine in pairwise(sizes)]
            fitted, bound = _extrapolated(slopes, rates[:-1])
            yield Comparison(f"exponent of {group}", float(fitted), leading_orders(L)[group], bound)


def _extrapolated(values: list[Any], rates: list[Any]) -> tuple[Any, float]:
    """Return the value at rate 0, and how far leaving out the coarsest rate moves it.

    One rate fewer leaves an error larger by a factor of about 1 / eta, so the difference is that error and
    bounds the better value's. Below the complex step nothing is told apart.
    """
    best, rougher = extrapolated(values, rates), extrapolated(values[:-1], rates[:-1])
    return best, float(abs(best - rougher) + STEP)


CHECKS = (
    Check(
        id="series.third_route",
        statement="Extrapolated runs at 150 digits have the exact leading coefficients and exponents.",
        source="derived here",
        cases=THIRD_ROUTE,
        law=_agrees,
        cost=24,
    ),
)
