"""The attention-only transformer in token space (paper Def. 3.1) as a torch module.

h_0 = X (one-hot), and in layer l

    S = h W h^T + D(P)      scores, D(P)[t, k] = P[t-k]
    A = softmax(S)          by rows, over k <= t
    h <- h + A h V_l

with logits F = h_L W_O. This is the published, dense form: one-hot rows and full matrix products.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Activations:
    """What a forward pass computes: `h[l]` [N, T, V] for l = 0..L, `A[l]` [N, T, T], logits `F`."""

    h: list[Float[Tensor, "N T V"]]
    A: list[Float[Tensor, "N T T"]]
    F: Float[Tensor, "N T V"]


class Transformer(nn.Module):
    """L layers of attention without heads, value and query-key matrices [V, V], scores by distance.

    Attributes:
        W_O: [V, V].
        V: [L, V, V].
        W: [L, V, V].
        P: [L, T], by distance.
    """

    def __init__(self, parameters: Mapping[str, Tensor]) -> None:
        super().__init__()
        self.W_O = nn.Parameter(parameters["W_O"])
        self.V = nn.Parameter(parameters["V"])
        self.W = nn.Parameter(parameters["W"])
        self.P = nn.Parameter(parameters["P"])

    def forward(self, x: Int64[Tensor, "N T"]) -> Float[Tensor, "N T V"]:
        """Return the logits of the next token at each position of `x`."""
        return self.run(x).F

    def run(self, x: Int64[Tensor, "N T"]) -> Activations:
        """Return all activations (eq. 1-4)."""
        h = [functional.one_hot(x, len(self.W_O)).to(self.W_O.dtype)]  # [N, T, V]
        A: list[Tensor] = []
        for V, W, P in zip(self.V.unbind(), self.W.unbind(), self.P.unbind(), strict=True):
            scores = h[-1] @ W @ h[-1].mT + by_distance(P)  # [N, T, T]
            A.append(causal_softmax(scores))  # [N, T, T]
            h.append(h[-1] + A[-1] @ h[-1] @ V)  # [N, T, V]
        return Activations(h=h, A=A, F=h[-1] @ self.W_O)

    def loss(self, tokens: Int64[Tensor, "N T_plus_1"]) -> Float[Tensor, ""]:
        """Return the mean cross-entropy in nats a token."""
        F = self(tokens[:, :-1])
        return functional.cross_entropy(F.flatten(0, 1), tokens[:, 1:].flatten())


def zero_parameters(
    vocab_size: int, length: int, layers: int, dtype: torch.dtype, device: torch.device
) -> dict[str, Tensor]:
    """Return the zero start: W_O [V, V], V and W [L, V, V], P [L, T]."""
    square = (vocab_size, vocab_size)
    shapes = {"W_O": square, "V": (layers, *square), "W": (layers, *square), "P": (layers, length)}
    return {group: torch.zeros(shape, dtype=dtype, device=device) for group, shape in shapes.items()}


def by_distance(P: Float[Tensor, " T"]) -> Float[Tensor, "T T"]:
    """D(P) [T, T]: entry d of P on the d-th sub-diagonal, P[0] above the diagonal, where nothing looks."""
    place = torch.arange(len(P), device=P.device)
    distance = (place[:, None] - place).clamp(min=0)
    # index_select, not P[distance]: its gradient is summed in a fixed order on CPU.
    return P.index_select(0, distance.flatten()).view(len(P), len(P))


def causal_softmax(scores: Float[Tensor, "N T T"]) -> Float[Tensor, "N T T"]:
    """Return the softmax of each row t over k <= t; zero above the diagonal."""
    above = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(above, -torch.inf).softmax(dim=-1)
