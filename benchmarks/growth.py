"""How the cost of a computation grows with the size of what it is given, on a machine that others use too.

What else runs on a machine only adds to a time, by 10% and more and for seconds on end. So every size does
the same amount of work in a round, in as many calls as that takes; the calls of all sizes alternate, so that
a slow spell meets them all; and of the rounds the least counts, not the middle one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log2
from statistics import linear_regression

from benchmarks.measuring import processor_seconds

ROUNDS = 5


def exponent(work: Mapping[int, Callable[[], object]], rounds: int = ROUNDS) -> float:
    """Return the slope of the logarithm of a call's least cost in that of its size: 1 where it is linear.

    `work` has a call by its size, such as a number of sequences; the largest size is a multiple of each.
    """
    costs = least_costs(work, rounds)
    return linear_regression([log2(size) for size in costs], [log2(cost) for cost in costs.values()]).slope


def least_costs(work: Mapping[int, Callable[[], object]], rounds: int) -> dict[int, float]:
    """Return the processor seconds of a call by its size, from the round in which that size took least."""
    of_rounds = [one_round(work) for _ in range(rounds)]
    return {size: min(costs[size] for costs in of_rounds) for size in work}


def one_round(work: Mapping[int, Callable[[], object]]) -> dict[int, float]:
    """Return the mean processor seconds of a call by its size."""
    spent = dict.fromkeys(work, 0.0)
    for size in in_turn(list(work)):
        spent[size] += processor_seconds(work[size])
    return {size: total * size / max(work) for size, total in spent.items()}


def in_turn(sizes: list[int]) -> list[int]:
    """Return the sizes in the order of calls: each as often as makes the largest, spread over a round."""
    calls = [((i + 0.5) * size, size) for size in sizes for i in range(max(sizes) // size)]
    return [size for _, size in sorted(calls)]
