"""The model, its gradients and descent in rounding-aware numbers: what an implementation must return.

The literal one-hot formulas of the paper (Def. 3.1, Lemma D.8), one sequence at a time. Each result carries
the bound within which any float64 or float32 implementation of the same formulas must lie.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from properties.memo import recently
from properties.rounded import Rounded, computed, exact, softmax, total
from properties.tolerances import ELEMENTARY_ULPS, rounding

Parameters = dict[str, list[Rounded]]


@dataclass(frozen=True)
class Pass:
    """The activations of one sequence: h[0..L] [T, V], A[1..L] [T, T], logits F [T, V]."""

    h: list[Rounded]
    A: list[Rounded]
    F: Rounded


def given(parameters: Mapping[str, np.ndarray], dtype: str) -> Parameters:
    """Return exact parameters, split by layer; `W_O` is a list of one."""
    return {
        "W_O": [exact(parameters["W_O"], dtype)],
        **{group: [exact(layer, dtype) for layer in parameters[group]] for group in ("V", "W", "P")},
    }


def forward(parameters: Parameters, sequence: Int[np.ndarray, " T_plus_1"]) -> Pass:
    """Run the model on one sequence."""
    dtype = parameters["W_O"][0].dtype
    h = [_one_hot(sequence[:-1], parameters)]
    A: list[Rounded] = []
    visible = np.tril(np.ones((len(sequence) - 1,) * 2, dtype=bool))
    for W, P, V in zip(parameters["W"], parameters["P"], parameters["V"], strict=True):
        A.append(softmax(h[-1] @ W @ h[-1].T + by_distance(P), visible))
        h.append(h[-1] + A[-1] @ h[-1] @ V)
    assert h[-1].dtype == dtype
    return Pass(h, A, h[-1] @ parameters["W_O"][0])


@recently
def passes(
    parameters: Mapping[str, np.ndarray], tokens: Int[np.ndarray, "N T_plus_1"], dtype: str
) -> list[Pass]:
    """Run the model with exact parameters on each sequence."""
    known = given(parameters, dtype)
    return [forward(known, sequence) for sequence in tokens]


@recently
def slopes(
    parameters: Mapping[str, np.ndarray], tokens: Int[np.ndarray, "N T_plus_1"], dtype: str
) -> Parameters:
    """Return the gradients at exact parameters, with their bounds."""
    return gradients(given(parameters, dtype), tokens)


def loss(parameters: Parameters, tokens: Int[np.ndarray, "N T_plus_1"]) -> tuple[float, float]:
    """Return the mean cross-entropy in nats a token, and the bound on its error.

    log sum exp moves by at most the largest error of its arguments, and so does the target's logit.
    """
    losses, errors = [], []
    for sequence in tokens:
        F = forward(parameters, sequence).F
        top = F.value.max(axis=1)
        lse = top + np.log(np.exp(F.value - top[:, None]).sum(axis=1))
        losses.append(lse - F.value[np.arange(len(lse)), sequence[1:]])
        size = (np.abs(F.value) + F.error).max(axis=1) + np.log(F.value.shape[1]) + 1
        own = rounding(2 * size, F.value.shape[1] + 2 * ELEMENTARY_ULPS + tokens.size, F.dtype)
        errors.append(2 * F.error.max(axis=1) + own)
    return float(np.mean(losses)), float(np.mean(errors))


def gradients(parameters: Parameters, tokens: Int[np.ndarray, "N T_plus_1"]) -> Parameters:
    """Return dLoss/dparameter with its bound, in the shape of `parameters`."""
    parts = [_ascent(parameters, sequence) for sequence in tokens]
    positions = tokens[:, 1:].size
    return {
        group: [total([part[group][i] for part in parts]).times(-1 / positions) for i in range(len(layers))]
        for group, layers in parameters.items()
    }


@recently
def train(
    tokens: Int[np.ndarray, "N T_plus_1"], vocab_size: int, layers: int, rate: float, steps: int, dtype: str
) -> Parameters:
    """Return the parameters after `steps` full-batch steps from zero, with their bounds."""
    square = (vocab_size, vocab_size)
    shapes = {"W_O": [square], "V": [square] * layers, "W": [square] * layers}
    shapes["P"] = [(tokens.shape[1] - 1,)] * layers  # type: ignore[list-item]
    parameters = {
        group: [exact(np.zeros(shape), dtype) for shape in group_shapes]
        for group, group_shapes in shapes.items()
    }
    for _ in range(steps):
        gradient = gradients(parameters, tokens)
        parameters = {
            group: [
                old - new.times(rate) for old, new in zip(parameters[group], gradient[group], strict=True)
            ]
            for group in parameters
        }
    return parameters


def stacked(parameters: Parameters, group: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the value and the bound of one group as the protocol's arrays: [V, V], [L, V, V], [L, T]."""
    if group == "W_O":
        return parameters[group][0].value, parameters[group][0].error
    values = [layer.value for layer in parameters[group]]
    return np.array(values), np.array([layer.error for layer in parameters[group]])


def _ascent(parameters: Parameters, sequence: Int[np.ndarray, " T_plus_1"]) -> Parameters:
    """Return the four bracketed sums of Lemma D.8 for one sequence: uphill, not divided by NT."""
    passed = forward(parameters, sequence)
    W_O = parameters["W_O"][0]
    R = _one_hot(sequence[1:], parameters) - softmax(passed.F)
    up: Parameters = {"W_O": [passed.h[-1].T @ R], "V": [], "W": [], "P": []}
    G = R @ W_O.T
    for layer in reversed(range(len(parameters["V"]))):
        h, A = passed.h[layer], passed.A[layer]
        W, V = parameters["W"][layer], parameters["V"][layer]
        M = G @ V.T @ h.T
        S = A * (M - (A * M).row_sums())
        up["V"].insert(0, h.T @ A.T @ G)
        up["W"].insert(0, h.T @ S @ h)
        up["P"].insert(0, _summed_by_distance(S))
        G = total([G, A.T @ G @ V.T, S @ h @ W.T, S.T @ h @ W])
    return up


def _one_hot(numbers: Int[np.ndarray, " T"], parameters: Parameters) -> Rounded:
    W_O = parameters["W_O"][0]
    return exact(np.eye(len(W_O.value))[numbers], W_O.dtype)


def by_distance(P: Rounded) -> Rounded:
    """D(P) [T, T] from P [T]: entry d on the d-th sub-diagonal, zero above the diagonal (paper, eq. 2)."""
    distance = np.subtract.outer(np.arange(len(P.value)), np.arange(len(P.value)))
    value, magnitude, error = (
        np.where(distance >= 0, part[np.maximum(distance, 0)], 0.0)
        for part in (P.value, P.magnitude, P.error)
    )
    return Rounded(value, magnitude, error, P.dtype)


def _summed_by_distance(S: Rounded) -> Rounded:
    value, magnitude, inherited = (
        np.array([np.trace(part, offset=-d) for d in range(len(part))])
        for part in (S.value, S.magnitude, S.error)
    )
    return computed(value, magnitude, inherited, len(value), S.dtype)
