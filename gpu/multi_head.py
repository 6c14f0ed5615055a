"""Multi-head causal attention with its output projection, and one head's part in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from gpu.model import causal_softmax
from reference.errors import InputError


def multi_head_output(
    weights: Mapping[str, Tensor], stream: Float[Tensor, "N T d"], ablated: Collection[int]
) -> Float[Tensor, "N T d"]:
    """Return the output of a layer without the heads in `ablated`.

    Weights are W_Q, W_K, W_V [H, d, k] and W_O [H, k, d]. The heads' features are put side by side, those of
    removed heads zeroed, and projected in one product.

    Raises:
        InputError: there is no such head.
    """
    q, k, v = (torch.einsum("ntd,hdk->hntk", stream, weights[name]) for name in ("W_Q", "W_K", "W_V"))
    H, N, T, width = q.shape
    unknown = [head for head in ablated if not 0 <= head < H]
    if unknown:
        raise InputError(f"There is no head {unknown[0]} among {H}; give numbers of 0 to {H - 1}.")
    scores = q @ k.mT / width**0.5  # [H, N, T, T]
    mixed = causal_softmax(scores.flatten(0, 1)).view(H, N, T, T) @ v  # [H, N, T, k]
    mixed[sorted(set(ablated))] = 0.0
    beside = mixed.permute(1, 2, 0, 3).flatten(2)  # [N, T, H k]
    return beside @ weights["W_O"].flatten(0, 1)
