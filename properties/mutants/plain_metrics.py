"""Metrics and interventions, a row at a time: what mutants of them are made of."""

from __future__ import annotations

import math

import numpy as np


def head_profile(attention: np.ndarray) -> dict[str, float]:
    """Return the entropy, diagonal and so on of one map [T, T], means over its T rows."""
    T = len(attention)
    entropy = diagonal = previous = distance = relative = 0.0
    for t in range(T):
        row = attention[t, : t + 1]
        if t > 0:
            nats = -sum(p * math.log(p) for p in row if p > 0)
            entropy += nats / math.log(t + 1)
            previous += row[t - 1]
        diagonal += row[t]
        relative += row[t] * (t + 1)
        distance += sum(p * (t - k) for k, p in enumerate(row))
    return {
        "entropy": entropy / T,
        "diagonal": diagonal / T,
        "previous": previous / T,
        "distance": distance / T,
        "relative_diagonal": relative / T,
    }


def induction_score(attention: np.ndarray, period: int) -> float:
    """Return the mean weight [T, T] on the position after the earlier occurrence, where there is one."""
    T = len(attention)
    weights = [attention[t, t - period + 1] for t in range(period, T)]
    return float(sum(weights) / len(weights))


def sequence_induction_score(attention: np.ndarray, tokens: np.ndarray) -> float:
    """Return the mean weight [T, T] on the keys that follow earlier occurrences, in rows that have some."""
    weights = []
    for t in range(len(tokens)):
        targets = [k for k in range(1, t + 1) if tokens[k - 1] == tokens[t]]
        if targets:
            weights.append(sum(attention[t, k] for k in targets))
    return float(sum(weights) / len(weights)) if weights else 0.0


def composition_score(first: np.ndarray, second: np.ndarray) -> float:
    """Return |first second| / (|first| |second|), [a, b] and [b, c], Frobenius norms; 0 where one is zero."""
    product = first @ second
    size = np.linalg.norm(first) * np.linalg.norm(second)
    return float(np.linalg.norm(product) / size) if size > 0 else 0.0


def remove_projection(weight: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Return W - <W, D> / <D, D> D for two of one shape, W where the direction is zero."""
    square = (direction * direction).sum()
    if square == 0:
        return weight
    along = (weight * direction).sum() / square
    return weight - along * direction
