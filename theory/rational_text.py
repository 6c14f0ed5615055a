"""How a rational is written in every file: "p/q" in lowest terms with q > 1, or "p" when it is whole.

So each rational has one writing: a half is "1/2", minus three "-3", and nought "0", never "0/1" or "-0". Both
what `fractions.Fraction` prints and what it reads is of this form; so is what flint prints.
"""

from __future__ import annotations

import re

from flint import fmpq

_DIGITS = re.compile("-?[0-9]{1,2000}(/[1-9][0-9]{0,1999})?")
_SHOWN = 40


def rational(text: str) -> fmpq:
    """The rational that is written so.

    Raises:
        ValueError: it is any other text; the right writing is told.
    """
    if not _DIGITS.fullmatch(text):
        raise ValueError(f"{text[:_SHOWN]!r} is not a fraction p/q in digits")
    over, _, under = text.partition("/")
    value = fmpq(int(over), int(under or "1"))
    if str(value) != text:
        raise ValueError(f"{text[:_SHOWN]!r} is not in lowest terms; write {value}")
    return value
