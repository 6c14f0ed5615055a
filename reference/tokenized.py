"""Documents as numbers of words: what a tokenizer makes of a text, before a vocabulary size is chosen."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import numpy as np
from jaxtyping import Int64, Integer

from reference.errors import InputError
from reference.tokenizers import BY_PIECE, Tokenizer

# Pieces between white space whose tokens are remembered: most of a text repeats a few.
MOST_PIECES = 1 << 20

Numbering = Callable[[str], Iterable[int]]


@dataclass(frozen=True)
class Tokenized:
    """Documents as ranks of their tokens: 0 is the most frequent one.

    Attributes:
        ranks: all tokens, one document after the other, in the smallest unsigned type that holds them.
        ends: where each document ends in `ranks`; a document may have no token.
        words: the tokens by rank; equally frequent ones in the order of their code points.
    """

    ranks: Integer[np.ndarray, " tokens"]
    ends: Int64[np.ndarray, " documents"]
    words: tuple[str, ...]


def tokenize(documents: Iterable[str], tokens_of: Tokenizer, name: str) -> Tokenized:
    """Return the tokens of all documents; `name` is that of the text, for people.

    Words get their numbers as they are met; one pass over the numbers ranks them.

    Raises:
        InputError: no document has a token, or a token is no text (half of a surrogate pair).
    """
    number: defaultdict[str, int] = defaultdict(count().__next__)
    numbers_of = _numbering(tokens_of, number)
    numbers, ends = array("I"), array("q")
    for document in documents:
        numbers.extend(numbers_of(document))
        ends.append(len(numbers))
    if not numbers:
        raise InputError(
            f"The corpus {name} is empty: none of its {len(ends):,} documents has a token; "
            "give a text with at least one word."
        )
    words = list(number)
    _check_text(words, name)
    met = np.frombuffer(numbers, dtype=np.uintc)
    frequency = np.bincount(met).tolist()
    by_rank = sorted(range(len(words)), key=lambda i: (-frequency[i], words[i]))
    rank = np.empty(len(words), dtype=np.min_scalar_type(len(words) - 1))
    rank[by_rank] = np.arange(len(words), dtype=rank.dtype)
    return Tokenized(rank[met], np.array(ends, dtype=np.int64), tuple(words[i] for i in by_rank))


def _numbering(tokens_of: Tokenizer, number: dict[str, int]) -> Numbering:
    """Return what turns a text into the numbers of its tokens."""
    if tokens_of not in BY_PIECE:
        return lambda text: map(number.__getitem__, tokens_of(text))
    pieces = _Pieces(lambda piece: [number[token] for token in tokens_of(piece)])
    return lambda text: chain.from_iterable(map(pieces.__getitem__, text.split()))


class _Pieces(dict[str, Any]):
    """The numbers of a piece of text, worked out when they are first asked for."""

    def __init__(self, work_out: Callable[[str], list[int]]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, piece: str) -> list[int]:
        if len(self) >= MOST_PIECES:
            self.clear()
        found = self[piece] = self._work_out(piece)
        return found


def _check_text(words: list[str], name: str) -> None:
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} holds {error.object[error.start]!a}, half of a surrogate pair and no character; "
            "mend the text where it was written."
        ) from None
