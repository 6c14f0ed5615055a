"""Hold a comparison to its bound: the error of each entry over what it may be."""

from __future__ import annotations

import numpy as np

from properties.check import Comparison


def arrays(comparison: Comparison) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return got and expected, float64 of any shape, and the bound, of the shape of what is expected."""
    got = np.asarray(comparison.got, dtype=np.float64)
    expected = np.asarray(comparison.expected, dtype=np.float64)
    return got, expected, np.broadcast_to(np.asarray(comparison.bound, dtype=np.float64), expected.shape)


def error_over_bound(comparison: Comparison) -> np.ndarray:
    """Return error / bound, of the same shape: infinite for NaN and where a bound of 0 is not met.

    Raises:
        ValueError: the shapes differ.
    """
    got, expected, bound = arrays(comparison)
    if got.shape != expected.shape:
        raise ValueError(f"its shape is {list(got.shape)}, not {list(expected.shape)}")
    error = np.abs(got - expected)
    ratio = np.divide(error, bound, out=np.where(error == 0, 0.0, np.inf), where=bound > 0)
    return np.where(np.isnan(error), np.inf, ratio)
