"""Gradient descent step by step, by an implementation's gradients."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from jaxtyping import Int64

from reference.model import zero_parameters

Parameters = dict[str, np.ndarray]


def implementation(dtype: str) -> Any:
    """Return what computes gradients and losses in a number type: torch, or NumPy without it (float64)."""
    if find_spec("torch") is None:
        import reference.implementation as plain

        return plain.implementation
    from gpu.implementation import Gpu

    return Gpu(dtype)


def available(dtype: str) -> bool:
    """Return whether there is an implementation for a number type."""
    return dtype == "float64" or find_spec("torch") is not None


def descend(
    by: Any,
    batches: Iterator[Int64[np.ndarray, "n T_plus_1"]],
    start: Mapping[str, np.ndarray],
    rate: float,
    dtype: str,
) -> Iterator[Parameters]:
    """Yield the parameters before the first batch, and after a step at `rate` on each."""
    number = np.dtype(dtype).type
    at = {group: value.astype(dtype) for group, value in start.items()}
    yield at
    for tokens in batches:
        gradient = by.gradients(at, tokens)
        at = {group: at[group] - number(rate) * np.asarray(gradient[group], dtype=dtype) for group in at}
        yield at


def last(run: Iterator[Parameters]) -> Parameters:
    """Return the parameters at the end of a run."""
    return deque(run, maxlen=1)[0]


def zeros(vocab_size: int, length: int, layers: int) -> Parameters:
    """Return the zero start."""
    return zero_parameters(vocab_size, length, layers)


def gaussian(vocab_size: int, length: int, layers: int, size: float, seed: int) -> Parameters:
    """Return a Gaussian start of entries with standard deviation size / V (paper, Thm. D.13, xi = 0)."""
    chance = np.random.default_rng(seed)
    return {
        group: chance.normal(size=value.shape) * (size / vocab_size)
        for group, value in zeros(vocab_size, length, layers).items()
    }
