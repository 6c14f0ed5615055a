"""The sums of `reference.pair_sums`, compiled: the same functions, orders of magnitude faster.

Sums are float64 and added in the order of the corpus, so that the same input gives the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float64, Int64

from reference.pair_sums import Rows

Tokens = Int64[np.ndarray, "N T_plus_1"]
Table = Float64[np.ndarray, "V V"]
ByTokens = Float64[np.ndarray, "V V"]
ByDistance = Float64[np.ndarray, " T"]


def shares(tokens: Tokens, vocab_size: int, weights: Float64[np.ndarray, "T T"], rows: Rows) -> ByTokens:
    """See `reference.pair_sums.shares`."""
    from gpu.pair_kernels import add_weights

    total = np.zeros((vocab_size, vocab_size))
    add_weights(_small(tokens), weights, _shift(rows), total)
    return total / tokens[:, 1:].size


def evidence(tokens: Tokens, table: Table, rows: Rows) -> tuple[ByTokens, ByDistance]:
    """See `reference.pair_sums.evidence`."""
    from gpu.pair_kernels import add_evidence_of

    by_cell, by_distance = np.zeros(table.shape), np.zeros(tokens.shape[1] - 1)
    add_evidence_of(_small(tokens), np.ascontiguousarray(table), _shift(rows), by_cell, by_distance)
    return by_cell / tokens[:, 1:].size, by_distance / tokens[:, 1:].size


def stream_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByDistance]:
    """See `reference.pair_sums.stream_evidence`."""
    from gpu.pair_kernels import add_stream_evidence

    by_cell, by_distance = np.zeros(table.shape), np.zeros(tokens.shape[1] - 1)
    add_stream_evidence(_small(tokens), np.ascontiguousarray(table), by_cell, by_distance)
    return by_cell / tokens[:, 1:].size, by_distance / tokens[:, 1:].size


def backward_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByDistance]:
    """See `reference.pair_sums.backward_evidence`."""
    from gpu.pair_kernels import add_backward_evidence

    by_cell, by_distance = np.zeros(table.shape), np.zeros(tokens.shape[1] - 1)
    add_backward_evidence(_small(tokens), np.ascontiguousarray(table), by_cell, by_distance)
    return by_cell / tokens[:, 1:].size, by_distance / tokens[:, 1:].size


def averaged_evidence(tokens: Tokens, table: Table) -> tuple[ByTokens, ByTokens]:
    """See `reference.pair_sums.averaged_evidence`."""
    from gpu.pair_kernels import add_averaged_evidence

    before, after = np.zeros(table.shape), np.zeros(table.shape)
    add_averaged_evidence(_small(tokens), np.ascontiguousarray(table), before, after)
    return before / tokens[:, 1:].size, after / tokens[:, 1:].size


def _small(tokens: Any) -> np.ndarray:
    return np.ascontiguousarray(tokens, dtype=np.uint32)


def _shift(rows: Rows) -> int:
    return 1 if rows == "next" else 0
