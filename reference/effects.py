"""What a change of the weights does to the loss, without the loss of digits of subtracting two losses.

A loss near 8 is stored to 1e-15, and removing a score's leading term may change it by 1e-17. So the change
itself is carried through the model, each formula written for the difference of its two sides (derived here).
With X' = X + dX for the changed weights and activations:

    dS = dh W' h'^T + h dW h'^T + h W dh^T + D(dP),
    dA = A (e - m) / (1 + m)              with e = exp(dS) - 1 and m = sum over the row of A e,
    dh <- dh + dA h' V' + A dh V' + A h dV,
    dF = dh W_O' + h dW_O,
    change of the loss = mean of log(1 + sum_j p_j (exp(dF_j) - 1)) - dF_y,   p = softmax(F).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

import numpy as np
from jaxtyping import Int64

from reference.model import Parameters, by_distance, causal_softmax, one_hot, softmax, transposed


def loss_change(
    parameters: Parameters, change: Mapping[str, np.ndarray], tokens: Int64[np.ndarray, "N T_plus_1"]
) -> float:
    """Return loss(parameters + change) - loss(parameters), in nats a token.

    `change` holds arrays in the shapes of the parameters for any of W_O, V, W and P; what is left out stays.
    """
    d = {group: change.get(group, np.zeros_like(value)) for group, value in parameters.items()}
    h = one_hot(tokens[:, :-1], len(parameters["W_O"]))
    dh = np.zeros_like(h)
    for n in range(len(parameters["V"])):
        W, P, V = (parameters[group][n] for group in ("W", "P", "V"))
        dW, dP, dV = (d[group][n] for group in ("W", "P", "V"))
        scored = h @ W
        A = causal_softmax(scored @ transposed(h) + by_distance(P))
        after = h + dh
        dS = (
            _product(dh, W + dW, transposed(after))
            + _product(h, dW, transposed(after))
            + _product(scored, transposed(dh))
            + by_distance(dP)
        )
        dA = moved_softmax(A, dS)
        Vn = V + dV
        dh = dh + _product(dA, after, Vn) + _product(A, dh, Vn) + _product(A, h, dV)
        h = h + A @ h @ V
    dF = _product(dh, parameters["W_O"] + d["W_O"]) + _product(h, d["W_O"])
    p = softmax(h @ parameters["W_O"])
    grown = np.log1p((p * np.expm1(dF)).sum(axis=-1))
    return float((grown - np.take_along_axis(dF, tokens[:, 1:, None], axis=-1)[..., 0]).mean())


def _product(first: np.ndarray, *others: np.ndarray) -> np.ndarray:
    """The product; nothing is multiplied where a factor is zero, as most changes are before a layer."""
    if all(factor.any() for factor in (first, *others)):
        return reduce(np.matmul, others, first)
    return np.zeros((*first.shape[:-1], others[-1].shape[-1]))


def moved_softmax(A: np.ndarray, dS: np.ndarray) -> np.ndarray:
    """Return softmax(S + dS) - A for A = softmax(S) [*batch, T, T], by rows; zero where A is."""
    e = np.expm1(np.where(A > 0, dS, 0.0))
    m = (A * e).sum(axis=-1, keepdims=True)
    return np.asarray(A * (e - m) / (1 + m))


def along(weight: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return the projection of a weight on a direction, <W, D> / <D, D> D; zero where D vanishes.

    Both are of one shape. `reference.interventions.remove_projection` takes it off.
    """
    largest = float(np.abs(direction).max(initial=0.0))
    if largest == 0:
        return np.zeros_like(weight)
    unit = direction / largest
    unit = unit / np.linalg.norm(unit)
    return np.asarray((weight * unit).sum() * unit)
