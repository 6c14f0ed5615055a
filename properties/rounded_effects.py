"""The change of the loss (`reference.effects`) in rounding-aware numbers: how far float64 may be off.

The same formulas for the difference of two sides, one sequence at a time. Besides sums, products and the
softmax they need three functions of one number: e^z - 1, whose derivative is e^z; a quotient; and log(1 + m).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from properties.rounded import LARGEST_MOVE, NothingKnown, Rounded, computed, exact, softmax, total
from properties.rounded_model import by_distance
from properties.tolerances import ELEMENTARY_ULPS


def loss_change(
    parameters: Mapping[str, np.ndarray], change: Mapping[str, np.ndarray], tokens: np.ndarray, dtype: str
) -> tuple[float, float]:
    """Return loss(parameters + change) - loss(parameters) on tokens [N, T+1], and the bound on its error.

    Raises:
        NothingKnown: weights are so large that the bound has grown past use.
    """
    parts = [_of_sequence(parameters, change, sequence, dtype) for sequence in tokens]
    summed = total(parts)
    positions = tokens[:, 1:].size
    value, magnitude, inherited = (
        part / positions for part in (summed.value, summed.magnitude, summed.error)
    )
    mean = computed(value, magnitude, inherited, 1, dtype)
    return float(mean.value), float(mean.error)


def _of_sequence(
    parameters: Mapping[str, np.ndarray], change: Mapping[str, np.ndarray], sequence: np.ndarray, dtype: str
) -> Rounded:
    """The change of the loss summed over the positions of one sequence."""

    def both(group: str, layer: int | None = None) -> tuple[Rounded, Rounded]:
        value = parameters[group]
        moved = change.get(group, np.zeros_like(value))
        one, other = (value, moved) if layer is None else (value[layer], moved[layer])
        return exact(one, dtype), exact(other, dtype)

    T, V = len(sequence) - 1, len(parameters["W_O"])
    visible = np.tril(np.ones((T, T), dtype=bool))
    h, dh = exact(np.eye(V)[sequence[:-1]], dtype), exact(np.zeros((T, V)), dtype)
    for n in range(len(parameters["V"])):
        (W, dW), (P, dP), (v, dv) = both("W", n), both("P", n), both("V", n)
        A = softmax(h @ W @ h.T + by_distance(P), visible)
        after, v_after = h + dh, v + dv
        dS = total([dh @ (W + dW) @ after.T, h @ dW @ after.T, h @ W @ dh.T, by_distance(dP)])
        dA = _moved_softmax(A, _where(visible, dS))
        dh = total([dh, dA @ after @ v_after, A @ dh @ v_after, A @ h @ dv])
        h = h + A @ h @ v
    W_O, dW_O = both("W_O")
    dF = dh @ (W_O + dW_O) + h @ dW_O
    grown = _log1p((softmax(h @ W_O) * _expm1(dF)).row_sums())
    at = (np.arange(T), sequence[1:])
    own = Rounded(dF.value[at][:, None], dF.magnitude[at][:, None], dF.error[at][:, None], dtype)
    each = (grown - own).T
    summed = each.row_sums()
    return Rounded(summed.value[0, 0], summed.magnitude[0, 0], summed.error[0, 0], dtype)


def _moved_softmax(A: Rounded, dS: Rounded) -> Rounded:
    e = _expm1(dS)
    m = (A * e).row_sums()
    ones = exact(np.ones_like(m.value), A.dtype)
    return A * _over(e - _across(m, e), ones + m)


def _expm1(z: Rounded) -> Rounded:
    if z.error.max(initial=0.0) > LARGEST_MOVE or z.value.max(initial=0.0) > LARGEST_MOVE:
        raise NothingKnown("rounding may move an exponent so far that its power can be anything")
    value = np.expm1(z.value)
    inherited = np.exp(z.value) * np.expm1(z.error)
    return computed(value, np.abs(value), inherited, ELEMENTARY_ULPS, z.dtype)


def _log1p(m: Rounded) -> Rounded:
    least = 1 + m.value - m.error
    if (least <= 0).any():
        raise NothingKnown("rounding may turn a sum of probabilities negative")
    value = np.log1p(m.value)
    return computed(value, np.abs(value), m.error / least, ELEMENTARY_ULPS, m.dtype)


def _over(numerator: Rounded, denominator: Rounded) -> Rounded:
    """A quotient by a column of positive numbers."""
    least = denominator.value - denominator.error
    if (least <= 0).any():
        raise NothingKnown("rounding may turn a sum of probabilities negative")
    value, magnitude = numerator.value / denominator.value, numerator.magnitude / denominator.value
    inherited = (numerator.error + magnitude * denominator.error) / least
    return computed(value, magnitude, inherited, 1, numerator.dtype)


def _across(column: Rounded, like: Rounded) -> Rounded:
    shape = like.value.shape
    value, magnitude, error = (
        np.broadcast_to(part, shape) for part in (column.value, column.magnitude, column.error)
    )
    return Rounded(value, magnitude, error, column.dtype)


def _where(visible: np.ndarray, z: Rounded) -> Rounded:
    value, magnitude, error = (np.where(visible, part, 0.0) for part in (z.value, z.magnitude, z.error))
    return Rounded(value, magnitude, error, z.dtype)
