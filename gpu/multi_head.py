"""Multi-head causal attention with its output projection, and one head's part in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from gpu.model import causal_softmax
from reference.multi_head import check_heads


def multi_head_output(
    weights: Mapping[str, Tensor], stream: Float[Tensor, "N T d"], ablated: Collection[int]
) -> Float[Tensor, "N T d"]:
    """Return the output of a layer without the heads in `ablated`.

    Weights are W_Q, W_K, W_V [H, d, k] and W_O [H, k, d]. The heads' features are put side by side, those of
    removed heads zeroed, and projected in one product.

    Raises:
        InputError: a weight is missing, their shapes do not fit together, or there is no such head.
    """
    check_heads({name: value.shape for name, value in weights.items()}, stream.shape, ablated)
    q, k, v = (torch.einsum("ntd,hdk->hntk", stream, weights[name]) for name in ("W_Q", "W_K", "W_V"))
    H, N, T, width = q.shape
    scores = q @ k.mT / width**0.5  # [H, N, T, T]
    mixed = causal_softmax(scores.flatten(0, 1)).view(H, N, T, T) @ v  # [H, N, T, k]
    mixed[sorted(set(ablated))] = 0.0
    beside = mixed.permute(1, 2, 0, 3).flatten(2)  # [N, T, H k]
    return beside @ weights["W_O"].flatten(0, 1)
