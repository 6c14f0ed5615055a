"""Sums over the pairs (t, k) of every sequence, of what the terms beyond the leading ones are made of.

With x[t] the current token and y[t] = x[t+1] its target, a table M [V, V] gives each sequence the pulls
P[t, k] = M[y[t], x[k]] (rows "next") or M[x[t], x[k]] (rows "current"); A0 is uniform attention and J0 the
softmax's Jacobian there (`reference.statistics.uniform_jacobian`). Every result is a mean over the N*T
positions. `gpu.pair_sums` has the same functions compiled.

Source: derived in `theory.next_order` and `theory.laws.large_vocabulary`, whose terms these are the parts of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from jaxtyping import Float64, Int64

from reference.statistics import uniform_attention, uniform_jacobian

Rows = Literal["current", "next"]
Tokens = Int64[np.ndarray, "N T_plus_1"]
Table = Float64[np.ndarray, "V V"]
ByTokens = Float64[np.ndarray, "V V"]
ByDistance = Float64[np.ndarray, " T"]


def shares(tokens: Tokens, vocab_size: int, weights: Float64[np.ndarray, "T T"], rows: Rows) -> ByTokens:
    """Return E[R^T weights X] [row token, context] with R the one-hot current or next tokens.

    For weights A0 and rows "next" it is Phi_bar without its centring.
    """
    total = np.zeros((vocab_size, vocab_size))
    for sequence in tokens:
        x = sequence[:-1]
        np.add.at(total, (_row_tokens(sequence, rows)[:, None], x[None, :]), np.tril(weights))
    return total / tokens[:, 1:].size


def evidence(tokens: Tokens, table: Table, rows: Rows) -> tuple[ByTokens, ByDistance]:
    """Return J0[P] by tokens [query, key] and by distance; for G_bar and "next", Q_bar and Delta_bar.

    Tables of rows "next" must have columns that sum to zero, as G_bar's do: the uniform part is left out.
    """
    return _read_out(tokens, table, rows, uniform_jacobian)


def stream_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByDistance]:
    """Return J0[P A0^T], P of the targets: each key pulls with the mean of what stands up to it."""
    A0 = uniform_attention(tokens.shape[1] - 1)
    return _read_out(tokens, table, "next", lambda P: uniform_jacobian(P @ A0.T))


def backward_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByDistance]:
    """Return J0[A0^T P], P of the targets: each query pulls with all later ones that attend to it."""
    A0 = uniform_attention(tokens.shape[1] - 1)
    return _read_out(tokens, table, "next", lambda P: uniform_jacobian(A0.T @ P))


def averaged_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByTokens]:
    """Return E[X^T A0^T J0[P] X] and E[X^T J0[P] A0 X], P of the targets."""
    V, A0 = len(table), uniform_attention(tokens.shape[1] - 1)
    before, after = np.zeros((V, V)), np.zeros((V, V))
    for sequence in tokens:
        x, y = sequence[:-1], sequence[1:]
        Q = uniform_jacobian(table[y[:, None], x[None, :]])
        np.add.at(before, (x[:, None], x[None, :]), A0.T @ Q)
        np.add.at(after, (x[:, None], x[None, :]), Q @ A0)
    return before / tokens[:, 1:].size, after / tokens[:, 1:].size


def _read_out(
    tokens: Tokens, table: Table, rows: Rows, scores: Callable[[np.ndarray], np.ndarray]
) -> tuple[ByTokens, ByDistance]:
    V, T = len(table), tokens.shape[1] - 1
    by_tokens, by_distance = np.zeros((V, V)), np.zeros(T)
    distance = np.subtract.outer(np.arange(T), np.arange(T))
    visible = distance >= 0
    for sequence in tokens:
        x = sequence[:-1]
        S = scores(table[_row_tokens(sequence, rows)[:, None], x[None, :]])
        np.add.at(by_tokens, (x[:, None], x[None, :]), S)
        np.add.at(by_distance, distance[visible], S[visible])
    return by_tokens / tokens[:, 1:].size, by_distance / tokens[:, 1:].size


def _row_tokens(sequence: Int64[np.ndarray, " T_plus_1"], rows: Rows) -> Int64[np.ndarray, " T"]:
    return sequence[1:] if rows == "next" else sequence[:-1]
