"""Sequences that repeat a random block: all there is to learn is that what came once comes again.

Source: attention-chapter, sec. 4.17.1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64

from reference.errors import InputError


def cyclic_sequences(
    rng: np.random.Generator, count: int, length: int, vocab_size: int, periods: tuple[int, ...]
) -> tuple[Int64[np.ndarray, "N T_plus_1"], Int64[np.ndarray, " N"]]:
    """Return `count` sequences of `length` + 1 tokens, each repeating a block, and their periods.

    The period is drawn uniformly from `periods`, the block without replacement from 1..V-1; token 0 is left
    free for a beginning.

    Raises:
        InputError: no period is given, or one is below 1 or above V-1.
    """
    if not periods or min(periods) < 1 or max(periods) >= vocab_size:
        raise InputError(
            f"Blocks of {list(periods)} different tokens do not fit a vocabulary of {vocab_size} without its "
            f"token 0; give periods of 1 to {vocab_size - 1}."
        )
    period = rng.choice(np.array(periods, dtype=np.int64), count)
    # The first P of a random order of all tokens: P different ones.
    order = rng.permuted(np.broadcast_to(np.arange(1, vocab_size), (count, vocab_size - 1)), axis=1)
    place = np.arange(length + 1) % period[:, None]
    return np.take_along_axis(order, place, axis=1), period
