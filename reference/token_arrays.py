"""A token array, NumPy's .npy, as a corpus: read in place, so that memory does not grow with the file."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Integer

from reference.array_header import read_header
from reference.corpus import Corpus
from reference.errors import InputError, reason
from reference.sequences import check_sizes
from reference.text import check_readable, name_of

# A vocabulary is a list of words in memory; a larger number is no token.
MOST_WORDS = 1 << 22
# Tokens that are looked at at once.
TOKENS_AT_ONCE = 1 << 22


def read_token_array(path: Path, *, vocab_size: int | None, length: int | None, stream_length: int) -> Corpus:
    """Return the corpus of a `.npy` file: sequences [N, T+1], or a flat array of tokens as a stream.

    Tokens are the numbers in the file, and the vocabulary their decimal forms; nothing is ranked. Of
    sequences the first `length` + 1 tokens are taken (all by default), and a sequence with a number of
    `vocab_size` or more is left out. A flat array is cut into windows of `length` + 1 tokens
    (`stream_length` + 1 by default), such numbers left out before. Where nothing is left out the array stays
    on disk.

    Args:
        path: the file; arrays of objects are refused, nothing is unpickled.
        vocab_size: V; one more than the largest number by default.
        length: T.
        stream_length: T of windows where `length` is not given.

    Raises:
        InputError: the file is missing or no array of whole numbers from 0 on with one or two axes, or no
            sequence results.
    """
    array = _mapped(path)
    if array.ndim == 1:
        length = stream_length if length is None else length
    elif array.shape[1] < 2:
        raise InputError(
            f"{path} has sequences of {array.shape[1]} tokens, which predict nothing; save two or more each."
        )
    elif length is None:
        length = array.shape[1] - 1
    check_sizes(vocab_size, length)
    if array.ndim == 2 and length >= array.shape[1]:
        raise InputError(
            f"{path} has sequences of {array.shape[1]} tokens, too few for --length {length}; "
            f"give --length {array.shape[1] - 1} or less, or leave it out."
        )
    largest = _largest(path, array)
    V = largest + 1 if vocab_size is None else vocab_size
    if V > MOST_WORDS:
        raise InputError(f"{path} has the token {largest}; give --vocab V, at most {MOST_WORDS:,}.")
    cut = _sequences if array.ndim == 2 else _windows
    tokens, counts = cut(array, V if largest >= V else None, length)
    if not len(tokens):
        raise InputError(f"{path} gives no sequence of {length + 1} tokens below {V}; give other sizes.")
    return Corpus(tokens, tuple(map(str, range(V))), name_of(path), counts)


def positions_of(path: Path) -> int | None:
    """Return T of the sequences [N, T+1] of a token array; None of a flat one.

    Raises:
        InputError: it is no token array.
    """
    array = _mapped(path)
    return None if array.ndim == 1 else array.shape[1] - 1


def _mapped(path: Path) -> np.ndarray:
    """Return the array on disk."""
    check_readable(path)
    try:
        with path.open("rb") as file, warnings.catch_warnings(action="ignore"):
            read_header(file)
            array = np.lib.format.open_memmap(path, mode="r")
    except (OSError, ValueError, OverflowError) as error:
        raise InputError(
            f"{path} cannot be read as an array ({reason(error)}); save whole numbers with numpy.save."
        ) from None
    if array.dtype.kind not in "iu":
        raise InputError(f"{path} holds {array.dtype} and no token numbers; save an array of whole numbers.")
    if not array.size:
        raise InputError(f"{path} is empty; save at least one sequence of two tokens.")
    if array.ndim not in (1, 2):
        raise InputError(f"{path} has {array.ndim} axes; save sequences [N, T+1], or a flat array of tokens.")
    return array


def _largest(path: Path, array: np.ndarray) -> int:
    """Return the largest number of the array; InputError if one is negative."""
    largest, start = 0, 0
    for part in _parts(array):
        if part.min() < 0:
            place = start + int(np.argwhere(part.reshape(len(part), -1).min(axis=1) < 0)[0, 0])
            raise InputError(f"{path} has a negative number at [{place}]; tokens are numbers from 0 on.")
        largest, start = max(largest, int(part.max())), start + len(part)
    return largest


def _sequences(
    array: np.ndarray, below: int | None, length: int
) -> tuple[Integer[np.ndarray, "N T_plus_1"], dict[str, int]]:
    """Return the sequences whose numbers are all smaller than `below`, if that is given, and counts."""
    unknown = 0
    tokens = array[:, : length + 1]
    if below is not None:
        known = np.concatenate([_known(part, below) for part in _parts(array)])
        unknown = len(array) - int(known.sum())
        tokens = tokens[known]
    counts = {
        "documents": len(array),
        "documents with a token outside the vocabulary": unknown,
        "sequences": len(tokens),
    }
    return tokens, counts


def _windows(
    array: np.ndarray, below: int | None, length: int
) -> tuple[Integer[np.ndarray, "N T_plus_1"], dict[str, int]]:
    """Return the windows of the numbers smaller than `below`, of all if it is not given, and counts."""
    known = array if below is None else np.concatenate([part[part < below] for part in _parts(array)])
    windows = len(known) // (length + 1)
    counts = {
        "tokens": len(array),
        "tokens outside the vocabulary": len(array) - len(known),
        "tokens left after the last window": len(known) - windows * (length + 1),
        "sequences": windows,
    }
    return known[: windows * (length + 1)].reshape(windows, length + 1), counts


def _known(part: np.ndarray, below: int) -> Bool[np.ndarray, " n"]:
    return np.asarray((part < below).all(axis=1))


def _parts(array: np.ndarray) -> Iterator[np.ndarray]:
    rows = max(1, TOKENS_AT_ONCE // max(1, array[:1].size))
    for start in range(0, len(array), rows):
        yield array[start : start + rows]
