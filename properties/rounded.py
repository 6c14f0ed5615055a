"""Numbers that carry a bound on what any implementation's rounding may have done to them.

A `Rounded` array holds a value, the magnitude it was summed from and the number of operations on the longest
path to it. An implementation that evaluates the same expression in floating point, in any order of
summation, stays within gamma(operations) * magnitude of the exact result. Products multiply magnitudes,
sums add them, and the softmax turns its argument's error into a relative one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from properties.tolerances import ELEMENTARY_ULPS, gamma, rounding, unit_roundoff


# exp of this still leaves room in float64 for the products that follow.
LARGEST_MOVE = 100.0


class NothingKnown(ArithmeticError):
    """The bound has grown past all use: no implementation could be held to it."""


@dataclass(frozen=True, eq=False)
class Rounded:
    """An array with its rounding bound for results in `dtype` (float64 or float32)."""

    value: np.ndarray
    magnitude: np.ndarray
    operations: int
    dtype: str

    @property
    def bound(self) -> np.ndarray:
        """The largest possible absolute error, entry by entry."""
        return rounding(self.magnitude, self.operations, self.dtype)

    @property
    def T(self) -> Rounded:  # noqa: N802 - NumPy's name
        """The transpose."""
        return Rounded(self.value.T, self.magnitude.T, self.operations, self.dtype)

    def __add__(self, other: Rounded) -> Rounded:
        return self._sum(other, self.value + other.value)

    def __sub__(self, other: Rounded) -> Rounded:
        return self._sum(other, self.value - other.value)

    def __mul__(self, other: Rounded) -> Rounded:
        operations = self.operations + other.operations + 1
        return Rounded(
            self.value * other.value, self.magnitude * other.magnitude, operations, self.dtype
        )

    def __matmul__(self, other: Rounded) -> Rounded:
        operations = self.operations + other.operations + self.value.shape[-1]
        return Rounded(
            self.value @ other.value, self.magnitude @ other.magnitude, operations, self.dtype
        )

    def times(self, factor: float) -> Rounded:
        """Multiply by a number that is itself rounded once."""
        return Rounded(self.value * factor, self.magnitude * abs(factor), self.operations + 2, self.dtype)

    def row_sums(self) -> Rounded:
        """Sum each row, kept as a column."""
        operations = self.operations + self.value.shape[-1]
        return Rounded(
            self.value.sum(-1, keepdims=True), self.magnitude.sum(-1, keepdims=True), operations, self.dtype
        )

    def _sum(self, other: Rounded, value: np.ndarray) -> Rounded:
        operations = max(self.operations, other.operations) + 1
        return Rounded(value, self.magnitude + other.magnitude, operations, self.dtype)


def exact(value: np.ndarray, dtype: str) -> Rounded:
    """Return an array that every implementation is given to the last bit."""
    value = np.asarray(value, dtype=np.float64)
    return Rounded(value, np.abs(value), 0, dtype)


def total(parts: list[Rounded]) -> Rounded:
    """Return the sum of a list of arrays, in any order."""
    return Rounded(
        np.sum([part.value for part in parts], axis=0),
        np.sum([part.magnitude for part in parts], axis=0),
        max(part.operations for part in parts) + len(parts),
        parts[0].dtype,
    )


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
    size = np.where(visible, np.abs(z.value), 0.0).max(axis=-1, keepdims=True)
    moved = np.where(visible, z.bound, 0.0).max(axis=-1, keepdims=True) + 2 * unit * size
    operations = z.value.shape[-1] + 2 + 2 * ELEMENTARY_ULPS
    own = gamma(operations, unit)
    if 2 * moved.max() > LARGEST_MOVE:
        raise NothingKnown("rounding may move a logit so far that its softmax can be anything")
    error = probability * (np.expm1(2 * moved) * (1 + own) + own)
    return Rounded(probability, np.maximum(probability, error / own), operations, z.dtype)
