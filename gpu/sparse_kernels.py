"""The compiled loops for a large vocabulary: one dense row at a time, kept as its entries that are not zero.

`rows` is a range of output rows; the positions of row r are order[first[r] : first[r + 1]]. Columns and
values of the rows are appended to `columns` and `values`, and each row's number of entries goes to `sizes`.

Only `gpu.sparse_sums` should import this module: importing it needs numba.
"""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from gpu.compiled_kernels import add_shares, centre_and_add, compiled


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
