"""The loops over the pairs (t, k) of every sequence, compiled by numba for the CPU.

Positions are visited sorted by the output row that they add to. A call owns a range of rows: no two
threads write to the same number, each row's terms come in the order of the corpus, and the row being
written stays in cache. `tokens` is uint32 [n, T+1], entries below V: nothing is checked here. A position
is numbered s * (T+1) + t by its sequence s and its place t.

Only `gpu.compiled` should import this module: importing it needs numba.
"""

from __future__ import annotations

from typing import Any, no_type_check

import numba
import numpy as np


def compiled(function: Any) -> Any:
    """Compile at the first call, release Python's lock while running, and keep the machine code on disk."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder is writable: compile again in each process
        return numba.njit(nogil=True)(function)


@compiled
@no_type_check
def sort_positions(tokens, shift, order, sorted_order, first):
    """Sort positions by the token at place t + shift, keeping the order of equal ones (a counting sort).

    `order` lists the positions as they come; `sorted_order` receives them sorted. `first` [V+1] receives
    the index in it at which each token's positions begin.
    """
    S = tokens.shape[1]
    first[:] = 0
    for i in range(order.size):
        s = order[i] // S
        first[tokens[s, order[i] - s * S + shift] + 1] += 1
    for v in range(first.size - 1):
        first[v + 1] += first[v]
    place = first.copy()
    for i in range(order.size):
        s = order[i] // S
        token = tokens[s, order[i] - s * S + shift]
        sorted_order[place[token]] = order[i]
        place[token] += 1


@compiled
@no_type_check
def add_counts(tokens, count):
    """Add 1 to count[current, next] for each position."""
    for s in range(tokens.shape[0]):
        for t in range(tokens.shape[1] - 1):
            count[tokens[s, t], tokens[s, t + 1]] += 1


@compiled
@no_type_check
def add_shares(tokens, order, first, rows, total):
    """Add 1/(t+1) to total[y, x[k]] for each k <= t of the positions with target y, y in a range of rows.

    `order` is sorted by target.
    """
    S = tokens.shape[1]
    for y in range(rows[0], rows[1]):
        row = total[y]
        for i in range(first[y], first[y + 1]):
            s = order[i] // S
            prefix = tokens[s, : order[i] - s * S + 1]
            share = 1.0 / prefix.size
            for k in range(prefix.size):
                row[prefix[k]] += share


@compiled
@no_type_check
def sum_in_lanes(values):
    """Sum in four interleaved parts: one addition need not wait for the last, and the order is fixed."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = values.size // 4
    for j in range(whole):
        a += values[4 * j]
        b += values[4 * j + 1]
        c += values[4 * j + 2]
        d += values[4 * j + 3]
    for k in range(4 * whole, values.size):
        a += values[k]
    return (a + b) + (c + d)


@compiled
@no_type_check
def add_evidence(tokens, order, first, rows, G_bar, by_cell, farthest_first):
    """Add each pair's entry of Q_i to by_cell[x[t], x[k]] and to the sum of its distance t - k.

    The entry is G_bar[y[t], x[k]] less its mean over the prefix, divided by t + 1, for the positions with
    x[t] in a range of rows. `order` is sorted by the current token, and by target where that is equal: then
    a row of G_bar serves many positions. Distances are stored farthest first, as a prefix is.
    """
    S = tokens.shape[1]
    entry = np.empty(S - 1)
    for x in range(rows[0], rows[1]):
        row = by_cell[x]
        for i in range(first[x], first[x + 1]):
            s = order[i] // S
            t = order[i] - s * S
            prefix = tokens[s, : t + 1]
            G_row = G_bar[tokens[s, t + 1]]
            for k in range(prefix.size):
                entry[k] = G_row[prefix[k]]
            share = 1.0 / prefix.size
            mean = sum_in_lanes(entry[: prefix.size]) * share
            for k in range(prefix.size):
                entry[k] = (entry[k] - mean) * share
            by_distance = farthest_first[S - 2 - t :]
            for k in range(prefix.size):
                by_distance[k] += entry[k]
            for k in range(prefix.size):
                row[prefix[k]] += entry[k]
