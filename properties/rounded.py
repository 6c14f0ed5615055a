"""Numbers that carry a bound on what any implementation's rounding may have done to them.

A `Rounded` array holds a value, the magnitude it was summed from (its terms made positive) and the largest
error. An implementation that evaluates the same products and sums in floating point, in any order, stays
within the error of the exact result: a product of n terms adds gamma(n) times the product of the magnitudes
to what its factors' errors become, and the softmax turns its argument's error into a relative one.

Derived here, as a running error bound is (Higham, Accuracy and Stability of Numerical Algorithms, sec. 3.3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from properties.tolerances import ELEMENTARY_ULPS, gamma, rounding, unit_roundoff

# exp of this still leaves room in float64 for the products that follow.
LARGEST_MOVE = 100.0


class NothingKnown(ArithmeticError):
    """The bound has grown past all use: no implementation could be held to it."""


@dataclass(frozen=True, eq=False)
class Rounded:
    """Values and their error bounds, of one shape, for results in `dtype` (float64 or float32)."""

    value: np.ndarray
    magnitude: np.ndarray
    error: np.ndarray
    dtype: str

    @property
    def T(self) -> Rounded:
        """The transpose."""
        return Rounded(self.value.T, self.magnitude.T, self.error.T, self.dtype)

    def __add__(self, other: Rounded) -> Rounded:
        return total([self, other])

    def __sub__(self, other: Rounded) -> Rounded:
        return total([self, Rounded(-other.value, other.magnitude, other.error, other.dtype)])

    def __mul__(self, other: Rounded) -> Rounded:
        return self._product(other, np.multiply, 1)

    def __matmul__(self, other: Rounded) -> Rounded:
        return self._product(other, np.matmul, self.value.shape[-1])

    def times(self, factor: float) -> Rounded:
        """Multiply by a number that is itself rounded once."""
        magnitude, inherited = self.magnitude * abs(factor), self.error * abs(factor)
        return computed(self.value * factor, magnitude, inherited, 2, self.dtype)

    def row_sums(self) -> Rounded:
        """Sum each row, kept as a column."""
        value, magnitude, inherited = (
            part.sum(-1, keepdims=True) for part in (self.value, self.magnitude, self.error)
        )
        return computed(value, magnitude, inherited, self.value.shape[-1], self.dtype)

    def _product(
        self, other: Rounded, product: Callable[[np.ndarray, np.ndarray], np.ndarray], terms: int
    ) -> Rounded:
        magnitude = product(self.magnitude, other.magnitude)
        inherited = product(self.error, other.magnitude + other.error) + product(self.magnitude, other.error)
        return computed(product(self.value, other.value), magnitude, inherited, terms, self.dtype)


def computed(
    value: np.ndarray, magnitude: np.ndarray, inherited: np.ndarray, operations: int, dtype: str
) -> Rounded:
    """Return what so many operations make of operands whose errors have become `inherited`.

    All arrays have one shape. The operations round the operands that an implementation has, errors
    included, so that the bound holds for large errors too.
    """
    error = inherited + rounding(magnitude + inherited, operations, dtype)
    return Rounded(value, magnitude, error, dtype)


def exact(value: np.ndarray, dtype: str) -> Rounded:
    """Return an array of any shape that every implementation is given to the last bit."""
    value = np.asarray(value, dtype=np.float64)
    return Rounded(value, np.abs(value), np.zeros_like(value), dtype)


def total(parts: list[Rounded]) -> Rounded:
    """Return the sum of a list of arrays, in any order."""
    value, magnitude, inherited = (
        reduce(np.add, [getattr(part, name) for part in parts]) for name in ("value", "magnitude", "error")
    )
    return computed(value, magnitude, inherited, len(parts), parts[0].dtype)


def softmax(z: Rounded, visible: np.ndarray | None = None) -> Rounded:
    """Return the softmax of each row of `z` [m, n] over the visible entries.

    Errors of at most d in a row's logits change each probability by a factor within exp(+-2d). Subtracting
    the row's maximum rounds once more, relative to the range; exp, the sum and the quotient add their own.

    Raises:
        NothingKnown: the error of a logit is beyond LARGEST_MOVE.
    """
    visible = np.ones(z.value.shape, dtype=bool) if visible is None else visible
    shown = np.where(visible, z.value, -np.inf)
    top = shown.max(axis=-1, keepdims=True)
    weight = np.exp(shown - top)
    probability = weight / weight.sum(axis=-1, keepdims=True)
    unit = unit_roundoff(z.dtype)
    size = np.where(visible, np.abs(z.value) + z.error, 0.0).max(axis=-1, keepdims=True)
    moved = np.where(visible, z.error, 0.0).max(axis=-1, keepdims=True) + 2 * unit * size
    if 2 * moved.max() > LARGEST_MOVE:
        raise NothingKnown("rounding may move a logit so far that its softmax can be anything")
    own = gamma(z.value.shape[-1] + 2 + 2 * ELEMENTARY_ULPS, unit)
    error = probability * (np.expm1(2 * moved) * (1 + own) + own)
    return Rounded(probability, probability, error, z.dtype)
