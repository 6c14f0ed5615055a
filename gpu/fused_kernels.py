"""The sums over pairs (t, k) in one kernel a pass: nothing of a pair is written but what it adds.

A program takes one query t at a time, with its keys in LANES lanes by distance d = t - k. A token that comes
again has the same cell and the same entry each time: its last occurrence up to t stands for all and adds the
entry times their number. So the cells of frequent words, which many programs add to, are added to less often.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def mark_repeats(tokens, later, copies, T, LANES: tl.constexpr):
    """Find, for each position k of a sequence, the next one of its token (T if none), and how many up to k.

    One program for each sequence; LANES is at least T.
    """
    start, place = tokens + tl.program_id(0).to(tl.int64) * (T + 1), tl.program_id(0).to(tl.int64) * T
    k = tl.arange(0, LANES)
    token = tl.load(start + k, mask=k < T, other=0)
    after, count = tl.full([LANES], T, tl.int32), tl.zeros([LANES], tl.int32)
    for other in range(T - 1, -1, -1):  # backwards, so that the next one is the last to be found
        same = token == tl.load(start + other)
        count += (same & (other <= k)).to(tl.int32)
        after = tl.where(same & (other > k), other, after)
    tl.store(later + place + k, after, mask=k < T)
    tl.store(copies + place + k, count, mask=k < T)


@triton.jit
def run_of(items):
    """Return where this program's items begin and end: neighbours, which read the same sequence again."""
    each = tl.cdiv(items, tl.num_programs(0))
    begin = tl.program_id(0) * each
    return begin, tl.minimum(begin + each, items)


@triton.jit
def add_shares(tokens, later, copies, inverse, share, N, T, V, first, stop, LANES: tl.constexpr):
    """Add 1/(t+1) to the cell [target, context] of each pair with first <= t < stop <= LANES."""
    queries, distance = stop - first, tl.arange(0, LANES)
    begin, end = run_of(N * queries)
    for item in range(begin, end):
        sequence, t = (item // queries).to(tl.int64), first + item % queries
        start, k = tokens + sequence * (T + 1), t - distance
        stands = tl.load(later + sequence * T + k, mask=k >= 0, other=0) > t
        context = tl.load(start + k, mask=stands, other=0)
        times = tl.load(copies + sequence * T + k, mask=stands, other=0).to(tl.float64)
        row = share + tl.load(start + t + 1).to(tl.int64) * V
        tl.atomic_add(row + context, times * tl.load(inverse + t), mask=stands, sem="relaxed")


@triton.jit
def add_evidence(
    tokens, later, copies, inverse, G_bar, by_cell, by_program, N, T, V, first, stop, LANES: tl.constexpr
):
    """Add the entry of each pair with first <= t < stop <= LANES to its cell [query, key] and its distance.

    Each program has a row of `by_program` to itself, so that the sums by distance have an order.
    """
    queries, distance = stop - first, tl.arange(0, LANES)
    by_distance = tl.zeros([LANES], tl.float64)
    begin, end = run_of(N * queries)
    for item in range(begin, end):
        sequence, t = (item // queries).to(tl.int64), first + item % queries
        start, k = tokens + sequence * (T + 1), t - distance
        key = tl.load(start + k, mask=k >= 0, other=0)
        table = G_bar + tl.load(start + t + 1).to(tl.int64) * V
        entry = tl.load(table + key, mask=k >= 0, other=0.0)
        each = tl.load(inverse + t)
        entry = tl.where(k >= 0, (entry - tl.sum(entry, axis=0) * each) * each, 0.0)
        by_distance += entry
        stands = tl.load(later + sequence * T + k, mask=k >= 0, other=0) > t
        times = tl.load(copies + sequence * T + k, mask=stands, other=0).to(tl.float64)
        row = by_cell + tl.load(start + t).to(tl.int64) * V
        tl.atomic_add(row + key, times * entry, mask=stands, sem="relaxed")
    tl.store(by_program + tl.program_id(0) * T + distance, by_distance, mask=distance < T)
