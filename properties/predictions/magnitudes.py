"""How far rounding may move the directions of `properties.predictions.expansion`.

The same formulas are run on the absolute values of all terms: counts plus their even share, pulls plus their
mean. What comes out bounds the sum of the absolute terms of each entry; with the operations on the longest
path to it that is the bound on its rounding error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from properties.predictions.expansion import Directions, Evidence, expansion_of
from properties.tolerances import rounding
from reference.pair_sums import Rows, shares
from reference.statistics import uniform_attention

# No direction has more statistics among its factors than the table B^T B Phi Phi^T Phi of the second order,
# whose evidence is read out once; nor more products of matrices.
LEAVES, PRODUCTS, READINGS = 7, 8, 2


@dataclass(frozen=True)
class _AbsoluteBigram:
    """B_bar with its even share added instead of taken off."""

    terms: np.ndarray
    frequency: np.ndarray

    def dense(self) -> np.ndarray:
        return self.terms

    def times(self, M: np.ndarray) -> np.ndarray:
        return np.asarray(self.terms @ M)

    def T_times(self, M: np.ndarray) -> np.ndarray:
        return np.asarray(self.terms.T @ M)


class _AbsoluteSums:
    """The sums of pairs with every mean added instead of taken off."""

    def shares(self, tokens: np.ndarray, vocab_size: int, weights: np.ndarray, rows: Rows) -> np.ndarray:
        return shares(tokens, vocab_size, weights, rows)

    def evidence(self, tokens: np.ndarray, table: np.ndarray, rows: Rows) -> Evidence:
        return _read_out(tokens, [_jacobian(P) for P in _pulls(tokens, table, rows)], len(table))

    def stream_evidence(self, tokens: np.ndarray, table: np.ndarray) -> Evidence:
        A0 = uniform_attention(tokens.shape[1] - 1)
        return _read_out(tokens, [_jacobian(P @ A0.T) for P in _pulls(tokens, table, "next")], len(table))

    def backward_evidence(self, tokens: np.ndarray, table: np.ndarray) -> Evidence:
        A0 = uniform_attention(tokens.shape[1] - 1)
        return _read_out(tokens, [_jacobian(A0.T @ P) for P in _pulls(tokens, table, "next")], len(table))

    def averaged_evidence(self, tokens: np.ndarray, table: np.ndarray) -> Evidence:
        A0 = uniform_attention(tokens.shape[1] - 1)
        Q = [_jacobian(P) for P in _pulls(tokens, table, "next")]
        before = _read_out(tokens, [A0.T @ one for one in Q], len(table))[0]
        return before, _read_out(tokens, [one @ A0 for one in Q], len(table))[0]


def direction_bounds(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, Directions]:
    """Return the largest rounding error of each entry of each direction in float64."""
    x, y = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    terms = np.zeros((vocab_size, vocab_size))
    np.add.at(terms, (x, y), 1.0)
    terms += terms.sum(axis=1, keepdims=True) / vocab_size
    frequency = np.bincount(x, minlength=vocab_size) / x.size
    found = expansion_of(
        _AbsoluteBigram(terms / x.size, frequency),
        tokens,
        _AbsoluteSums(),
        lambda share: share + share.mean(axis=0, keepdims=True),
    )
    operations = longest_path(tokens, vocab_size)

    def bound(terms: np.ndarray) -> np.ndarray:
        return rounding(np.abs(terms), operations, "float64")

    return {
        group: Directions(bound(d.leading), [*map(bound, d.following)], [*map(bound, d.second)])
        for group, d in found.items()
    }


def longest_path(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> int:
    """Return the operations on the longest path to an entry of a direction."""
    N, T, V = tokens.shape[0], tokens.shape[1] - 1, vocab_size
    pairs = N * T * (T + 1) // 2
    leaf = pairs + T + V + 4  # weights of two hops, their sum, the mean taken off
    reading = pairs + 2 * T + 8  # running means, the mean taken off, the sum
    return LEAVES * leaf + PRODUCTS * (V + 4) + READINGS * reading


def _pulls(tokens: np.ndarray, table: np.ndarray, rows: Rows) -> list[np.ndarray]:
    at = tokens[:, 1:] if rows == "next" else tokens[:, :-1]
    return [np.tril(table[of[:, None], x[None, :]]) for of, x in zip(at, tokens[:, :-1], strict=True)]


def _jacobian(M: np.ndarray) -> np.ndarray:
    """`reference.statistics.uniform_jacobian` with the mean added."""
    seen = np.arange(1, len(M) + 1)[:, None]
    visible = np.tril(M)
    return np.asarray(np.tril(visible + visible.sum(axis=1, keepdims=True) / seen) / seen)


def _read_out(tokens: np.ndarray, scores: list[np.ndarray], vocab_size: int) -> Evidence:
    V, T = vocab_size, tokens.shape[1] - 1
    by_tokens, by_distance = np.zeros((V, V)), np.zeros(T)
    for sequence, S in zip(tokens, scores, strict=True):
        x = sequence[:-1]
        np.add.at(by_tokens, (x[:, None], x[None, :]), S)
        by_distance += [np.trace(S, offset=-d) for d in range(T)]
    return by_tokens / tokens[:, 1:].size, by_distance / tokens[:, 1:].size
