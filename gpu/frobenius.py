"""The Frobenius direction of an array, whatever its size."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def unit(array: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Return array / |array| in the Frobenius norm, and zeros for an array of zeros.

    Entries are divided by the largest first, so that their squares neither vanish nor overflow.
    """
    size = array.abs().max() if array.numel() else array.new_zeros(())
    if size == 0:
        return torch.zeros_like(array)
    scaled = array / size
    return torch.div(scaled, torch.linalg.vector_norm(scaled))
