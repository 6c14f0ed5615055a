"""How the vectors write numbers: fractions, decimals of 30 significant digits, and bounds rounded up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from properties.tolerances import UNIT_ROUNDOFF

SHOWN = 30
DTYPES = tuple(UNIT_ROUNDOFF)

Params = Mapping[str, Any]
Answer = dict[str, Any]


def fractions(value: Any) -> np.ndarray:
    """Return nested lists of "p/q" as an array of fractions, of any shape."""
    return np.vectorize(Fraction, otypes=[object])(np.array(value, dtype=object))


def floats(value: Any) -> np.ndarray:
    """Return the nearest float64 to each "p/q" or decimal in nested lists, of any shape."""
    return fractions(value).astype(np.float64)


def rational(value: Any, bound: Callable[[str], Any]) -> Answer:
    """Return an exact answer: nested fractions, and its bound for each dtype."""
    return {"kind": "rational", "value": _nested(value, str), "bound": _bounds(bound)}


def decimal(value: Any, bound: Callable[[str], Any]) -> Answer:
    """Return an answer of SHOWN significant digits, and its bound for each dtype."""
    return {"kind": "decimal", "digits": SHOWN, "value": _nested(value, _shown), "bound": _bounds(bound)}


def _shown(value: Any) -> str:
    # The complex step leaves noise far below its 60 digits where a derivative vanishes.
    return "0.0" if abs(value) < mpmath.mpf(10) ** -50 else str(mpmath.nstr(value, SHOWN))


def _nested(value: Any, told: Callable[[Any], str]) -> Any:
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_nested(part, told) for part in value]
    return told(value)


def _bounds(bound: Callable[[str], Any]) -> dict[str, Any]:
    return {dtype: _nested(np.asarray(bound(dtype), dtype=np.float64).tolist(), upwards) for dtype in DTYPES}


def upwards(bound: float) -> str:
    """Return three digits that are not below the bound."""
    text = f"{bound:.2e}"
    if float(text) >= bound:
        return text
    digits, exponent = text.split("e")
    raised = Fraction(digits) + Fraction(1, 100)
    return f"{float(raised):.2f}e{exponent}"
