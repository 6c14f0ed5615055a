"""Adding a part of a corpus to the sums with the compiled loops, on several threads.

For Phi_bar the positions are sorted by target; for Q_bar they come in groups by the current token, each
sorted by target, so that a group's rows of Q_bar and one row of G_bar are at hand at a time. Several
processes each do some groups of every part: each output row is summed by one of them. The result is the same,
to the last bit, for any number of threads and of processes.
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
from gpu.sums import LANES, FirstSums, SecondSums
from gpu.team import Team

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


def add_first(tokens: Tokens, sums: FirstSums, threads: int, team: Team) -> None:
    """Add this process's part of the first pass's sums over the sequences; their tokens must be below V."""
    from gpu.compiled_kernels import add_counts, add_shares

    V = len(sums.count)
    order = positions.by_target(tokens, positions.all_positions(tokens), V)
    groups = order.split(positions.target_groups(tokens, V))
    ours = [group for lane, group in _lanes(groups) if lane % team.size == team.rank]
    on_threads(threads, [partial(add_shares, tokens, group, sums.share, 0) for group in ours])
    if team.leads:
        add_counts(tokens, sums.count)
        sums.sequences += len(tokens)


def add_second(
    tokens: Tokens, G_bar: Float64[np.ndarray, "V V"], sums: SecondSums, threads: int, team: Team
) -> None:
    """Add this process's part of the second pass's sums over the sequences; their tokens must be below V."""
    from gpu.compiled_kernels import add_evidence

    V = len(G_bar)
    order = positions.by_target(tokens, positions.all_positions(tokens), V)
    groups = positions.by_group_of_current(tokens, order.positions, positions.current_groups(tokens, V))
    ours = [(lane, group) for lane, group in _lanes(groups) if lane % team.size == team.rank]
    # A row for each group, added up in the order of the groups.
    farthest_first = np.zeros((len(ours), tokens.shape[1] - 1))
    on_threads(
        threads,
        [
            partial(add_evidence, tokens, group, G_bar, sums.by_cell, distances)
            for (_, group), distances in zip(ours, farthest_first, strict=True)
        ],
    )
    for (lane, _), distances in zip(ours, farthest_first, strict=True):
        sums.by_distance[lane] += distances[::-1]
    if team.leads:
        sums.sequences += len(tokens)


def _lanes(groups: Sequence[np.ndarray]) -> list[tuple[int, np.ndarray]]:
    """Return the groups with the lane of each; a lane belongs to one process."""
    return [(number % LANES, group) for number, group in enumerate(groups)]


def on_threads(threads: int, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of the tasks, in their order."""
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(task) for task in tasks]]
