"""Changing a weight to see what it does: removing its part along a direction."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from gpu.frobenius import unit


def remove_projection(
    weight: Float[Tensor, "*shape"], direction: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """Return W - <W, D> / <D, D> D in the Frobenius inner product; a copy of W where D is zero."""
    along = unit(direction)
    # The second pass takes off what rounding in the first one left along the direction.
    return _less(_less(weight, along), along)


def _less(weight: Float[Tensor, "*shape"], along: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    rest: Tensor = weight - torch.sum(weight * along) * along
    return rest
