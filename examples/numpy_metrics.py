"""Head metrics, composition and projection removal in NumPy, for the adapters beside it.

Each refuses input that has no answer: NumPy would broadcast or wrap around, and answer some number.
"""

import numpy as np


def require(holds, what):
    if not holds:
        raise ValueError(f"give {what}")


def by_distance(T):
    return np.eye(2 * T)[np.subtract.outer(np.arange(T), np.arange(T)), :T]  # [t, k, d]: 1 where t - k = d


class Metrics:
    def head_profile(self, attention):
        T = len(attention)
        require(attention.shape == (T, T), "a square map")
        d = np.einsum("tk,tkd->d", attention, by_distance(T)) / T
        entropy = -np.einsum("tk,tk->t", attention, np.log(np.where(attention > 0, attention, 1.0)))[1:]
        found = {"diagonal": d[0], "previous": d[1:2].sum(), "distance": d @ np.arange(T)}
        return {"entropy": (entropy / np.log(np.arange(2, T + 1))).sum() / T, **found}

    def induction_score(self, attention, period):
        T = len(attention)
        require(attention.shape == (T, T) and 0 < period < T, "a square map and a period below its size")
        return np.trace(attention[period:, 1:]) / (T - period)

    def composition_score(self, first, second):
        require(first.shape[1] == second.shape[0], "factors that have a product")
        size = np.linalg.norm(first) * np.linalg.norm(second)
        return np.linalg.norm(np.einsum("ab,bc->ac", first, second)) / size if size else 0.0

    def remove_projection(self, weight, direction):
        require(weight.shape == direction.shape, "a direction of the weight's shape")
        norm = np.linalg.norm(direction)
        unit = direction / norm if norm else direction
        return weight - (weight * unit).sum() * unit
