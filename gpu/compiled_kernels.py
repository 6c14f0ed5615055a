"""The loops over the pairs (t, k) of every sequence, compiled by numba for the CPU.

`tokens` is uint32 [n, T+1], entries below V: nothing is checked here. A position is numbered s * (T+1) + t
by its sequence s and its place t. A call works through a list of positions; calls on different threads get
positions that add to different output rows, so that no two write to the same number.

For a large vocabulary `sparse_shares` and `sparse_evidence` make one dense row at a time, kept as its
entries that are not zero. `rows` is a range of output rows; the positions of row r are
order[first[r] : first[r + 1]]. Columns and values of the rows are appended to `columns` and `values`, and
each row's number of entries goes to `sizes`.

A loop and those that it calls stand in one file: numba keeps machine code for as long as the file of a
function stays as it is, whatever becomes of others.

Only `gpu.compiled`, `gpu.sparse_sums` and `gpu.sparse_statistics` should import this module: importing it
needs numba.
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
def sort_positions(keys, order, sorted_order, first):
    """Sort positions by key, keeping the order of equal ones (a counting sort).

    `keys` has one for each position; `order` lists positions as they come, `sorted_order` receives them
    sorted, and `first` [keys + 1] the index in it at which those of each key begin.
    """
    first[:] = 0
    for i in range(order.size):
        first[keys[order[i]] + 1] += 1
    for key in range(first.size - 1):
        first[key + 1] += first[key]
    place = first.copy()
    for i in range(order.size):
        key = keys[order[i]]
        sorted_order[place[key]] = order[i]
        place[key] += 1


@compiled
@no_type_check
def add_counts(tokens, count):
    """Add 1 to count[current, next] for each position of all sequences."""
    for s in range(tokens.shape[0]):
        for t in range(tokens.shape[1] - 1):
            count[tokens[s, t], tokens[s, t + 1]] += 1


@compiled
@no_type_check
def add_shares(tokens, positions, total, first_row):
    """Add 1/(t+1) to total[y[t] - first_row, x[k]] for each k <= t of the positions."""
    S = tokens.shape[1]
    for i in range(positions.size):
        s = positions[i] // S
        t = positions[i] - s * S
        prefix = tokens[s, : t + 1]
        row = total[tokens[s, t + 1] - first_row]
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
def centre_and_add(prefix, entry, row, by_distance):
    """Take the mean off the entries of a prefix, divide by its length, and add them to both sums."""
    share = 1.0 / prefix.size
    mean = sum_in_lanes(entry[: prefix.size]) * share
    for k in range(prefix.size):
        entry[k] = (entry[k] - mean) * share
    for k in range(prefix.size):
        by_distance[k] += entry[k]
    for k in range(prefix.size):
        row[prefix[k]] += entry[k]


@compiled
@no_type_check
def add_evidence(tokens, positions, G_bar, by_cell, farthest_first):
    """Add the entry of Q_i of each pair of the positions to by_cell[x[t], x[k]] and to its distance t - k.

    The entry is G_bar[y[t], x[k]] less its mean over the prefix, divided by t + 1. Distances are stored
    farthest first, as a prefix is.
    """
    S = tokens.shape[1]
    entry = np.empty(S - 1)
    for i in range(positions.size):
        s = positions[i] // S
        t = positions[i] - s * S
        prefix = tokens[s, : t + 1]
        G_row = G_bar[tokens[s, t + 1]]
        for k in range(prefix.size):
            entry[k] = G_row[prefix[k]]
        centre_and_add(prefix, entry, by_cell[tokens[s, t]], farthest_first[S - 2 - t :])


@compiled
@no_type_check
def take_entries(row, columns, values, used):
    """Append a row's entries that are not zero, clear the row, and return how many entries there are now."""
    for c in range(row.size):
        value = row[c]
        if value != 0.0:
            columns[used] = c
            values[used] = value
            used += 1
            row[c] = 0.0
    return used


@compiled
@no_type_check
def sparse_shares(tokens, order, first, rows, vocab_size, columns, values, sizes):
    """Sum 1/(t+1) by [y[t], x[k]]; return how many entries there are. `order` is sorted by target."""
    row = np.zeros((1, vocab_size))
    used = 0
    for y in range(rows[0], rows[1]):
        before = used
        if first[y + 1] > first[y]:
            add_shares(tokens, order[first[y] : first[y + 1]], row, y)
            used = take_entries(row[0], columns, values, used)
        sizes[y - rows[0]] = used - before
    return used


@compiled
@no_type_check
def sparse_evidence(
    tokens,
    order,
    first,
    rows,
    vocab_size,
    G_first,
    G_columns,
    G_values,
    farthest_first,
    columns,
    values,
    sizes,
):
    """Sum the entries of Q_i by [x[t], x[k]] and by distance; return how many entries there are.

    G_bar [target, context] is given where a context has met a target: row y is at G_first[y] to
    G_first[y + 1] of the sorted columns and the values. `order` is sorted by the current token.
    """
    S = tokens.shape[1]
    entry = np.empty(S - 1)
    row = np.zeros(vocab_size)
    used = 0
    for x in range(rows[0], rows[1]):
        before = used
        for i in range(first[x], first[x + 1]):
            s = order[i] // S
            t = order[i] - s * S
            y = tokens[s, t + 1]
            prefix = tokens[s, : t + 1]
            met = G_columns[G_first[y] : G_first[y + 1]]
            for k in range(prefix.size):
                entry[k] = G_values[G_first[y] + np.searchsorted(met, prefix[k])]
            centre_and_add(prefix, entry, row, farthest_first[S - 2 - t :])
        if first[x + 1] > first[x]:
            used = take_entries(row, columns, values, used)
        sizes[x - rows[0]] = used - before
    return used


@compiled
@no_type_check
def add_product(first, columns, values, dense, product):
    """Add to `product` [V, n] the product of a sparse array [V, V] and `dense` [V, n].

    Row i of the sparse array is at first[i] to first[i + 1] of its columns (unsigned) and values.
    """
    for i in range(first.size - 1):
        for e in range(first[i], first[i + 1]):
            value, j = values[e], columns[e]
            for c in range(dense.shape[1]):
                product[i, c] += value * dense[j, c]
