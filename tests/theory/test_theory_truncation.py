"""The tail bound: it holds on corpora, falls with the order kept, and refuses where it cannot speak."""

import pytest
from flint import fmpq
from theory_cases import corpus

from theory.next_order import inner
from theory.series import descend, summed
from theory.truncation import tail_bounds


@pytest.mark.parametrize("rate", [fmpq(1, 50), fmpq(1, 400)])
def test_what_is_left_out_is_within_the_bound(rate: fmpq) -> None:
    V, L, steps = 3, 2, 5
    whole = descend([*corpus(2, 2, 3, V), [0, 1, 0, 1]], V, L, steps, 16)
    for order in (2, 5, 8):
        for group, bounds in tail_bounds(L, steps, rate, order).items():
            for bound, coefficients in zip(bounds, whole.group(group), strict=True):
                left_out = summed(coefficients, rate) - summed(coefficients[: order + 1], rate)
                assert 0 < inner(left_out, left_out) <= bound * bound


def test_no_step_leaves_nothing_out() -> None:
    assert tail_bounds(1, 0, fmpq(1, 10), 0)["W_O"] == [0]


def test_one_step_is_exact_at_order_one() -> None:
    """W_O = eta B_bar after one step (Lemma D.4): the bound is nothing but its rounding."""
    bound = tail_bounds(2, 1, fmpq(1, 10), 1)
    assert 0 <= bound["W_O"][0] <= fmpq(1, 2**250)
    assert bound["V"] == [0, 0]


def test_more_orders_leave_less_out() -> None:
    bounds = [tail_bounds(2, 6, fmpq(1, 100), order)["W"][0] for order in (4, 6, 8, 10)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0] / 1000


def test_the_tail_vanishes_in_the_end() -> None:
    """What the numbers and the polynomials add up to agrees: a difference between the two would stay."""
    for bounds in tail_bounds(2, 4, fmpq(1, 50), 40).values():
        assert all(0 < bound < fmpq(1, 10**20) for bound in bounds)


@pytest.mark.parametrize(("rate", "message"), [(fmpq(1), "too large"), (fmpq(0), "must be positive")])
def test_rates_that_are_refused(rate: fmpq, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tail_bounds(1, 4, rate, 3)
