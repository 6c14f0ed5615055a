"""A layer of several heads and the split of rows for a probe: what mutants of them are made of."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from properties.mutants.plain_model import softmax


def multi_head_output(
    weights: Mapping[str, np.ndarray], stream: np.ndarray, ablated: Collection[int]
) -> np.ndarray:
    """Return what the heads that are not ablated add to the stream, [N, T, d]."""
    output = np.zeros_like(stream)
    for head in range(len(weights["W_Q"])):
        W_Q, W_K, W_V, W_O = (weights[name][head] for name in ("W_Q", "W_K", "W_V", "W_O"))
        for n, h in enumerate(stream):
            query, key, value = h @ W_Q, h @ W_K, h @ W_V
            scores = query @ key.T / math.sqrt(W_Q.shape[1])
            visible = np.tril(np.ones(scores.shape, dtype=bool))
            gathered = softmax(np.where(visible, scores, -np.inf)) @ value
            if head in ablated:
                gathered = np.zeros_like(gathered)
            output[n] += gathered @ W_O
    return output


def probe_split(sequences: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Return, [rows], 1 for each row whose sequence is for testing, 0 for the others."""
    numbers = sorted(set(sequences.tolist()))
    tested = min(max(round(share * len(numbers)), 1), len(numbers) - 1)
    order = np.random.default_rng(seed).permutation(len(numbers))
    testing = {numbers[i] for i in order[:tested]}
    return np.array([float(number in testing) for number in sequences.tolist()])
