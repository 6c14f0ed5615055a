"""Several small GPTs in one: every weight has a leading axis of models, so that seeds train together.

For tokens x and each of M models, with h [M, N, T, d] the residual stream:

    h = W_E[x] + W_pos
    per layer   q, k, v = read(h) W_Q, W_K, W_V     A = softmax(q k^T / sqrt(d/H)) over earlier positions
                h <- h + concat over heads (A v) W_O
                h <- h + gelu(read(h) W_in + b_in) W_out + b_out        where there is a perceptron
    logits      read(h) W_U

read(h) is h, or h centred and scaled to unit variance where the model is normalised. W_O [d, d] mixes heads:
before it, head h is the features h d/H to (h+1) d/H; after it every feature holds all heads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional

from gpu.small_gpt.config import Config
from reference.errors import InputError

NORM_FLOOR = 1e-5


def _unchanged(layer: int, value: Tensor) -> Tensor:
    return value


def _read_unchanged(layer: int, role: str, stream: Tensor) -> Tensor:
    return stream


@dataclass(frozen=True)
class Edits:
    """What to change inside a forward pass; each takes the layer and a tensor and returns another.

    Attributes:
        mixed: [M, H, N, T, k], what the heads gathered, before the output projection mixes them.
        projected: [M, N, T, d], after it, as it is added to the stream.
        read: [M, 1, N, T, d], the stream as the heads' "query", "key" or "value" side reads it; a first axis
            of H instead of 1 gives each head a stream of its own.
        stream: [M, N, T, d], the residual stream before layer 0, 1, ... and, as layer L, before the logits.
    """

    mixed: Callable[[int, Tensor], Tensor] = _unchanged
    projected: Callable[[int, Tensor], Tensor] = _unchanged
    read: Callable[[int, str, Tensor], Tensor] = _read_unchanged
    stream: Callable[[int, Tensor], Tensor] = _unchanged


@dataclass(frozen=True)
class Trace:
    """What a forward pass computed.

    Attributes:
        logits: [M, N, T, V].
        attention: per layer [M, H, N, T, T], after the softmax.
        mixed: per layer [M, H, N, T, k], what the heads gathered.
        streams: the residual stream [M, N, T, d] before each layer and after the last.
    """

    logits: Float[Tensor, "M N T V"]
    attention: list[Float[Tensor, "M H N T T"]] = field(default_factory=list)
    mixed: list[Float[Tensor, "M H N T k"]] = field(default_factory=list)
    streams: list[Float[Tensor, "M N T d"]] = field(default_factory=list)


class SmallGPT(nn.Module):
    """M small GPTs; `seeds` are theirs, and model m is the same as the only one of its seed.

    Attributes:
        weights: by name. W_E [M, V, d], W_pos [M, T, d], W_U [M, d, V]; W_Q, W_K, W_V, W_O [M, L, d, d],
            heads side by side; with a perceptron W_in [M, L, d, 4d], b_in [M, L, 4d], W_out [M, L, 4d, d] and
            b_out [M, L, d].
    """

    def __init__(self, config: Config, seeds: tuple[int, ...], dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.config, self.seeds = config, seeds
        V, T, L, d = config.vocab_size, config.context, config.layers, config.width
        shapes: dict[str, tuple[int, ...]] = {"W_E": (V, d), "W_pos": (T, d), "W_U": (d, V)}
        shapes |= dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (L, d, d))
        if config.mlp:
            shapes |= {"W_in": (L, d, 4 * d), "b_in": (L, 4 * d), "W_out": (L, 4 * d, d), "b_out": (L, d)}
        drawn = [_drawn(shapes, seed, config.deviation) for seed in seeds]
        self.weights = nn.ParameterDict(
            {name: nn.Parameter(torch.stack([one[name] for one in drawn]).to(dtype)) for name in shapes}
        )

    def forward(
        self, tokens: Int64[Tensor, "*shape"], edits: Edits | None = None
    ) -> Float[Tensor, "M N T V"]:
        """Return the logits of the next token; tokens are [N, T] for all models or [M, N, T]."""
        return self.run(tokens, edits).logits

    def run(self, tokens: Int64[Tensor, "*shape"], edits: Edits | None = None) -> Trace:
        """Return everything that a forward pass computes, with `edits` made on the way.

        Raises:
            InputError: the tokens are longer than the context, or of no or another number of models.
        """
        edits = edits or Edits()
        attention, all_mixed, streams = [], [], []
        h = self._embedded(self._checked(tokens))  # [M, N, T, d]
        for layer in range(self.config.layers):
            h = edits.stream(layer, h)
            streams.append(h)
            A, mixed = self._attend(layer, h, edits)
            attention.append(A)
            all_mixed.append(mixed)
            h = h + edits.projected(layer, self._project(layer, mixed))
            if self.config.mlp:
                h = h + self._perceptron(layer, h)
        h = edits.stream(self.config.layers, h)
        streams.append(h)
        # One product a model: one a sequence would copy W_U for each of them.
        logits = self._read(h).flatten(1, 2) @ self.weights["W_U"]
        logits = logits.view(*h.shape[:3], -1)
        return Trace(logits, attention, all_mixed, streams)

    def losses(self, tokens: Int64[Tensor, "*shape"], edits: Edits | None = None) -> Float[Tensor, "M N T"]:
        """Return the cross-entropy in nats at each position of tokens [N, T+1] or [M, N, T+1]."""
        logits = self(tokens[..., :-1], edits)
        following = tokens[..., 1:].expand(logits.shape[:-1])
        flat = functional.cross_entropy(logits.flatten(0, 2), following.flatten(), reduction="none")
        return flat.view(following.shape)

    def only(self, number: int) -> SmallGPT:
        """Return a copy of one of the models, alone."""
        alone = SmallGPT(self.config, (self.seeds[number],), dtype=self.weights["W_E"].dtype)
        with torch.no_grad():
            for name, value in alone.weights.items():
                value.copy_(self.weights[name][number : number + 1])
        return alone

    def work(self, positions: int) -> int:
        """Return about how many multiply-adds a forward pass over that many positions of each model takes."""
        d, sizes = self.config.width, 12 if self.config.mlp else 4
        each = self.config.layers * (sizes * d * d + 2 * self.config.context * d) + d * self.config.vocab_size
        return len(self.seeds) * positions * each

    def head_outputs(self, layer: int, mixed: Float[Tensor, "M H N T k"]) -> Float[Tensor, "M H N T d"]:
        """Return what each head adds to the stream: its features times its rows of W_O."""
        return mixed @ self.by_head("W_O", layer)[:, :, None]

    def by_head(self, name: str, layer: int) -> Float[Tensor, "M H a b"]:
        """Return W_Q, W_K or W_V [M, H, d, k], or W_O [M, H, k, d], of a layer."""
        M, H, d, k = len(self.seeds), self.config.heads, self.config.width, self.config.head_width
        whole = self.weights[name][:, layer]
        if name == "W_O":
            by_head: Tensor = whole.view(M, H, k, d)
            return by_head
        separate: Tensor = whole.view(M, d, H, k).transpose(1, 2)
        return separate

    def _checked(self, tokens: Tensor) -> Tensor:
        M = len(self.seeds)
        shaped = tokens[None] if tokens.ndim == 2 else tokens
        if shaped.ndim != 3 or shaped.shape[0] not in (1, M):
            raise InputError(
                f"Tokens of shape {list(tokens.shape)} fit no {M} models; give [N, T] or [{M}, N, T]."
            )
        if shaped.shape[-1] > self.config.context:
            raise InputError(
                f"{shaped.shape[-1]} tokens exceed the context of {self.config.context}; give fewer."
            )
        return shaped.expand(M, -1, -1)

    def _embedded(self, tokens: Int64[Tensor, "M N T"]) -> Float[Tensor, "M N T d"]:
        M, _, T = tokens.shape
        rows = tokens + self.config.vocab_size * torch.arange(M, device=tokens.device)[:, None, None]
        h = functional.embedding(rows, self.weights["W_E"].flatten(0, 1))
        return h + self.weights["W_pos"][:, None, :T] if self.config.positions else h

    def _attend(self, layer: int, h: Tensor, edits: Edits) -> tuple[Tensor, Tensor]:
        def side(role: str, name: str) -> Tensor:
            stream = self._read(edits.read(layer, role, h[:, None]))  # [M, 1 or H, N, T, d]
            return self._by_heads(stream, self.weights[name][:, layer])

        q, k, v = side("query", "W_Q"), side("key", "W_K"), side("value", "W_V")  # [M, H, N, T, k]
        scores = q @ k.mT / self.config.head_width**0.5
        above = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        A = scores.masked_fill(above, -torch.inf).softmax(dim=-1)
        return A, edits.mixed(layer, A @ v)

    def _by_heads(self, stream: Tensor, weight: Tensor) -> Tensor:
        """Return [M, H, N, T, k] from a stream [M, 1 or H, N, T, d] and heads side by side [M, d, d]."""
        M, own, N, T, d = stream.shape
        H, k = self.config.heads, self.config.head_width
        if own == 1:
            flat = stream.reshape(M, N * T, d) @ weight  # one product for all heads
            return flat.view(M, N, T, H, k).permute(0, 3, 1, 2, 4)
        by_head: Tensor = stream @ weight.view(M, d, H, k).transpose(1, 2)[:, :, None]
        return by_head

    def _project(self, layer: int, mixed: Float[Tensor, "M H N T k"]) -> Float[Tensor, "M N T d"]:
        M, H, N, T, k = mixed.shape
        concatenated = mixed.permute(0, 2, 3, 1, 4).reshape(M, N * T, H * k)
        projected: Tensor = concatenated @ self.weights["W_O"][:, layer]
        return projected.view(M, N, T, H * k)

    def _perceptron(self, layer: int, h: Float[Tensor, "M N T d"]) -> Float[Tensor, "M N T d"]:
        W_in, b_in = self.weights["W_in"][:, layer], self.weights["b_in"][:, layer]
        W_out, b_out = self.weights["W_out"][:, layer], self.weights["b_out"][:, layer]
        inner = self._read(h).flatten(1, 2) @ W_in + b_in[:, None]
        outer: Tensor = functional.gelu(inner) @ W_out + b_out[:, None]
        return outer.reshape(h.shape)

    def _read(self, h: Tensor) -> Tensor:
        if not self.config.normalised:
            return h
        return functional.layer_norm(h, h.shape[-1:], eps=NORM_FLOOR)


def _drawn(shapes: dict[str, tuple[int, ...]], seed: int, deviation: float) -> dict[str, Tensor]:
    """Return one model's start: Gaussian, biases zero, drawn in float64 so that every type starts alike."""
    generator = torch.Generator().manual_seed(seed)
    return {
        name: torch.zeros(shape, dtype=torch.float64)
        if name.startswith("b_")
        else deviation * torch.randn(shape, generator=generator, dtype=torch.float64)
        for name, shape in shapes.items()
    }
