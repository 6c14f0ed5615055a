"""How loud heads are in the residual stream, and how much of what they write was there already."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor


def relative_output(
    output: Float[Tensor, "*heads T d"], stream: Float[Tensor, "*heads T d"]
) -> Float[Tensor, "*heads"]:
    """Return the mean of |output| / |stream| over the positions where the stream is not zero."""
    size, stream_size = output.norm(dim=-1), stream.norm(dim=-1)
    there = stream_size > 0
    ratio = torch.where(there, size / stream_size, 0.0)
    mean: Tensor = ratio.sum(dim=-1) / there.sum(dim=-1).clamp(min=1)
    return mean


def copying_cosine(
    output: Float[Tensor, "*heads T d"], stream: Float[Tensor, "*heads T d"]
) -> Float[Tensor, "*heads"]:
    """Return the mean over positions of the cosine between output and stream; 0 where either is zero."""
    inner = (output * stream).sum(dim=-1)
    size = output.norm(dim=-1) * stream.norm(dim=-1)
    return torch.where(size > 0, inner / size, 0.0).mean(dim=-1)
