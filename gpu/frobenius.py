"""The Frobenius direction of an array, whatever its size."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def unit(array: Float[Tensor, "*shape"], axes: int | None = None) -> Float[Tensor, "*shape"]:
    """Return array / |array| in the Frobenius norm, and zeros for an array of zeros.

    The norm is over the last `axes` axes, over all of them by default. Entries are divided by the largest
    first, so that their squares neither vanish nor overflow.
    """
    if not array.numel():
        return torch.zeros_like(array)
    over = tuple(range(array.ndim)) if axes is None else tuple(range(-axes, 0))
    size = array.abs().amax(dim=over, keepdim=True) if over else array.abs()
    scaled = array / torch.where(size > 0, size, 1.0)
    norm = torch.linalg.vector_norm(scaled, dim=over, keepdim=True) if over else scaled.abs()
    return torch.div(scaled, torch.where(size > 0, norm, 1.0))
