"""The gradients of the loss, by hand (paper Lemma D.1 and D.8).

With R = Y - softmax(F), G_L = R W_O^T and, from the last layer down,

    S_l     = J_l[G_l V_l^T h_{l-1}^T]          J_l: Jacobian of the row softmax at A_l
    dV_l    = h_{l-1}^T A_l^T G_l
    dW_l    = h_{l-1}^T S_l h_{l-1}
    dP_l[d] = sum of S_l on sub-diagonal d
    G_{l-1} = G_l + A_l^T G_l V_l^T + S_l h_{l-1} W_l^T + S_l^T h_{l-1} W_l

and dW_O = h_L^T R; the gradient of the loss is -1/(NT) times each, summed over sequences.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from reference.model import Parameters, forward, one_hot, softmax, transposed


def gradients(parameters: Parameters, tokens: Int64[np.ndarray, "N T_plus_1"]) -> dict[str, np.ndarray]:
    """Return dLoss/dparameter for W_O [V, V], V [L, V, V], W [L, V, V] and P [L, T]."""
    passed = forward(parameters, tokens)
    R = one_hot(tokens[:, 1:], len(parameters["W_O"])) - softmax(passed.F)
    up = {name: np.zeros_like(value) for name, value in parameters.items()}
    up["W_O"] = _summed(transposed(passed.h[-1]) @ R)
    G = R @ parameters["W_O"].T
    for layer in reversed(range(len(parameters["V"]))):
        h, A = passed.h[layer], passed.A[layer]
        W, V = parameters["W"][layer], parameters["V"][layer]
        S = softmax_jacobian(A, G @ V.T @ transposed(h))
        up["V"][layer] = _summed(transposed(h) @ transposed(A) @ G)
        up["W"][layer] = _summed(transposed(h) @ S @ h)
        up["P"][layer] = _by_distance_summed(S)
        G = G + transposed(A) @ G @ V.T + S @ h @ W.T + transposed(S) @ h @ W
    return {name: -value / tokens[:, 1:].size for name, value in up.items()}


def softmax_jacobian(
    A: Float64[np.ndarray, "*batch T T"], M: Float64[np.ndarray, "*batch T T"]
) -> Float64[np.ndarray, "*batch T T"]:
    """Apply the Jacobian of the row softmax with value A to M: A * (M - sum over the row of A * M)."""
    return A * (M - (A * M).sum(axis=-1, keepdims=True))


def _summed(per_sequence: np.ndarray) -> np.ndarray:
    return per_sequence.sum(axis=0)


def _by_distance_summed(S: Float64[np.ndarray, "N T T"]) -> Float64[np.ndarray, " T"]:
    return np.array([np.trace(S, offset=-d, axis1=1, axis2=2).sum() for d in range(S.shape[-1])])
