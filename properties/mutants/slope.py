"""The gradient of whatever a loss computes, slips included: what autograd makes of a slipped model.

For an analytic function f and a real step h, f(x + ih) = f(x) + ih f'(x) - O(h^2), so that Im f(x + ih) / h
is f'(x) but for O(h^2). Nothing is subtracted, h can be as small as it likes, and the slope is right to
rounding (the complex step). The gradients of `plain_training` are those of the right model; behind a slipped
one they would be neither its gradients nor the right ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from properties.mutants.plain_model import Parameters

# Its square is nothing beside any slope, and it is far from the smallest number.
STEP = 2.0**-300


def slope_of(
    loss: Callable[[Parameters, np.ndarray], Any], parameters: Parameters, tokens: np.ndarray
) -> dict[str, np.ndarray]:
    """Return dloss/dparameter by name, float64, of the shapes of the parameters, on tokens [N, T+1]."""
    point = {name: value.astype(np.complex128) for name, value in parameters.items()}
    slope = {}
    for name, value in point.items():
        along = np.zeros(value.shape)
        for index in np.ndindex(value.shape):
            moved = value.copy()
            moved[index] += 1j * STEP
            along[index] = np.imag(loss({**point, name: moved}, tokens)) / STEP
        slope[name] = along
    return slope
