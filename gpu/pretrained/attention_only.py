"""Attention-only models without norms, as interpretability work trains them, in TransformerLens's names.

The parameters are embed.W_E [V, d], pos_embed.W_pos [P, d] and, for each layer l, blocks.l.attn.W_Q, W_K,
W_V [H, d, k], W_O [H, k, d], b_Q, b_K, b_V [H, k], b_O [d]. Positions are "standard", added to the stream,
or "shortformer", added to what queries and keys of every layer are made of, and never to values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from gpu.pretrained.token_model import Heads, Sizes, Streams, Tokens
from reference.errors import InputError

Positions = Literal["standard", "shortformer"]
POSITIONS: tuple[str, ...] = get_args(Positions)
WEIGHTS = ("W_Q", "W_K", "W_V", "W_O")
BIASES = ("b_Q", "b_K", "b_V", "b_O")
PARTS = {"W_E", "W_pos", *WEIGHTS, *BIASES}


class AttentionOnlyModel:
    """A model of attention layers and nothing else.

    Args:
        parameters: by name.
        positions: where the positions enter.
        begin: the number of the token that begins a sequence, if there is one.
        name: for messages.

    Raises:
        InputError: a parameter is missing or does not fit.
    """

    def __init__(
        self, parameters: Mapping[str, Tensor], positions: Positions, begin: int | None, name: str
    ) -> None:
        # Files hold masks and the like as well.
        self._parameters = {n: one for n, one in parameters.items() if n.rsplit(".", 1)[-1] in PARTS}
        self._positions, self._name = positions, name
        self._W_E, self._W_pos = self._named("embed.W_E"), self._named("pos_embed.W_pos")
        layers = 0
        while f"blocks.{layers}.attn.W_Q" in parameters:
            layers += 1
        if not layers:
            raise InputError(f"{name} has no parameter 'blocks.0.attn.W_Q'; a model needs a layer.")
        first = parameters["blocks.0.attn.W_Q"]
        H, d, k = (len(first), self._W_E.shape[1], first.shape[-1])
        for layer in range(layers):
            for group in WEIGHTS:
                shape = (H, k, d) if group == "W_O" else (H, d, k)
                found = tuple(self._of(layer, group).shape)
                if found != shape:
                    raise InputError(
                        f"blocks.{layer}.attn.{group} of {name} has shape {list(found)}; with embed.W_E "
                        f"[V, {d}] and blocks.0.attn.W_Q {list(first.shape)} it must be {list(shape)}."
                    )
        self.sizes = Sizes(
            kind="attention_only",
            layers=layers,
            heads=H,
            width=d,
            vocab_size=len(self._W_E),
            longest=len(self._W_pos),
            begin=begin,
        )

    def streams(self, ids: Int64[Tensor, " n"]) -> Streams:
        """Return the stream of each token by itself, a sequence of one token."""
        before, added, _ = self._run(ids[:, None])
        return Streams([one[:, 0] for one in before], [one[:, 0] for one in added])

    def heads(self, layer: int) -> Heads:
        """Return the heads of a layer."""
        W_Q, W_K, W_V, W_O = (self._of(layer, group) for group in WEIGHTS)
        return Heads(W_Q, W_K, W_V, W_O, self._bias(layer, "b_Q"))

    def scales(self, stream: Float[Tensor, "n d"], layer: int) -> Float[Tensor, " n"]:
        """Return ones: there is no norm."""
        return stream.new_ones(len(stream))

    def attention(self, tokens: Tokens) -> list[Float[Tensor, "N H T T"]]:
        """Return the attention maps, layer by layer."""
        return self._run(tokens)[2]

    def first_values(self, tokens: Tokens) -> Float[Tensor, "N T d"]:
        """Return what the value matrices of the first layer are applied to."""
        return self._run(tokens)[0][0]

    def embeddings(self) -> tuple[Float[Tensor, "V d"], Float[Tensor, "P d"] | None]:
        """Return the embeddings of tokens and positions."""
        return self._W_E, self._W_pos

    def untrained(self, seed: int) -> AttentionOnlyModel:
        """Return a model with Gaussian weights, each as large as in this one, and no biases."""
        random = torch.Generator().manual_seed(seed)

        def drawn(name: str, value: Tensor) -> Tensor:
            if name.rsplit(".", 1)[-1] in BIASES:
                return torch.zeros_like(value)
            noise = torch.randn(value.shape, generator=random, dtype=torch.float64)
            size = torch.linalg.vector_norm(value.double()).cpu() / value.numel() ** 0.5
            random_value: Tensor = (noise * size).to(value)
            return random_value

        parameters = {name: drawn(name, value) for name, value in sorted(self._parameters.items())}
        return AttentionOnlyModel(parameters, self._positions, self.sizes.begin, f"{self._name}, untrained")

    def _run(self, tokens: Tokens) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
        """Return the stream before each layer and at the end, what attention adds, and its maps."""
        x, places = self._W_E[tokens.to(self._W_E.device)], self._W_pos[: tokens.shape[1]]
        if self._positions == "standard":
            x = x + places
        before, added, maps = [x], [], []
        hidden = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool, device=x.device).triu(1)
        for layer in range(self.sizes.layers):
            heads = self.heads(layer)
            read = x + places if self._positions == "shortformer" else x
            q = torch.einsum("ntd,hdk->nhtk", read, heads.W_Q) + heads.b_Q[:, None]
            k = torch.einsum("ntd,hdk->nhtk", read, heads.W_K) + self._bias(layer, "b_K")[:, None]
            v = torch.einsum("ntd,hdk->nhtk", x, heads.W_V) + self._bias(layer, "b_V")[:, None]
            scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(hidden, -torch.inf)
            A = scores.softmax(dim=-1)
            out = torch.einsum("nhtk,hkd->ntd", A @ v, heads.W_O) + self._bias(layer, "b_O")
            x = x + out
            before.append(x)
            added.append(out)
            maps.append(A)
        return before, added, maps

    def _named(self, name: str) -> Tensor:
        if name not in self._parameters:
            raise InputError(f"{self._name} has no parameter '{name}'; an attention-only model needs it.")
        return self._parameters[name]

    def _of(self, layer: int, group: str) -> Tensor:
        return self._named(f"blocks.{layer}.attn.{group}")

    def _bias(self, layer: int, group: str) -> Tensor:
        """Return a bias, zeros where the model has none."""
        W = self._of(layer, "W_" + group[-1])
        shape = (W.shape[-1],) if group == "b_O" else (len(W), W.shape[-1])
        zeros: Tensor = W.new_zeros(shape)
        return self._parameters.get(f"blocks.{layer}.attn.{group}", zeros)
