"""An attention-only transformer with given weights: embeddings, layers of heads, and what can be removed.

Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.model import softmax
from reference.multi_head import Heads, attention_maps, head_outputs


@dataclass(frozen=True)
class AttentionOnly:
    """W_E [V, d], W_pos [T, d], the heads of each layer, and W_U [d, V]."""

    W_E: Float64[np.ndarray, "V d"]
    W_pos: Float64[np.ndarray, "T d"]
    layers: tuple[Heads, ...]
    W_U: Float64[np.ndarray, "d V"]


@dataclass(frozen=True)
class Pass:
    """A forward pass: the logits, each layer's attention maps, and the stream before each layer and after."""

    logits: Float64[np.ndarray, "N T V"]
    attention: list[Float64[np.ndarray, "H N T T"]]
    streams: list[Float64[np.ndarray, "N T d"]]


def run(
    model: AttentionOnly, tokens: Int64[np.ndarray, "N T"], ablated: Collection[tuple[int, int]] = ()
) -> Pass:
    """Return the forward pass without the heads in `ablated`, each (layer, head)."""
    streams = [model.W_E[tokens] + model.W_pos[: tokens.shape[1]]]
    maps = []
    for layer, heads in enumerate(model.layers):
        maps.append(attention_maps(heads, streams[-1]))
        outputs = head_outputs(heads, streams[-1], maps[-1])
        outputs[[head for at, head in ablated if at == layer]] = 0.0
        streams.append(streams[-1] + outputs.sum(axis=0))
    return Pass(streams[-1] @ model.W_U, maps, streams)


def losses(
    logits: Float64[np.ndarray, "N T V"], following: Int64[np.ndarray, "N T"]
) -> Float64[np.ndarray, "N T"]:
    """Return the cross-entropy in nats of the token that follows at each position."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    chosen = np.take_along_axis(shifted, following[..., None], axis=-1)[..., 0]
    return np.log(np.exp(shifted).sum(axis=-1)) - chosen


def predictions(logits: Float64[np.ndarray, "N T V"]) -> Float64[np.ndarray, "N T V"]:
    """Return the predicted distribution over the next token at each position."""
    return softmax(logits)
