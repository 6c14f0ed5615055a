"""Adding a part of a corpus to the sums with the compiled loops, on several threads.

The work is cut into ranges of output rows that are the same however many threads there are, so the result
does not depend on their number, to the last bit.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from jaxtyping import Float64, Int64, UInt32

from gpu.sums import FirstSums, SecondSums

# Ranges of rows: enough for many threads, few enough that a range is long work.
RANGES = 64


def available() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


@dataclass(frozen=True)
class Order:
    """Positions s * (T+1) + t sorted by row, where each row's begin, and ranges of rows of equal work."""

    positions: Int64[np.ndarray, " positions"]
    first: Int64[np.ndarray, " V_plus_1"]
    ranges: Int64[np.ndarray, "ranges 2"]


def add_first(tokens: UInt32[np.ndarray, "n T_plus_1"], sums: FirstSums, threads: int) -> None:
    """Add the sequences to the first pass's sums; their tokens must be below V."""
    from gpu.compiled_kernels import add_counts, add_shares

    order = by_target(tokens, len(sums.count))
    add_counts(tokens, sums.count)
    add = partial(add_shares, tokens, order.positions, order.first)
    _on_threads(threads, [partial(add, rows, sums.share) for rows in order.ranges])
    sums.sequences += len(tokens)


def add_second(
    tokens: UInt32[np.ndarray, "n T_plus_1"],
    G_bar: Float64[np.ndarray, "V V"],
    sums: SecondSums,
    threads: int,
) -> None:
    """Add the sequences to the second pass's sums; their tokens must be below V."""
    from gpu.compiled_kernels import add_evidence

    order = by_current_and_target(tokens, len(G_bar))
    # A row of its own for each range, added up in the order of the ranges.
    farthest_first = np.zeros((len(order.ranges), tokens.shape[1] - 1))
    add = partial(add_evidence, tokens, order.positions, order.first)
    _on_threads(
        threads,
        [
            partial(add, rows, G_bar, sums.by_cell, distances)
            for rows, distances in zip(order.ranges, farthest_first, strict=True)
        ],
    )
    sums.by_distance += farthest_first.sum(axis=0)[::-1]
    sums.sequences += len(tokens)


def by_target(tokens: UInt32[np.ndarray, "n T_plus_1"], vocab_size: int) -> Order:
    """Return the positions sorted by y[t], those of one target in the order of the corpus."""
    return _sorted(tokens, 1, _all_positions(tokens), vocab_size)


def by_current_and_target(tokens: UInt32[np.ndarray, "n T_plus_1"], vocab_size: int) -> Order:
    """Return the positions sorted by x[t], those of one current token by y[t]."""
    return _sorted(tokens, 0, by_target(tokens, vocab_size).positions, vocab_size)


def usable_threads() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _all_positions(tokens: UInt32[np.ndarray, "n T_plus_1"]) -> Int64[np.ndarray, " positions"]:
    n, S = tokens.shape
    places: np.ndarray = np.arange(n)[:, None] * S + np.arange(S - 1)
    return places.ravel()


def _sorted(
    tokens: UInt32[np.ndarray, "n T_plus_1"],
    shift: int,
    order: Int64[np.ndarray, " positions"],
    vocab_size: int,
) -> Order:
    from gpu.compiled_kernels import sort_positions

    positions, first = np.empty_like(order), np.empty(vocab_size + 1, dtype=np.int64)
    sort_positions(tokens, shift, order, positions, first)
    pairs_before = np.concatenate([[0], np.cumsum(positions % tokens.shape[1] + 1)])[first]
    return Order(positions, first, _even_ranges(pairs_before))


def _even_ranges(before: Int64[np.ndarray, " V_plus_1"]) -> Int64[np.ndarray, "ranges 2"]:
    """Cut rows 0..V into ranges with about as many pairs each, from the pairs before each row."""
    goals = before[-1] * np.arange(1, RANGES) // RANGES
    cuts = np.concatenate([[0], np.searchsorted(before, goals), [len(before) - 1]])
    return np.stack([cuts[:-1], cuts[1:]], axis=1)


def _on_threads(threads: int, tasks: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(task) for task in tasks]:
            done.result()
