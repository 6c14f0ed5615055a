"""What a wrong answer looks like, when it is a right one under a known slip."""

from __future__ import annotations

import numpy as np


def looks_like(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> str | None:
    """Return the slip that turns `expected` into `got` within the bound, in a few words, or None.

    A constant factor is named as a whole number or one over it where it is one.
    """
    if got.shape != expected.shape:
        return "transposed" if got.shape == expected.shape[::-1] != expected.shape else None
    if got.ndim == 2 and got.shape[0] == got.shape[1] and _near(got.T, expected, bound):
        return "transposed"
    if _near(-got, expected, bound):
        return "negated"
    if not np.any(got):
        return "all zero"
    return _constant_factor(got, expected, bound)


def _near(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> bool:
    return bool((np.abs(got - expected) <= np.broadcast_to(bound, expected.shape)).all())


def _constant_factor(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> str | None:
    square = (expected * expected).sum()
    factor = float((got * expected).sum() / square) if square else 0.0
    if got.size < 2 or not np.isfinite(factor) or factor == 0 or not _near(got / factor, expected, bound):
        return None
    for whole, text in ((factor, "{}"), (1 / factor, "1/{}")):
        if whole >= 1.5 and np.isclose(whole, round(whole)):
            return f"multiplied by {text.format(round(whole))}"
    told = f"{factor:.6g}"
    return None if told == "1" else f"multiplied by {told}"  # a factor of 1 is an error that is not a factor
