"""Printed numbers: their digits are part of what is stated."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq
from mpmath import mpf

from paper_checks.ledger.book import claims
from paper_checks.ledger.finding import compared
from paper_checks.ledger.printed import (
    as_printed,
    decimal,
    digits_of,
    exact,
    fraction,
    is_exactly,
    rounds_to,
    shown,
)


@pytest.mark.parametrize("value", [Fraction(3, 8), fmpq(3, 8), 0.375, mpf("0.375")])
def test_every_kind_of_number_is_the_fraction_that_it_is(value):
    assert fraction(value) == Fraction(3, 8)
    assert fraction(-value) == Fraction(-3, 8)


@pytest.mark.parametrize(
    ("stated", "value", "met"),
    [
        (".450", Fraction(4504, 10000), True),
        (".450", Fraction(4506, 10000), False),
        (".45", Fraction(4546, 10000), True),
        ("5.8%", 0.0579, True),
        ("5.8%", 0.0589, False),
        ("1.91e-3", 0.0019149, True),
        ("1.91e-3", 0.0019151, False),
        ("60,480", 60480, True),
        ("2", 2.4, True),
        ("-.0034", -0.00338, True),
    ],
)
def test_a_value_meets_the_digits_that_are_printed(stated, value, met):
    assert rounds_to(stated, value) is met


def test_a_tie_may_be_rounded_either_way():
    assert rounds_to("0.2", Fraction(1, 4))
    assert rounds_to("0.3", Fraction(1, 4))
    assert not is_exactly("0.3", Fraction(1, 4))


@pytest.mark.parametrize("stated", ["0.2", "0.3"])
def test_of_a_tie_the_neighbour_that_is_stated_is_shown(stated):
    claim = replace(claims()[0], numbers={"the_share": stated})
    tie, off = (compared(claim, {"the_share": Fraction(n, 100)}) for n in (25, 41))
    assert (tie.verdict, tie.right) == ("holds_to_rounding", {"the_share": stated})
    assert (off.verdict, off.right) == ("refuted", {"the_share": "0.4"})


def test_numbers_are_named_in_words():
    claim = replace(claims()[0], numbers={"first_row": "1", "last_row": "2"})
    assert compared(claim, {"first_row": 1, "last_row": 2}).computed == "first row 1; last row 2"


@pytest.mark.parametrize(
    ("stated", "value", "shown"),
    [
        (".450", 0.1234, ".123"),
        ("0.450", 0.1234, "0.123"),
        ("-.450", -0.1234, "-.123"),
        ("5.8%", 0.1234, "12.3%"),
        ("60,480", 1234567, "1,234,567"),
        ("1.91e-3", 0.000123456, "1.23e-4"),
        ("12", Fraction(25, 2), "13"),
    ],
)
def test_a_value_is_shown_in_the_digits_of_the_stated_one(stated, value, shown):
    assert digits_of(stated, value) == shown
    assert rounds_to(shown, value)


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="not a number"):
        decimal("about six")


def test_what_follows_from_printed_numbers_is_met_within_what_they_leave_open():
    difference = as_printed("4.1717") - as_printed("4.1489")
    assert fraction(difference) == Fraction(228, 10000)
    assert rounds_to("0.0227", difference)
    assert not rounds_to("0.0226", difference)
    assert not is_exactly("0.0228", difference)
    ratio = (as_printed("1.0") + as_printed("1.0")) / as_printed("1.0")
    assert ratio.low < 2 < ratio.high
    with pytest.raises(ValueError, match="positive"):
        as_printed("1") / as_printed("0")


@pytest.mark.parametrize(
    ("value", "places", "text"), [(exact(".0285"), 3, "0.029"), (-2.5, 0, "-3"), (1, 2, "1.00")]
)
def test_a_value_is_shown_with_so_many_decimals(value, places, text):
    assert shown(value, places) == text
