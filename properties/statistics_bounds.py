"""How far rounding may move each statistic: operation counts and summed magnitudes.

The magnitudes are the statistics' own sums with every term made positive. An entry of Phi_bar or Q_bar is a
sum over pairs (t, k) of a sequence; an implementation may add them one after the other, so the number of
pairs bounds the operations on its longest path. Derived here, with the gamma of `properties.tolerances`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from properties.tolerances import rounding


@dataclass(frozen=True)
class Magnitude:
    """The summed absolute terms of a statistic, of the same shape, and the operations on its longest path."""

    terms: np.ndarray
    operations: int

    def bound(self, dtype: str) -> np.ndarray:
        """Return the largest rounding error of each entry in `dtype`, of the same shape."""
        return rounding(self.terms, self.operations, dtype)


def statistics_magnitudes(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, Magnitude]:
    """Return the magnitude of each of the six statistics by name, for a corpus of any size."""
    N, T, V = tokens.shape[0], tokens.shape[1] - 1, vocab_size
    pairs = N * T * (T + 1) // 2
    B = Magnitude(_bigram_terms(tokens, V), N * T + 4)
    Phi = Magnitude(_context_terms(tokens, V), pairs + V + 4)
    Sigma = product(B, B, transpose_first=True)
    G = product(Sigma, Phi)
    Q_terms, Delta_terms = _evidence_terms(tokens, G.terms)
    # Per pair: (Y - 1/V) G adds V operations, the row's mean T, the factors 4; then the sum over pairs.
    evidence = G.operations + V + T + 4 + pairs
    return {
        "B_bar": B,
        "Phi_bar": Phi,
        "Sigma_B": Sigma,
        "G_bar": G,
        "Q_bar": Magnitude(Q_terms, evidence),
        "Delta_bar": Magnitude(Delta_terms, evidence),
    }


def product(first: Magnitude, second: Magnitude, transpose_first: bool = False) -> Magnitude:
    """Return the magnitude of a matrix product."""
    left = first.terms.T if transpose_first else first.terms
    return Magnitude(left @ second.terms, first.operations + second.operations + left.shape[1])


def _bigram_terms(tokens: Int64[np.ndarray, "N T_plus_1"], V: int) -> np.ndarray:
    x, y = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    terms = np.zeros((V, V))
    np.add.at(terms, (x, y), 1.0)
    terms += terms.sum(axis=1, keepdims=True) / V
    return terms / x.size


def _context_terms(tokens: Int64[np.ndarray, "N T_plus_1"], V: int) -> np.ndarray:
    T = tokens.shape[1] - 1
    share = 1.0 / np.arange(1, T + 1)
    terms = np.zeros((V, V))
    for sequence in tokens:
        x, y = sequence[:-1], sequence[1:]
        np.add.at(terms, (y[:, None], x[None, :]), np.tril(np.broadcast_to(share[:, None], (T, T))))
    terms += terms.sum(axis=0, keepdims=True) / V
    return terms / tokens[:, 1:].size


def _evidence_terms(tokens: Int64[np.ndarray, "N T_plus_1"], G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    T = tokens.shape[1] - 1
    visible, seen = np.tril(np.ones((T, T))), np.arange(1, T + 1)[:, None]
    # (1/V) 1^T G is zero in exact arithmetic, but an implementation may compute it.
    uniform_part = G.mean(axis=0)
    Q, by_distance = np.zeros_like(G), np.zeros((T, T))
    for sequence in tokens:
        x, y = sequence[:-1], sequence[1:]
        M = (G[y[:, None], x[None, :]] + uniform_part[x][None, :]) * visible
        terms = (M + M.sum(axis=1, keepdims=True) / seen * visible) / seen
        np.add.at(Q, (x[:, None], x[None, :]), terms)
        by_distance += terms
    Delta = np.array([np.trace(by_distance, offset=-d) for d in range(T)])
    return Q / tokens[:, 1:].size, Delta / tokens[:, 1:].size
