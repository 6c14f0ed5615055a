"""Gradients by hand and descent from zero (paper, Lemma D.8): what mutants of training are made of."""

from __future__ import annotations

import numpy as np

from properties.mutants.plain_model import Parameters, forward, softmax


def gradients(parameters: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
    """Return dLoss/dparameter by name, of the shapes of the parameters, on tokens [N, T+1]."""
    slope = {name: np.zeros_like(value) for name, value in parameters.items()}
    for sequence in tokens:
        h, maps = forward(parameters, sequence)
        W_O, targets = parameters["W_O"], sequence[1:]
        R = softmax(h[-1] @ W_O) - np.eye(len(W_O))[targets]
        slope["W_O"] += h[-1].T @ R
        G = R @ W_O.T
        for layer in reversed(range(len(maps))):
            x, A = h[layer], maps[layer]
            W, V = parameters["W"][layer], parameters["V"][layer]
            M = G @ V.T @ x.T
            centre = (A * M).sum(axis=1, keepdims=True)
            S = A * (M - centre)
            slope["V"][layer] += x.T @ A.T @ G
            slope["W"][layer] += x.T @ S @ x
            slope["P"][layer] += [np.trace(S, offset=-d) for d in range(len(S))]
            through_query, through_key = S @ x @ W.T, S.T @ x @ W
            G = G + A.T @ G @ V.T + through_query + through_key
    return {name: value / tokens[:, 1:].size for name, value in slope.items()}


def train(tokens: np.ndarray, vocab_size: int, layers: int, rate: float, steps: int) -> dict[str, np.ndarray]:
    """Return the parameters after `steps` full-batch steps from zero on tokens [N, T+1]."""
    parameters = start(vocab_size, tokens.shape[1] - 1, layers)
    for _step in range(steps):
        slope = gradients(parameters, tokens)
        for name in ("W_O", "V", "W", "P"):
            parameters[name] = parameters[name] - rate * slope[name]
    return parameters


def start(vocab_size: int, length: int, layers: int) -> dict[str, np.ndarray]:
    """Return the parameters at zero."""
    square = (vocab_size, vocab_size)
    shapes = {"W_O": square, "V": (layers, *square), "W": (layers, *square), "P": (layers, length)}
    return {name: np.zeros(shape) for name, shape in shapes.items()}
