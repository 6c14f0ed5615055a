"""Adding a part of a corpus to the sums with the compiled loops, on several threads.

For Phi_bar the positions are sorted by target; for Q_bar they come in groups by the current token, each
sorted by target, so that a group's rows of Q_bar and one row of G_bar are at hand at a time. Groups are the
same for every part, and of several processes each does some of them: an output row is summed by one of them
alone. The result is the same, to the last bit, for any number of threads and of processes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from jaxtyping import Float64, Int64, UInt32

from gpu import positions
from gpu.sums import LANES, FirstSums, SecondSums
from gpu.team import Team

Tokens = UInt32[np.ndarray, "n T_plus_1"]
Result = TypeVar("Result")


def available() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


@dataclass(frozen=True)
class Cut:
    """Which rows of the sums are one task, in every part of a corpus; each task is done by one process.

    Attributes:
        targets: the group of each target, for Phi_bar.
        currents: that of each current token, for Q_bar.
    """

    targets: Int64[np.ndarray, " V"]
    currents: Int64[np.ndarray, " V"]

    @classmethod
    def of(cls, tokens: Tokens, vocab_size: int) -> Cut:
        """Return a cut into groups of about equal work, for a corpus whose first part is `tokens`."""
        return cls(positions.target_groups(tokens, vocab_size), positions.current_groups(tokens, vocab_size))


def add_first(tokens: Tokens, sums: FirstSums, cut: Cut, threads: int, team: Team) -> None:
    """Add this process's part of the first pass's sums over the sequences; their tokens must be below V."""
    from gpu.compiled_kernels import add_counts, add_shares

    order = positions.by_target(tokens, positions.all_positions(tokens), len(sums.count))
    ours = [group for _, group in _ours(order.split(cut.targets), team)]
    on_threads(threads, [partial(add_shares, tokens, group, sums.share, 0) for group in ours])
    if team.leads:
        add_counts(tokens, sums.count)
        sums.sequences += len(tokens)


def add_second(
    tokens: Tokens,
    G_bar: Float64[np.ndarray, "V V"],
    sums: SecondSums,
    cut: Cut,
    threads: int,
    team: Team,
) -> None:
    """Add this process's part of the second pass's sums over the sequences; their tokens must be below V."""
    from gpu.compiled_kernels import add_evidence

    order = positions.by_target(tokens, positions.all_positions(tokens), len(G_bar))
    groups = positions.by_group_of_current(tokens, order.positions, cut.currents)
    ours = _ours(groups, team)
    # A row for each group, added to its lane in the order of the groups.
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


def _ours(groups: Sequence[np.ndarray], team: Team) -> list[tuple[int, np.ndarray]]:
    """Return the groups that this process does, each with its lane; a lane is one process's."""
    lanes = [(number % LANES, group) for number, group in enumerate(groups)]
    return [(lane, group) for lane, group in lanes if lane % team.size == team.rank]


def on_threads(threads: int, tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of the tasks, in their order."""
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(task) for task in tasks]]
