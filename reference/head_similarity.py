"""How alike heads attend: cosines between their maps, and what of them is only the causal mask."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64


def head_similarity(maps: Float64[np.ndarray, "H *batch T T"]) -> Float64[np.ndarray, "H H"]:
    """Return the cosine between every two heads' maps, flattened over all sequences and positions.

    In 0..1 (weights are not negative); row 0, which is 1 for every head, counts and adds to the likeness. Two
    uniform heads: 1. The diagonal and a uniform head: sqrt(H_T/T). Two random heads whose logits have the
    variance v are near 1 too, at H_T / (H_T + v (H_T - H_T^(2))) to first order in v, with H_T^(2) = 1 + 1/4
    + ... + 1/T^2: the zero point of this number is not 0, and .7 is not much.

    Source: attention-chapter, sec. 4.4.3; the values are derived here (E p_k = 1/n and `excess_collision` in
    `theory.softmax_moments`).
    """
    return _cosines(maps.reshape(len(maps), -1))


def centred_head_similarity(maps: Float64[np.ndarray, "H *batch T T"]) -> Float64[np.ndarray, "H H"]:
    """Return the same after subtracting uniform attention, 1/(t+1) for k <= t, from every map.

    In -1..1; row 0 becomes 0 for every head and drops out. A uniform head has nothing left and scores 0 with
    every head, itself too. Two random heads with independent logits: 0 in the mean, at every variance.
    """
    T = maps.shape[-1]
    uniform = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    return _cosines((maps - uniform).reshape(len(maps), -1))


def _cosines(rows: Float64[np.ndarray, "H n"]) -> Float64[np.ndarray, "H H"]:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
    return unit @ unit.T
