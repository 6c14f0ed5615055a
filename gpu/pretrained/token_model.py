"""What is asked of a pretrained model, whatever library it comes from.

Vectors are rows: a head's query for the stream x [d] is x W_Q. What a norm does before a head reads is folded
into the head. LayerNorm gives LN(x) = x N / sigma(x) + beta, with N = (I - 1 1^T / d) diag(gamma); so
LN(x) W_Q + b_Q = (x / sigma) (N W_Q) + (beta W_Q + b_Q), and W_Q stands for N W_Q from then on. For RMSNorm
N = diag(gamma) and beta = 0; without a norm N = I and sigma = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from jaxtyping import Float, Int64
from torch import Tensor

Tokens = Int64[Tensor, "N T"]


@dataclass(frozen=True)
class Heads:
    """The weights of one layer's heads, its norm folded in; H heads of k dimensions, a stream of d.

    Attributes:
        W_Q, W_K, W_V: [H, d, k], from the stream.
        W_O: [H, k, d], into the stream.
        b_Q: [H, k], the norm's part in it; the bias of the keys moves a row of scores as a whole, which no
            attention sees.
    """

    W_Q: Float[Tensor, "H d k"]
    W_K: Float[Tensor, "H d k"]
    W_V: Float[Tensor, "H d v"]
    W_O: Float[Tensor, "H v d"]
    b_Q: Float[Tensor, "H k"]


@dataclass(frozen=True)
class Streams:
    """The residual stream of sequences of a single token, for n tokens.

    Attributes:
        before: for each layer [n, d], what it finds, and last what the last layer leaves.
        attention: for each layer [n, d], what its attention adds.
    """

    before: list[Float[Tensor, "n d"]]
    attention: list[Float[Tensor, "n d"]]

    def without_mlp(self, layer: int) -> Float[Tensor, "n d"]:
        """Return what the layer's attention leaves: its input and its attention."""
        return self.before[layer] + self.attention[layer]

    def output(self, layer: int) -> Float[Tensor, "n d"]:
        """Return what the layer leaves, with its MLP if it has one."""
        return self.before[layer + 1]


@dataclass(frozen=True)
class Sizes:
    """What a model is made of.

    Attributes:
        kind: gpt_neox, llama, ..., or attention_only.
        layers, heads: heads are counted in one layer.
        width: d, of the residual stream.
        vocab_size: V, of the output.
        longest: the longest sequence that it reads.
        begin: the number of the token that begins a sequence, if there is one.
    """

    kind: str
    layers: int
    heads: int
    width: int
    vocab_size: int
    longest: int
    begin: int | None


@runtime_checkable
class TokenModel(Protocol):
    """A pretrained model, in the terms of its heads and its residual stream."""

    sizes: Sizes

    def streams(self, ids: Int64[Tensor, " n"]) -> Streams:
        """Return the stream of each token by itself, a sequence of one token."""

    def heads(self, layer: int) -> Heads:
        """Return the heads of a layer."""

    def scales(self, stream: Float[Tensor, "n d"], layer: int) -> Float[Tensor, " n"]:
        """Return 1/sigma, by which the norm before a layer's heads divides each row."""

    def attention(self, tokens: Tokens) -> list[Float[Tensor, "N H T T"]]:
        """Return the attention maps, layer by layer."""

    def first_values(self, tokens: Tokens) -> Float[Tensor, "N T d"]:
        """Return what the value matrices of the first layer are applied to."""

    def embeddings(self) -> tuple[Float[Tensor, "V d"], Float[Tensor, "P d"] | None]:
        """Return the embeddings of tokens, and of positions if they are learned."""

    def untrained(self, seed: int) -> TokenModel:
        """Return the same architecture with random weights, as it begins training."""
