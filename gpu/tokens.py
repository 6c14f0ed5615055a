"""Arrays of tokens as they come in: checked, and cut into parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64

from reference.corpus import check_tokens
from reference.errors import InputError

# Positions in a part that is cut from an array: with their sorting they take about 100 MB.
POSITIONS_AT_ONCE = 1 << 21


def whole_numbers(tokens: Any, vocab_size: int) -> Int64[np.ndarray, "N T_plus_1"]:
    """Return tokens as an int64 array [N, T+1], a copy only where the type asks for it.

    Raises:
        InputError: they are no whole numbers, or no [N, T+1] array of numbers below `vocab_size`.
    """
    array = np.asarray(tokens)
    if array.dtype.kind not in "iu":
        raise InputError(f"Tokens are numbers of words, not {array.dtype}; give an array of whole numbers.")
    array = array.astype(np.int64, copy=False)
    check_tokens(array, vocab_size)
    return array


@dataclass(frozen=True)
class Parts:
    """The parts of an array of tokens [N, T+1], in order; the array may be a memory-mapped file.

    Attributes:
        tokens: the array, of any integer type.
        positions_at_once: how many predicted positions a part holds at most, if that is a sequence or more.
    """

    tokens: np.ndarray
    positions_at_once: int = POSITIONS_AT_ONCE

    def __iter__(self) -> Iterator[np.ndarray]:
        run = max(1, self.positions_at_once // max(1, self.tokens.shape[-1] - 1))
        for start in range(0, len(self.tokens), run):
            yield self.tokens[start : start + run]
