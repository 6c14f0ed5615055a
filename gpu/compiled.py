"""Adding a part of a corpus to the sums with the compiled loops, on several threads.

Positions are sorted, so that a thread works on rows of its own and finds them in its cache: by target for
Phi_bar; for Q_bar by groups of the current token and then by target, so that a group's rows of Q_bar and
one row of G_bar are at hand at a time. The cut into groups depends on the part alone: the result is the
same, to the last bit, for any number of threads.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from jaxtyping import Float64, Int64, UInt32

from gpu.sums import FirstSums, SecondSums

# Groups of about equal work: enough for many threads, few enough that one is long work.
GROUPS = 64
# Rows of Q_bar in a group: about what the second-level cache of one processor holds.
GROUP_BYTES = 1 << 20

Tokens = UInt32[np.ndarray, "n T_plus_1"]
Positions = Int64[np.ndarray, " positions"]


def available() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


def usable_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def add_first(tokens: Tokens, sums: FirstSums, threads: int) -> None:
    """Add the sequences to the first pass's sums; their tokens must be below V."""
    from gpu.compiled_kernels import add_counts, add_shares

    add_counts(tokens, sums.count)
    groups = by_target(tokens, len(sums.count))
    _on_threads(threads, [partial(add_shares, tokens, positions, sums.share) for positions in groups])
    sums.sequences += len(tokens)


def add_second(tokens: Tokens, G_bar: Float64[np.ndarray, "V V"], sums: SecondSums, threads: int) -> None:
    """Add the sequences to the second pass's sums; their tokens must be below V."""
    from gpu.compiled_kernels import add_evidence

    groups = by_current_and_target(tokens, len(G_bar))
    # A row for each group, added up in the order of the groups.
    farthest_first = np.zeros((len(groups), tokens.shape[1] - 1))
    _on_threads(
        threads,
        [
            partial(add_evidence, tokens, positions, G_bar, sums.by_cell, distances)
            for positions, distances in zip(groups, farthest_first, strict=True)
        ],
    )
    sums.by_distance += farthest_first.sum(axis=0)[::-1]
    sums.sequences += len(tokens)


def by_target(tokens: Tokens, vocab_size: int) -> list[np.ndarray]:
    """Return the positions sorted by y[t], in groups of whole rows, each row in the order of the corpus."""
    order, first = _sorted(_targets(tokens), _all_positions(tokens), vocab_size)
    group = _groups(_pairs(tokens[:, 1:], vocab_size), vocab_size)
    return np.split(order, first[np.searchsorted(group, np.arange(1, group[-1] + 1))])


def by_current_and_target(tokens: Tokens, vocab_size: int) -> list[np.ndarray]:
    """Return the positions in groups by x[t], each group sorted by y[t]."""
    rows = max(1, GROUP_BYTES // (8 * vocab_size))
    group = _groups(_pairs(tokens[:, :-1], vocab_size), rows)
    order, _ = _sorted(_targets(tokens), _all_positions(tokens), vocab_size)
    order, first = _sorted(group[tokens].ravel(), order, int(group[-1]) + 1)
    return np.split(order, first[1:-1])


def _all_positions(tokens: Tokens) -> Positions:
    n, S = tokens.shape
    places: np.ndarray = np.arange(n)[:, None] * S + np.arange(S - 1)
    return places.ravel()


def _targets(tokens: Tokens) -> UInt32[np.ndarray, " tokens"]:
    """Return y[t] by the number of a position; what stands at the number of a last token is not used."""
    return np.roll(tokens.ravel(), -1)


def _pairs(of: UInt32[np.ndarray, "n T"], vocab_size: int) -> Float64[np.ndarray, " V"]:
    """Return how many pairs (t, k) each token has among its positions t."""
    each = np.broadcast_to(np.arange(1.0, of.shape[1] + 1), of.shape)
    return np.bincount(of.ravel(), weights=each.ravel(), minlength=vocab_size)


def _groups(pairs: Float64[np.ndarray, " V"], most_rows: int) -> Int64[np.ndarray, " V"]:
    """Number the groups of consecutive rows: at most `most_rows`, and about 1/GROUPS of all pairs."""
    before = np.cumsum(pairs) - pairs
    by_work = before * GROUPS // max(1.0, pairs.sum())
    by_size = np.arange(len(pairs)) // most_rows
    begins = (np.diff(by_work, prepend=0) > 0) | (np.diff(by_size, prepend=0) > 0)
    return np.cumsum(begins)


def _sorted(
    keys: np.ndarray, order: Positions, count: int
) -> tuple[Positions, Int64[np.ndarray, " count_plus_1"]]:
    from gpu.compiled_kernels import sort_positions

    positions, first = np.empty_like(order), np.empty(count + 1, dtype=np.int64)
    sort_positions(keys.astype(np.uint32, copy=False), order, positions, first)
    return positions, first


def _on_threads(threads: int, tasks: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()
