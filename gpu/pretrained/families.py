"""Where the parts of a model of the transformers library are, by family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn

from gpu.pretrained.token_model import Heads
from reference.errors import InputError


@dataclass(frozen=True)
class Projections:
    """The projections of one layer's attention, H heads of k dimensions.

    W_Q, W_K, W_V are [H, d, k], W_O [H, k, d], b_Q [H, k].
    """

    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    W_O: Tensor
    b_Q: Tensor


@dataclass(frozen=True)
class Family:
    """The names of a family's parts, as paths of attributes, and how it lays out its heads.

    Attributes:
        layers, tokens, positions: of the model; positions is None where they are not learned.
        attention, norm: of a layer; the norm is the one through which the heads read.
        projections: from a layer's attention and the number of heads.
    """

    layers: str
    tokens: str
    positions: str | None
    attention: str
    norm: str
    projections: Callable[[Any, int], Projections]

    def embeddings(self, model: Any) -> tuple[Tensor, Tensor | None]:
        """Return the embeddings of tokens [V, d] and of positions [longest, d]."""
        tokens: Tensor = attrgetter(self.tokens)(model).weight
        return tokens, None if self.positions is None else attrgetter(self.positions)(model).weight


def gpt_neox_projections(attention: Any, heads: int) -> Projections:
    """Return the projections of GPT-NeoX: query, key and value of a head lie next to each other."""
    joint, out = attention.query_key_value, attention.dense
    d = joint.weight.shape[1]
    k = len(joint.weight) // (3 * heads)
    W = joint.weight.view(heads, 3, k, d).mT  # Linear has [out, in]
    b = _bias(joint).view(heads, 3, k)
    return Projections(W[:, 0], W[:, 1], W[:, 2], out.weight.T.reshape(heads, k, d), b[:, 0])


def llama_projections(attention: Any, heads: int) -> Projections:
    """Return the projections of Llama: three, and those that heads share once for each head."""
    d = attention.q_proj.weight.shape[1]
    k = len(attention.q_proj.weight) // heads
    shared = heads * k // len(attention.k_proj.weight)

    def by_head(projection: Any) -> Tensor:
        by: Tensor = projection.weight.view(-1, k, d).mT
        return by

    return Projections(
        by_head(attention.q_proj),
        by_head(attention.k_proj).repeat_interleave(shared, dim=0),
        by_head(attention.v_proj).repeat_interleave(shared, dim=0),
        attention.o_proj.weight.T.reshape(heads, k, d),
        _bias(attention.q_proj).view(heads, k),
    )


def gpt2_projections(attention: Any, heads: int) -> Projections:
    """Return the projections of GPT-2: all queries, then all keys, then all values, weights [in, out]."""
    joint, out = attention.c_attn, attention.c_proj
    d = len(joint.weight)
    k = d // heads
    W = joint.weight.view(d, 3, heads, k).permute(1, 2, 0, 3)
    return Projections(W[0], W[1], W[2], out.weight.view(heads, k, d), joint.bias.view(3, heads, k)[0])


def _bias(projection: Any) -> Tensor:
    """Return the bias of a projection, zeros where it has none."""
    weight: Tensor = projection.weight
    return weight.new_zeros(len(weight)) if projection.bias is None else projection.bias


GPT_NEOX = Family(
    layers="gpt_neox.layers",
    tokens="gpt_neox.embed_in",
    positions=None,  # queries and keys are rotated
    attention="attention",
    norm="input_layernorm",
    projections=gpt_neox_projections,
)
LLAMA = Family(
    layers="model.layers",
    tokens="model.embed_tokens",
    positions=None,
    attention="self_attn",
    norm="input_layernorm",
    projections=llama_projections,
)
GPT2 = Family(
    layers="transformer.h",
    tokens="transformer.wte",
    positions="transformer.wpe",
    attention="attn",
    norm="ln_1",
    projections=gpt2_projections,
)
# Families by the type that a configuration names.
FAMILIES = {"gpt_neox": GPT_NEOX, "gpt2": GPT2, **dict.fromkeys(("llama", "mistral", "qwen2"), LLAMA)}


def family_of(model_type: str, name: str) -> Family:
    """Return the family of a model type.

    Raises:
        InputError: its parts are not known here.
    """
    if model_type not in FAMILIES:
        raise InputError(
            f"{name} is a model of type '{model_type}'; those that can be examined are "
            f"{', '.join(sorted(FAMILIES))}, and attention-only models of TransformerLens."
        )
    return FAMILIES[model_type]


def folded(projections: Projections, norm: Any) -> Heads:
    """Return the heads with the norm before them folded in; see `gpu.pretrained.token_model`."""
    gamma: Tensor = norm.weight
    beta: Tensor | None = getattr(norm, "bias", None)

    def fold(W: Tensor) -> Tensor:
        scaled = gamma[:, None] * W
        return scaled - scaled.mean(dim=1, keepdim=True) if centres(norm) else scaled

    b_Q = projections.b_Q
    if beta is not None:
        b_Q = b_Q + torch.einsum("d,hdk->hk", beta, projections.W_Q)
    W_Q, W_K, W_V = (fold(W) for W in (projections.W_Q, projections.W_K, projections.W_V))
    return Heads(W_Q, W_K, W_V, projections.W_O, b_Q)


def centres(norm: Any) -> bool:
    """Return whether a norm takes the mean off, as LayerNorm does and RMSNorm does not."""
    return isinstance(norm, nn.LayerNorm)


def epsilon(norm: Any) -> float:
    """Return what a norm adds to the square of sigma."""
    return float(norm.eps if hasattr(norm, "eps") else norm.variance_epsilon)
