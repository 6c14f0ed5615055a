"""The loops of `gpu.pair_sums` over the pairs of every sequence, compiled by numba for the CPU.

`tokens` is uint32 [n, T+1], entries below V: nothing is checked here. `shift` 1 takes the rows of a table by
the next token, 0 by the current one. Each call adds to arrays of its own, in the order of the corpus.

Only `gpu.pair_sums` should import this module: importing it needs numba.
"""

from __future__ import annotations

from typing import no_type_check

import numpy as np

from gpu.compiled_kernels import compiled


@compiled
@no_type_check
def add_weights(tokens, weights, shift, total):
    """Add weights[t, k] to total[token t + shift, x[k]] for each k <= t."""
    for s in range(tokens.shape[0]):
        for t in range(tokens.shape[1] - 1):
            row = total[tokens[s, t + shift]]
            for k in range(t + 1):
                row[tokens[s, k]] += weights[t, k]


@compiled
@no_type_check
def centred(pull, size):
    """Apply J0 to the first `size` entries of one row of pulls."""
    mean = 0.0
    for k in range(size):
        mean += pull[k]
    mean /= size
    for k in range(size):
        pull[k] = (pull[k] - mean) / size


@compiled
@no_type_check
def read_out(tokens, s, t, pull, by_cell, by_distance):
    """Add one centred row of pulls to both sums."""
    row = by_cell[tokens[s, t]]
    for k in range(t + 1):
        row[tokens[s, k]] += pull[k]
        by_distance[t - k] += pull[k]


@compiled
@no_type_check
def add_evidence_of(tokens, table, shift, by_cell, by_distance):
    """Add J0[P] of every sequence."""
    pull = np.empty(tokens.shape[1] - 1)
    for s in range(tokens.shape[0]):
        for t in range(tokens.shape[1] - 1):
            row = table[tokens[s, t + shift]]
            for k in range(t + 1):
                pull[k] = row[tokens[s, k]]
            centred(pull, t + 1)
            read_out(tokens, s, t, pull, by_cell, by_distance)


@compiled
@no_type_check
def add_stream_evidence(tokens, table, by_cell, by_distance):
    """Add J0[P A0^T]: running means of the pulls along the keys."""
    pull = np.empty(tokens.shape[1] - 1)
    for s in range(tokens.shape[0]):
        for t in range(tokens.shape[1] - 1):
            row, total = table[tokens[s, t + 1]], 0.0
            for k in range(t + 1):
                total += row[tokens[s, k]]
                pull[k] = total / (k + 1)
            centred(pull, t + 1)
            read_out(tokens, s, t, pull, by_cell, by_distance)


@compiled
@no_type_check
def add_backward_evidence(tokens, table, by_cell, by_distance):
    """Add J0[A0^T P]: sums of the pulls over the queries from the last one back."""
    T = tokens.shape[1] - 1
    later, pull = np.empty(T), np.empty(T)
    for s in range(tokens.shape[0]):
        later[:] = 0.0
        for t in range(T - 1, -1, -1):
            row = table[tokens[s, t + 1]]
            for k in range(t + 1):
                later[k] += row[tokens[s, k]] / (t + 1)
                pull[k] = later[k]
            centred(pull, t + 1)
            read_out(tokens, s, t, pull, by_cell, by_distance)


@compiled
@no_type_check
def add_averaged_evidence(tokens, table, before, after):
    """Add X^T A0^T Q X to `before` and X^T Q A0 X to `after`, with Q = J0[P]."""
    T = tokens.shape[1] - 1
    Q = np.zeros((T, T))
    for s in range(tokens.shape[0]):
        for t in range(T):
            row = table[tokens[s, t + 1]]
            for k in range(t + 1):
                Q[t, k] = row[tokens[s, k]]
            centred(Q[t], t + 1)
            # (Q A0)[t, j] = sum over k >= j of Q[t, k] / (k + 1)
            cell, total = after[tokens[s, t]], 0.0
            for j in range(t, -1, -1):
                total += Q[t, j] / (j + 1)
                cell[tokens[s, j]] += total
        # (A0^T Q)[j, k] = sum over t >= j, k of Q[t, k] / (t + 1)
        for k in range(T):
            total = 0.0
            for j in range(T - 1, -1, -1):
                if j >= k:
                    total += Q[j, k] / (j + 1)
                before[tokens[s, j], tokens[s, k]] += total
