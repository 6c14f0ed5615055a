"""Changing a weight to see what it does: removing its part along a direction."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from reference.errors import InputError


def remove_projection(
    weight: Float64[np.ndarray, "*shape"], direction: Float64[np.ndarray, "*shape"]
) -> Float64[np.ndarray, "*shape"]:
    """Return W - <W, D> / <D, D> D, in the Frobenius inner product; W itself where the direction is zero.

    The direction is scaled to a largest entry of 1 first, so that its square cannot vanish or overflow.

    Source: paper, Table 3 (each leading-term projection removed). Of all matrices without a part along D it
    is the one nearest to W: what is taken off is a multiple of D, so orthogonal to every difference of two.

    Raises:
        InputError: their shapes differ.
    """
    if weight.shape != direction.shape:
        raise InputError(
            f"The weight has the shape {list(weight.shape)} and the direction {list(direction.shape)}; "
            "give equal shapes."
        )
    largest = np.abs(direction).max(initial=0.0)
    if largest == 0:
        return weight.copy()
    unit = direction / largest
    unit = unit / np.linalg.norm(unit)
    # A second pass removes what rounding left of the first.
    once = weight - (weight * unit).sum() * unit
    removed: np.ndarray = once - (once * unit).sum() * unit
    return removed
