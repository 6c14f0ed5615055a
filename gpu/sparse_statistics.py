"""The statistics of a corpus with a vocabulary too large for [V, V] arrays.

B_bar and Phi_bar are a sparse array less an even share of each row or column; Q_bar is sparse. Memory is
about 30 bytes for each pair of words that met in one sequence, and one part of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64
from scipy import sparse

from gpu import compiled, sparse_sums
from gpu.sparse_progress import SparseFirstSums, SparseSecondSums, arrays_of
from gpu.team import Team
from gpu.two_passes import SECONDS_BETWEEN_SAVES, Passes, Told, Traces, run_passes
from reference.errors import InputError
from reference.processors import usable_processors

# Columns of Phi_bar that a thread makes dense at a time, in three arrays of V rows.
COLUMNS_AT_ONCE = 64


@dataclass(frozen=True)
class SparseStatistics:
    """What determines B_bar, Phi_bar, Q_bar and Delta_bar; the arrays [V, V] are SciPy CSR, float64.

    Attributes:
        count: how often each pair [current, next] occurs.
        share: the sum of 1/(t+1) over pairs (t, k) by [target, context].
        Q_bar: [query, key].
        Delta_bar: [T], by distance.
        sequences: N.
    """

    count: Any
    share: Any
    Q_bar: Any
    Delta_bar: Float64[np.ndarray, " T"]
    sequences: int

    @property
    def positions(self) -> int:
        """N*T."""
        return self.sequences * len(self.Delta_bar)

    def B_bar_row(self, current: int) -> Float64[np.ndarray, " V"]:
        """Return B_bar[current], by the next token."""
        row = self.count[[current]].toarray()[0]
        return np.asarray((row - row.sum() / len(row)) / self.positions)

    def Phi_bar_column(self, context: int) -> Float64[np.ndarray, " V"]:
        """Return Phi_bar[:, context], by the target."""
        column = self.share[:, [context]].toarray()[:, 0]
        return np.asarray((column - column.sum() / len(column)) / self.positions)

    def matrices(self) -> dict[str, Any]:
        """Return what determines the statistics, by name."""
        return {
            "count": self.count,
            "share": self.share,
            "Q_bar": self.Q_bar,
            "Delta_bar": self.Delta_bar,
        }

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the same as arrays: Delta_bar [T], of a sparse one NAME.indptr, .indices and .data."""
        matrices = self.matrices()
        return {"Delta_bar": matrices.pop("Delta_bar"), **arrays_of(matrices)}


def sparse_statistics(
    parts: Iterable[np.ndarray],
    vocab_size: int,
    *,
    threads: int | None = None,
    saved: Path | None = None,
    seconds_between_saves: float = SECONDS_BETWEEN_SAVES,
    told: Told | None = None,
    team: Team | None = None,
) -> SparseStatistics:
    """Return the statistics of a corpus that comes in parts, for any vocabulary.

    Args:
        parts: arrays [n, T+1] of whole numbers below `vocab_size`; gone through twice, in the same order.
        vocab_size: V.
        threads: as many as processors by default.
        saved: as the next two, see `gpu.streaming.stream_statistics`.
        seconds_between_saves: the shortest time between two saves.
        told: called with the pass and the sequences gone through.
        team: the processes that share the work; each part is done by one of them.

    Raises:
        InputError: a part is no such array, there is none or only once, the saved progress is of another
            corpus or another size or cannot be written, or numba is not installed.
    """
    if not compiled.available():
        raise InputError("Sparse statistics need numba; run: pip install numba.")
    team = team or Team()
    threads = usable_processors() if threads is None else threads

    def add_first(tokens: np.ndarray, sums: SparseFirstSums) -> None:
        count = sparse_sums.sparse_counts(tokens, vocab_size)
        sums.add(count, sparse_sums.sparse_shares(tokens, vocab_size, threads), len(tokens))

    def between(sums: SparseFirstSums) -> Any:
        return met_entries_of_G_bar(sums.count, sums.share, sums.sequences * sums.length, threads)

    def add_second(tokens: np.ndarray, G_bar: Any, sums: SparseSecondSums) -> None:
        sums.add(*sparse_sums.sparse_evidence(tokens, G_bar, vocab_size, threads), len(tokens))

    passes = Passes(
        SparseFirstSums,
        SparseSecondSums,
        add_first,
        between,
        add_second,
        lambda part: part % team.size == team.rank,
        "parts",
    )
    first, _, second = run_passes(parts, vocab_size, passes, Traces(saved, seconds_between_saves, told), team)
    positions = first.sequences * first.length
    return SparseStatistics(
        first.count,
        first.share,
        second.by_cell / positions,
        second.by_distance / positions,
        first.sequences,
    )


def met_entries_of_G_bar(count: Any, share: Any, positions: int, threads: int) -> Any:
    """Return G_bar = Sigma_B Phi_bar where a context has met a target, as a CSR array.

    Some columns of Phi_bar at a time are made dense. They sum to zero, so the even share of B_bar drops out
    of B_bar Phi_bar, and stays in the product with B_bar^T.
    """
    by_context = sparse.csc_array(share)
    J, J_T = _Factor.of(count), _Factor.of(sparse.csr_array(count.T))
    current = np.asarray(count.sum(axis=1)).ravel()

    def replace(start: int) -> None:
        some = by_context[:, start : start + COLUMNS_AT_ONCE]
        dense = some.toarray(order="C")  # rows of some columns lie together
        H = J.times((dense - dense.mean(axis=0)) / positions) / positions
        G_bar = (J_T.times(H) - current @ H / len(current)) / positions
        column = np.repeat(np.arange(some.shape[1]), np.diff(some.indptr))
        first = by_context.indptr[start]
        by_context.data[first : first + some.nnz] = G_bar[some.indices, column]

    starts = range(0, share.shape[1], COLUMNS_AT_ONCE)
    compiled.on_threads(threads, [partial(replace, start) for start in starts])
    G = sparse.csr_array(by_context)
    G.sort_indices()
    return G


@dataclass(frozen=True)
class _Factor:
    """A sparse array [V, V] as the left factor of products."""

    first: np.ndarray
    columns: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, matrix: Any) -> _Factor:
        return cls(matrix.indptr, matrix.indices.astype(np.uint32), matrix.data)

    def times(self, dense: Float64[np.ndarray, "V n"]) -> Float64[np.ndarray, "V n"]:
        from gpu.compiled_kernels import add_product

        product = np.zeros_like(dense)
        add_product(self.first, self.columns, self.values, dense, product)
        return product
