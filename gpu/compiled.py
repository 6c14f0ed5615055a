"""Adding a part of a corpus to the sums with the compiled loops, on several threads.

For Phi_bar the positions are sorted by target; for Q_bar they come in groups by the current token, each
sorted by target, so that a group's rows of Q_bar and one row of G_bar are at hand at a time. The result is
the same, to the last bit, for any number of threads.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import numpy as np
from jaxtyping import Float64, UInt32

from gpu import positions
from gpu.sums import FirstSums, SecondSums

Tokens = UInt32[np.ndarray, "n T_plus_1"]
Result = TypeVar("Result")


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

    V = len(sums.count)
    add_counts(tokens, sums.count)
    order = positions.by_target(tokens, positions.all_positions(tokens), V)
    groups = order.split(positions.target_groups(tokens, V))
    on_threads(threads, [partial(add_shares, tokens, group, sums.share, 0) for group in groups])
    sums.sequences += len(tokens)


def add_second(tokens: Tokens, G_bar: Float64[np.ndarray, "V V"], sums: SecondSums, threads: int) -> None:
    """Add the sequences to the second pass's sums; their tokens must be below V."""
    from gpu.compiled_kernels import add_evidence

    V = len(G_bar)
    order = positions.by_target(tokens, positions.all_positions(tokens), V)
    groups = positions.by_group_of_current(tokens, order.positions, positions.current_groups(tokens, V))
    # A row for each group, added up in the order of the groups.
    farthest_first = np.zeros((len(groups), tokens.shape[1] - 1))
    on_threads(
        threads,
        [
            partial(add_evidence, tokens, group, G_bar, sums.by_cell, distances)
            for group, distances in zip(groups, farthest_first, strict=True)
        ],
    )
    sums.by_distance += farthest_first.sum(axis=0)[::-1]
    sums.sequences += len(tokens)


def on_threads(threads: int, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of the tasks, in their order."""
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(task) for task in tasks]]
