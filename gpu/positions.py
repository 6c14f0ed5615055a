"""Positions sorted so that a thread works on rows of its own and finds them in its cache.

A position is numbered s * (T+1) + t by its sequence s and its place t. The cut into groups depends on the
tokens alone, never on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64, UInt32

# Groups of about equal work: enough for many threads, few enough that one is long work.
GROUPS = 64
# Rows of Q_bar in a group: a few times what the second-level cache holds, since the first ones are used most.
GROUP_BYTES = 1 << 21

Tokens = UInt32[np.ndarray, "n T_plus_1"]
Positions = Int64[np.ndarray, " positions"]


@dataclass(frozen=True)
class Sorted:
    """Positions sorted by a key; those of key i are at first[i] to first[i + 1]."""

    positions: Int64[np.ndarray, " positions"]
    first: Int64[np.ndarray, " keys_plus_1"]

    def split(self, group: Int64[np.ndarray, " keys"]) -> list[np.ndarray]:
        """Return the positions [n] of each group of consecutive keys."""
        return np.split(self.positions, self.first[bounds(group)[1:-1]])


def all_positions(tokens: Tokens) -> Positions:
    """Return the positions in the order of the corpus."""
    n, S = tokens.shape
    places: np.ndarray = np.arange(n)[:, None] * S + np.arange(S - 1)
    return places.ravel()


def by_target(tokens: Tokens, order: Positions, vocab_size: int) -> Sorted:
    """Sort positions by y[t], those of one target as they come."""
    # What stands at the number of a last token is not used.
    return _sorted(np.roll(tokens.ravel(), -1), order, vocab_size)


def by_current(tokens: Tokens, order: Positions, vocab_size: int) -> Sorted:
    """Sort positions by x[t], those of one current token as they come."""
    return _sorted(tokens.ravel(), order, vocab_size)


def by_group_of_current(tokens: Tokens, order: Positions, group: Int64[np.ndarray, " V"]) -> list[np.ndarray]:
    """Return the positions of each group of x[t], as they come."""
    found = _sorted(group[tokens].ravel().astype(np.uint32), order, int(group[-1]) + 1)
    return np.split(found.positions, found.first[1:-1])


def target_groups(tokens: Tokens, vocab_size: int) -> Int64[np.ndarray, " V"]:
    """Number the groups of consecutive targets with about as many pairs (t, k) each."""
    return _groups(_pairs(tokens[:, 1:], vocab_size), vocab_size)


def current_groups(tokens: Tokens, vocab_size: int, most_bytes: int = GROUP_BYTES) -> Int64[np.ndarray, " V"]:
    """Number the groups of consecutive current tokens, with at most `most_bytes` of rows [V] each."""
    return _groups(_pairs(tokens[:, :-1], vocab_size), max(1, most_bytes // (8 * vocab_size)))


def bounds(group: Int64[np.ndarray, " keys"]) -> Int64[np.ndarray, " groups_plus_1"]:
    """Return the first key of each group, and the number of keys."""
    return np.searchsorted(group, np.arange(group[-1] + 2))


def _pairs(of: UInt32[np.ndarray, "n T"], vocab_size: int) -> Float64[np.ndarray, " V"]:
    """Return how many pairs (t, k) each token has among its positions t."""
    each = np.broadcast_to(np.arange(1.0, of.shape[1] + 1), of.shape)
    return np.bincount(of.ravel(), weights=each.ravel(), minlength=vocab_size)


def _groups(pairs: Float64[np.ndarray, " V"], most_rows: int) -> Int64[np.ndarray, " V"]:
    before = np.cumsum(pairs) - pairs
    by_work = before * GROUPS // max(1.0, pairs.sum())
    by_size = np.arange(len(pairs)) // most_rows
    begins = (np.diff(by_work, prepend=0) > 0) | (np.diff(by_size, prepend=0) > 0)
    return np.cumsum(begins)


def _sorted(keys: UInt32[np.ndarray, " tokens"], order: Positions, count: int) -> Sorted:
    from gpu.compiled_kernels import sort_positions

    found = Sorted(np.empty_like(order), np.empty(count + 1, dtype=np.int64))
    sort_positions(keys, order, found.positions, found.first)
    return found
