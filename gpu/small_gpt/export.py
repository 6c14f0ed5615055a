"""A small GPT's weights as NumPy arrays, for the reference and for reading its circuits."""

from __future__ import annotations

import numpy as np

from gpu.boundary import to_numpy
from gpu.small_gpt.model import SmallGPT
from reference.attention_only import AttentionOnly
from reference.errors import InputError
from reference.multi_head import Heads


def layer_heads(model: SmallGPT, number: int) -> tuple[Heads, ...]:
    """Return the heads of each layer of one model, float64."""

    def weight(name: str, layer: int) -> np.ndarray:
        of_all: np.ndarray = to_numpy(model.by_head(name, layer))
        one: np.ndarray = of_all[number].astype(np.float64)
        return one

    return tuple(
        Heads(*(weight(name, layer) for name in ("W_Q", "W_K", "W_V", "W_O")))
        for layer in range(model.config.layers)
    )


def attention_only(model: SmallGPT, number: int) -> AttentionOnly:
    """Return one model as the reference's attention-only transformer.

    Raises:
        InputError: it has perceptrons or normalisation, which that one has not.
    """
    config = model.config
    if config.mlp or config.normalised or not config.positions:
        raise InputError(
            "Only a model without perceptrons and normalisation, and with positions, is attention-only."
        )
    W_E, W_pos, W_U = (
        to_numpy(model.weights[name])[number].astype(np.float64) for name in ("W_E", "W_pos", "W_U")
    )
    return AttentionOnly(W_E, W_pos, layer_heads(model, number), W_U)


def embeddings(model: SmallGPT, number: int) -> dict[str, np.ndarray]:
    """Return the token embeddings [V, d] and position embeddings [T, d] of one model, float64."""
    return {
        name: to_numpy(model.weights[weight])[number].astype(np.float64)
        for name, weight in (("tokens", "W_E"), ("positions", "W_pos"))
    }
