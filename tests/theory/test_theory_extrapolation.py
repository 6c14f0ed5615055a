"""Extrapolation to rate zero: exact for polynomials, within its bound on descents; one fraction or none."""

import pytest
from flint import fmpq
from theory_cases import corpus

from theory.extrapolation import (
    INSIDE,
    extrapolation_errors,
    largest_denominator,
    only_fraction,
    remainders,
    weights_at_zero,
)
from theory.orders import leading_orders
from theory.series import descend, summed

RATES = [fmpq(1, 100), fmpq(1, 300), fmpq(1, 700)]


def test_extrapolation_is_exact_below_the_number_of_rates_and_not_there() -> None:
    weights = weights_at_zero(RATES)
    for power, value in ((0, fmpq(1)), (1, fmpq(0)), (2, fmpq(0))):
        assert sum((w * r**power for w, r in zip(weights, RATES, strict=True)), fmpq(0)) == value
    # The error of the next power is the product of the rates, here with its sign.
    missed = sum((w * r**3 for w, r in zip(weights, RATES, strict=True)), fmpq(0))
    assert missed == RATES[0] * RATES[1] * RATES[2]


def test_descents_are_extrapolated_within_the_bound() -> None:
    V, L, steps = 3, 2, 3
    whole = descend(corpus(2, 2, 3, V), V, L, steps, 14)
    for group, order in leading_orders(L).items():
        bounds = extrapolation_errors(L, steps, RATES, order)[group]
        for bound, coefficients in zip(bounds, whole.group(group), strict=True):
            found = sum(
                (
                    summed(coefficients, rate) * (weight / rate**order)
                    for rate, weight in zip(RATES, weights_at_zero(RATES), strict=True)
                ),
                coefficients[order] * 0,
            )
            off = max(abs(x) for x in (found - coefficients[order]).entries())
            assert 0 < off <= bound


def test_what_is_left_falls_with_the_next_order_and_is_refused_outside() -> None:
    for order in (1, 4):
        coarse, fine = (remainders(2, 3, INSIDE / k, order)["W"][1] for k in (1, 2))
        assert coarse / fine == 2 ** (order + 1)
    for rate in (fmpq(0), INSIDE + fmpq(1, 10**6)):
        with pytest.raises(ValueError, match="at most 1/32"):
            remainders(1, 3, rate, 1)


def test_every_leading_coefficient_has_a_denominator_of_that_kind() -> None:
    for seed in range(4):
        V, L, T, N = 3, 2, 3, 2
        found = descend(corpus(seed, N, T, V), V, L, 4, 4)
        largest = largest_denominator(N, T, V)
        for group, order in leading_orders(L).items():
            for layer in found.group(group):
                assert all(largest % int(x.q) == 0 for x in layer[order].entries())
    assert largest_denominator(2, 4, 3) == 12**3 * 24**4


def test_one_fraction_or_none_or_a_refusal() -> None:
    third = fmpq(1, 3) + fmpq(1, 10**6)
    assert only_fraction(third, fmpq(2, 10**6), 10) == fmpq(1, 3)
    assert only_fraction(third, fmpq(1, 10**6), 10) == fmpq(1, 3)
    assert only_fraction(third, fmpq(1, 10**7), 10) is None
    assert only_fraction(fmpq(-5, 7), fmpq(0), 7) == fmpq(-5, 7)
    assert only_fraction(fmpq(-5, 7), fmpq(0), 6) is None
    # Half the distance of 1/9 and 1/10 tells them apart no more.
    with pytest.raises(ValueError, match="does not tell fractions over 10 apart"):
        only_fraction(third, fmpq(1, 200), 10)
    only_fraction(third, fmpq(1, 201), 10)
