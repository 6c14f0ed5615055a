"""Exponents and leading coefficients from arbitrary-precision runs at several rates, against the exact
ones.
"""

from itertools import pairwise

import mpmath  # type: ignore[import-untyped]
import pytest
from flint import fmpq

from properties.arbitrary_precision import DIGITS, Key, extrapolated, numeric_descent
from theory.orders import leading_orders
from theory.series import descend

TOKENS = [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 1]]
V, L, STEPS = 2, 2, 3


@pytest.fixture(scope="module")
def runs() -> tuple[list[mpmath.mpf], list[dict[Key, mpmath.mpf]]]:
    rates = [mpmath.mpf(2) ** -(8 + n) for n in range(5)]
    return rates, [numeric_descent(TOKENS, V, L, STEPS, rate) for rate in rates]


def number(x: fmpq) -> mpmath.mpf:
    return mpmath.mpf(int(x.p)) / int(x.q)


def test_leading_coefficients_by_extrapolation(
    runs: tuple[list[mpmath.mpf], list[dict[Key, mpmath.mpf]]],
) -> None:
    """Five rates cancel four powers of eta: what is left is about eta^5, some 12 digits."""
    rates, values = runs
    exact = descend(TOKENS, V, L, STEPS, 4)
    with mpmath.workdps(DIGITS):
        for key in values[0]:
            group, layer, i, j = key
            order = leading_orders(L)[group]
            scaled = [v[key] / rate**order for v, rate in zip(values, rates, strict=True)]
            expected = number(exact.group(group)[layer][order][i, j])
            assert abs(extrapolated(scaled, rates) - expected) < mpmath.mpf(10) ** -10, key


@pytest.mark.parametrize("group", ["W_O", "V", "W", "P"])
def test_exponents(group: str, runs: tuple[list[mpmath.mpf], list[dict[Key, mpmath.mpf]]]) -> None:
    """The slope of log size against log rate, extrapolated to rate zero, is the order."""
    rates, values = runs
    with mpmath.workdps(DIGITS):
        sizes = [mpmath.sqrt(sum(x**2 for key, x in v.items() if key[0] == group)) for v in values]
        slopes = [mpmath.log(a / b, 2) for a, b in pairwise(sizes)]
        assert abs(extrapolated(slopes, rates[:-1]) - leading_orders(L)[group]) < mpmath.mpf(10) ** -8
