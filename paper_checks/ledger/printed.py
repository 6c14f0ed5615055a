"""Numbers as they are printed: their digits are part of what is stated.

".450" says that a value lies within half a unit of the third decimal of .45. A value on the very edge may be
rounded either way, so both neighbours of a tie are met. All comparisons are of exact fractions; a float is
the fraction that it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

# Enough digits for any number in the ledger, so that a quotient is rounded once, at its printed place.
_CONTEXT = Context(prec=60, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Range:
    """Where a number lies that follows from printed ones, each known to half a unit of its last place."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Range) -> Range:
        return Range(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Range) -> Range:
        return Range(self.low - other.high, self.high - other.low)

    def __truediv__(self, other: Range) -> Range:
        """Divide positive numbers."""
        if min(self.low, other.low) <= 0:
            raise ValueError("only positive ranges are divided")
        return Range(self.low / other.high, self.high / other.low)


def as_printed(stated: str) -> Range:
    """Return where a number lies that was rounded to what is printed."""
    number = decimal(stated)
    half = _unit(number) / 2
    return Range(Fraction(number) - half, Fraction(number) + half)


def fraction(value: Any) -> Fraction:
    """Return a computed number (int, Fraction, fmpq, float, mpf) as the fraction that it is.

    Of a range it is the middle.
    """
    if isinstance(value, Range):
        return (value.low + value.high) / 2
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if hasattr(value, "p") and hasattr(value, "q"):  # fmpq
        return Fraction(int(value.p), int(value.q))
    if hasattr(value, "_mpf_"):
        sign, mantissa, exponent, _ = value._mpf_
        magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        return -magnitude if sign else magnitude
    return Fraction(float(value))


def decimal(stated: str) -> Decimal:
    """Return the number that is printed, with its digits; a trailing % divides by a hundred.

    Raises:
        ValueError: `stated` is no number.
    """
    text = stated.strip().replace(",", "").removesuffix("%")
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"'{stated}' is not a number as it may be printed.") from None
    return number.scaleb(-2) if stated.strip().endswith("%") else number


def numbers(stated: list[str]) -> list[mpf]:
    """Return printed numbers to compute with, to 50 digits."""
    with mp.workdps(50):
        return [mpf(str(decimal(one))) for one in stated]


def fractions(stated: list[str]) -> list[Fraction]:
    """Return printed numbers as the fractions that they are."""
    return [exact(one) for one in stated]


def exact(stated: str) -> Fraction:
    """Return the fraction that is printed."""
    return Fraction(decimal(stated))


def shown(value: Any, places: int = 3) -> str:
    """Return a computed number for a sentence, rounded to `places` decimals."""
    return digits_of(f"{Decimal(0):.{places}f}", value)


def rounds_to(stated: str, value: Any) -> bool:
    """Return whether `value`, rounded to the digits of `stated`, is `stated`; of a range, some of it."""
    if isinstance(value, Range):
        printed = as_printed(stated)
        return printed.low <= value.high and value.low <= printed.high
    number = decimal(stated)
    return abs(fraction(value) - Fraction(number)) <= _unit(number) / 2


def is_exactly(stated: str, value: Any) -> bool:
    """Return whether `value` is the printed number itself; a range wider than a point is not."""
    if isinstance(value, Range) and value.low < value.high:
        return False
    return fraction(value) == Fraction(decimal(stated))


def digits_of(stated: str, value: Any) -> str:
    """Return `value` rounded to the digits of `stated` and printed as that is (percent, leading zero)."""
    number, exact = decimal(stated), fraction(value)
    quotient = _CONTEXT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    rounded = quotient.quantize(Decimal(1).scaleb(_exponent(number)), context=_CONTEXT)
    text = stated.strip()
    if text.endswith("%"):
        return f"{rounded.scaleb(2):f}%"
    if "e" in text.lower():
        return f"{quotient:.{len(number.as_tuple().digits) - 1}e}"
    shown = f"{rounded:,f}" if "," in text else f"{rounded:f}"
    leading = text.lstrip("+-").startswith(".")
    return shown.replace("0.", ".", 1) if leading and shown.lstrip("-").startswith("0.") else shown


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


def _unit(number: Decimal) -> Fraction:
    """Return one unit of the last printed place."""
    return Fraction(10) ** _exponent(number)
