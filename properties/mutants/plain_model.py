"""The model one sequence at a time (paper, Def. 3.1): what its mutants are made of."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

Parameters = Mapping[str, np.ndarray]


def forward(parameters: Parameters, sequence: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return the activations h[0..L] [T, V] and the attention maps [T, T] of layers 1..L."""
    words = sequence[:-1]
    h, maps = [np.eye(len(parameters["W_O"]))[words]], []
    layers = range(len(parameters["V"]))
    for layer in layers:
        W, P, V = (parameters[name][layer] for name in ("W", "P", "V"))
        positions = np.arange(len(words))
        distance = positions[:, None] - positions[None, :]
        visible = distance >= 0
        scores = h[-1] @ W @ h[-1].T
        # A distance below zero counts from the end of P; what it gives there is hidden.
        scores = scores + P[distance]
        A = softmax(np.where(visible, scores, -np.inf))
        maps.append(A)
        h.append(h[-1] + A @ h[-1] @ V)
    return h, maps


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the softmax of each row of [T, n]."""
    weight = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def attention(parameters: Parameters, tokens: np.ndarray) -> np.ndarray:
    """Return the attention maps [L, N, T, T]."""
    return np.array([forward(parameters, sequence)[1] for sequence in tokens]).swapaxes(0, 1)


def logits(parameters: Parameters, tokens: np.ndarray) -> np.ndarray:
    """Return the logits [N, T, V]."""
    F = [forward(parameters, sequence)[0][-1] @ parameters["W_O"] for sequence in tokens]
    return np.array(F)


def loss(parameters: Parameters, tokens: np.ndarray) -> float:
    """Return the mean cross-entropy of tokens [N, T+1], in nats a token."""
    losses = []
    for sequence, F in zip(tokens, logits(parameters, tokens), strict=True):
        for t in range(len(F)):
            target, top = sequence[t + 1], F[t].max()
            log_probability = F[t] - top - np.log(np.exp(F[t] - top).sum())
            losses.append(-log_probability[target])
    mean: float = np.mean(losses)  # complex where the parameters are, to differentiate
    return mean
