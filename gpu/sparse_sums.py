"""The sums of the statistics as sparse arrays: what a vocabulary too large for [V, V] arrays needs.

An entry of Phi_bar's or Q_bar's sum is there only where a word has met a word in one sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from jaxtyping import Float64, Int64, UInt32
from scipy import sparse

from gpu import positions
from gpu.compiled import on_threads

Tokens = UInt32[np.ndarray, "n T_plus_1"]
# The columns, values and row sizes of some consecutive rows.
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], int]


def sparse_counts(tokens: Tokens, vocab_size: int) -> Any:
    """Return how often each pair [current, next] occurs, a CSR array [V, V] of float64 whole numbers."""
    cells = (tokens[:, :-1].ravel(), tokens[:, 1:].ravel())
    ones = np.ones(tokens[:, 1:].size)
    return sparse.csr_array(sparse.coo_array((ones, cells), shape=(vocab_size, vocab_size)))


def sparse_shares(tokens: Tokens, vocab_size: int, threads: int) -> Any:
    """Return the sum of 1/(t+1) over pairs (t, k) by [target, context], a CSR array [V, V]."""
    from gpu import compiled_kernels

    order = positions.by_target(tokens, positions.all_positions(tokens), vocab_size)
    groups = positions.bounds(positions.target_groups(tokens, vocab_size))
    tasks = [
        partial(
            _rows,
            tokens,
            order,
            rows,
            partial(compiled_kernels.sparse_shares, tokens, order.positions, order.first, rows, vocab_size),
        )
        for rows in _ranges(groups)
    ]
    return _joined(on_threads(threads, tasks), vocab_size)


def sparse_evidence(
    tokens: Tokens, G_bar: Any, vocab_size: int, threads: int
) -> tuple[Any, Float64[np.ndarray, " T"]]:
    """Return the sums of the entries of Q_i by [query, key], a CSR array [V, V], and by distance [T].

    G_bar [target, context] is a CSR array with sorted columns that has an entry, zero or not, for each
    pair of a target and a context that occurs.
    """
    from gpu import compiled_kernels

    order = positions.by_target(tokens, positions.all_positions(tokens), vocab_size)
    order = positions.by_current(tokens, order.positions, vocab_size)
    ranges = _ranges(positions.bounds(positions.current_groups(tokens, vocab_size, 8 * vocab_size**2)))
    farthest_first = np.zeros((len(ranges), tokens.shape[1] - 1))
    G = (G_bar.indptr, G_bar.indices, G_bar.data)
    tasks = [
        partial(
            _rows,
            tokens,
            order,
            rows,
            partial(
                compiled_kernels.sparse_evidence,
                *(tokens, order.positions, order.first, rows, vocab_size, *G, distances),
            ),
        )
        for rows, distances in zip(ranges, farthest_first, strict=True)
    ]
    by_cell = _joined(on_threads(threads, tasks), vocab_size)
    return by_cell, farthest_first.sum(axis=0)[::-1]


def _ranges(bounds: Int64[np.ndarray, " bounds"]) -> list[tuple[int, int]]:
    return [(int(begin), int(end)) for begin, end in pairwise(bounds)]


def _rows(tokens: Tokens, order: positions.Sorted, rows: tuple[int, int], kernel: Kernel) -> Rows:
    """Run a kernel on a range of rows, with room for as many entries as there can be."""
    V = len(order.first) - 1
    some = order.positions[order.first[rows[0]] : order.first[rows[1]]]
    pairs = int((some % tokens.shape[1] + 1).sum())
    room = min(pairs, (rows[1] - rows[0]) * V)
    columns, values = np.empty(room, dtype=np.int32), np.empty(room)
    sizes = np.empty(rows[1] - rows[0], dtype=np.int64)
    used = kernel(columns, values, sizes)  # type: ignore[call-arg]
    return columns[:used].copy(), values[:used].copy(), sizes


def _joined(pieces: list[Rows], vocab_size: int) -> Any:
    """Join consecutive rows to a CSR array, giving up each piece once it is copied."""
    first = np.concatenate([[0], np.cumsum(np.concatenate([sizes for _, _, sizes in pieces]))])
    columns, values = np.empty(first[-1], dtype=np.int32), np.empty(first[-1])
    end = int(first[-1])
    while pieces:
        some_columns, some_values, _ = pieces.pop()
        begin = end - len(some_values)
        columns[begin:end], values[begin:end] = some_columns, some_values
        end = begin
    return sparse.csr_array((values, columns, first), shape=(vocab_size, vocab_size))
