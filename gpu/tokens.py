"""Arrays of tokens as they come in: checked, and cut into parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int64, Integer, UInt32

from reference.corpus import check_tokens
from reference.errors import InputError

# Positions in a part that is cut from an array: with their sorting they take about 100 MB.
POSITIONS_AT_ONCE = 1 << 21


def whole_numbers(tokens: Any, vocab_size: int) -> Int64[np.ndarray, "N T_plus_1"]:
    """Return tokens as an int64 array [N, T+1], a copy only where the type asks for it.

    Raises:
        InputError: they are no whole numbers, or no [N, T+1] array of numbers below `vocab_size`.
    """
    return checked_tokens(tokens, vocab_size).astype(np.int64, copy=False)


def checked_tokens(tokens: Any, vocab_size: int) -> Integer[np.ndarray, "N T_plus_1"]:
    """Return tokens as the array that they are, of any integer type.

    Raises:
        InputError: it is no array [N, T+1] of whole numbers below `vocab_size`.
    """
    array = np.asarray(tokens)
    if array.dtype.kind not in "iu":
        raise InputError(f"Tokens are numbers of words, not {array.dtype}; give an array of whole numbers.")
    check_tokens(array, vocab_size)
    return array


def checked_parts(parts: Iterable[np.ndarray], vocab_size: int) -> Iterator[UInt32[np.ndarray, "n T_plus_1"]]:
    """Go through the parts [n, T+1] of a corpus, each checked.

    Raises:
        InputError: there is no part, they can be gone through only once, their lengths differ, or one is no
            array of whole numbers below `vocab_size`.
    """
    if iter(parts) is parts:
        raise InputError("The parts can be gone through only once; give a list of them, or gpu.tokens.Parts.")
    width = None
    for part in parts:
        tokens = checked_tokens(part, vocab_size)
        width = tokens.shape[1] if width is None else width
        if tokens.shape[1] != width:
            raise InputError(
                f"A part has sequences of {tokens.shape[1]} tokens and the first part of {width}; "
                "give all parts the same length."
            )
        yield tokens.astype(np.uint32)
    if width is None:
        raise InputError("There is no part to count; give at least one array [sequences, positions + 1].")


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
