"""The attention-only transformer in token space (paper Def. 3.1), forward and loss.

h_0 = X (one-hot), and in layer l

    S = h W h^T + D(P)      scores, D(P)[t, k] = P[t-k]
    A = softmax(S)          by rows, over k <= t
    h <- h + A h V_l

with logits F = h_L W_O. Parameters are a mapping W_O [V, V], V [L, V, V], W [L, V, V], P [L, T].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.corpus import check_tokens
from reference.errors import InputError

Parameters = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Activations:
    """What a forward pass leaves behind: `h[l]` [N, T, V] for l = 0..L, `A[l]` [N, T, T], logits `F`."""

    h: list[Float64[np.ndarray, "N T V"]]
    A: list[Float64[np.ndarray, "N T T"]]
    F: Float64[np.ndarray, "N T V"]


def zero_parameters(vocab_size: int, length: int, layers: int) -> dict[str, np.ndarray]:
    """Return the zero start: W_O [V, V], V and W [L, V, V], P [L, T], float64."""
    square = (vocab_size, vocab_size)
    return {
        "W_O": np.zeros(square),
        "V": np.zeros((layers, *square)),
        "W": np.zeros((layers, *square)),
        "P": np.zeros((layers, length)),
    }


def forward(parameters: Parameters, tokens: Int64[np.ndarray, "N T_plus_1"]) -> Activations:
    """Run the model on the first T tokens of each sequence (eq. 1-4).

    Raises:
        InputError: the parameters do not fit together, or the tokens do not fit them.
    """
    check_model(parameters, tokens)
    h = [one_hot(tokens[:, :-1], len(parameters["W_O"]))]
    A: list[np.ndarray] = []
    for W, P, V in zip(parameters["W"], parameters["P"], parameters["V"], strict=True):
        A.append(causal_softmax(h[-1] @ W @ transposed(h[-1]) + by_distance(P)))
        h.append(h[-1] + A[-1] @ h[-1] @ V)
    return Activations(h=h, A=A, F=h[-1] @ parameters["W_O"])


def check_model(parameters: Parameters, tokens: Int64[np.ndarray, "*shape"]) -> None:
    """Refuse what broadcasting or negative indices would let pass.

    Raises:
        InputError: a parameter is missing or of another shape than [V, V], [L, V, V], [L, V, V], [L, T] for
            the V of W_O, the L of V and the T of the tokens; or the tokens are none.
    """
    missing = [name for name in ("W_O", "V", "W", "P") if name not in parameters]
    if missing:
        raise InputError(f"The parameters lack {', '.join(missing)}; give W_O, V, W and P.")
    V, L = len(parameters["W_O"]), len(parameters["V"])
    check_tokens(tokens, V)
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, tokens.shape[1] - 1)}
    for name, shape in shapes.items():
        if parameters[name].shape != shape:
            raise InputError(
                f"{name} has the shape {list(parameters[name].shape)}; with {V} words, {L} layers and "
                f"sequences of {tokens.shape[1]} tokens it must be {list(shape)}."
            )


def logits(parameters: Parameters, tokens: Int64[np.ndarray, "N T_plus_1"]) -> Float64[np.ndarray, "N T V"]:
    """Return the logits F [N, T, V] of the next token at each position."""
    return forward(parameters, tokens).F


def attention(
    parameters: Parameters, tokens: Int64[np.ndarray, "N T_plus_1"]
) -> Float64[np.ndarray, "L N T T"]:
    """Return the attention maps [L, N, T, T], after the softmax; rows sum to 1."""
    N, T = tokens.shape[0], tokens.shape[1] - 1
    return np.array(forward(parameters, tokens).A).reshape(-1, N, T, T)


def loss(parameters: Parameters, tokens: Int64[np.ndarray, "N T_plus_1"]) -> float:
    """Return the mean cross-entropy in nats a token, over all N*T positions."""
    F = forward(parameters, tokens).F
    shifted = F - F.max(axis=-1, keepdims=True)
    log_probability = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_probability, tokens[:, 1:, None], axis=-1).mean())


def one_hot(numbers: Int64[np.ndarray, "*shape"], vocab_size: int) -> Float64[np.ndarray, "*shape V"]:
    """Return one row of the identity for each number."""
    return np.eye(vocab_size)[numbers]


def by_distance(P: Float64[np.ndarray, " T"]) -> Float64[np.ndarray, "T T"]:
    """D(P) [T, T]: entry d of P on the d-th sub-diagonal, zero above the diagonal."""
    distance = np.subtract.outer(np.arange(len(P)), np.arange(len(P)))
    return np.where(distance >= 0, P[np.maximum(distance, 0)], 0.0)


def causal_softmax(S: Float64[np.ndarray, "*batch T T"]) -> Float64[np.ndarray, "*batch T T"]:
    """Return the softmax of each row t over k <= t; zero above the diagonal."""
    visible = np.tril(np.ones(S.shape[-2:], dtype=bool))
    hidden = np.where(visible, S, -np.inf)
    return softmax(hidden)


def softmax(z: Float64[np.ndarray, "*batch n"]) -> Float64[np.ndarray, "*batch n"]:
    """Return the softmax over the last axis, shifted by its maximum so that nothing overflows."""
    weight = np.exp(z - z.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def transposed(h: np.ndarray) -> np.ndarray:
    """Swap the last two axes: [*batch, m, n] to [*batch, n, m]."""
    return h.swapaxes(-1, -2)
