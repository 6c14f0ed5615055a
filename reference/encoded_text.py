"""Text as two streams of token numbers, one to train on and one to test on, and windows of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from jaxtyping import Bool, Int64

from reference.errors import InputError
from reference.tokenizers import Tokenizer

UNKNOWN, END = "<unk>", "<end>"


@dataclass(frozen=True)
class EncodedText:
    """Documents as numbers, each followed by END; rare tokens are UNKNOWN.

    Attributes:
        vocabulary: UNKNOWN, END, then the most frequent tokens of the training documents.
        train: the training documents one after the other.
        test: the others.
    """

    vocabulary: tuple[str, ...]
    train: Int64[np.ndarray, " n"]
    test: Int64[np.ndarray, " m"]

    def text(self, numbers: Sequence[int]) -> list[str]:
        """Return the tokens that numbers stand for."""
        return [self.vocabulary[number] for number in numbers]

    @property
    def is_mark(self) -> Bool[np.ndarray, " V"]:
        """Which tokens have no letter or digit: punctuation, line breaks, the end of a document."""
        marks = [not any(char.isalnum() for char in token) for token in self.vocabulary]
        return np.array([False, True, *marks[2:]])


def encode(
    documents: Sequence[str], tokenize: Tokenizer, *, vocab_size: int, test_share: float, seed: int
) -> EncodedText:
    """Return documents encoded and split; whole documents are for testing, chosen by the seed.

    Raises:
        InputError: there are fewer than two documents, or a size or share leaves nothing.
    """
    if len(documents) < 2:
        raise InputError(
            f"The text has {len(documents)} documents, and one of them is for testing; give two or more, "
            "with lines <|endoftext|> between them."
        )
    if not 0 < test_share < 1 or vocab_size < 3:
        raise InputError(
            f"A test share of {test_share} and {vocab_size} words leave nothing to learn; give a share "
            "between 0 and 1 and three words or more."
        )
    order = np.random.default_rng(seed).permutation(len(documents))
    tested = min(max(round(test_share * len(documents)), 1), len(documents) - 1)
    tokenized = [tokenize(document) for document in documents]
    train, test = ([tokenized[i] for i in sorted(part)] for part in (order[tested:], order[:tested]))
    frequency = Counter(chain.from_iterable(train))
    ranked = sorted(frequency, key=lambda token: (-frequency[token], token))[: vocab_size - 2]
    vocabulary = (UNKNOWN, END, *ranked)
    number = {token: i for i, token in enumerate(vocabulary)}
    streams = [
        np.array([number.get(token, 0) for document in part for token in (*document, END)], dtype=np.int64)
        for part in (train, test)
    ]
    return EncodedText(vocabulary, streams[0], streams[1])


def random_windows(
    rng: np.random.Generator, stream: Int64[np.ndarray, " n"], count: int, length: int
) -> Int64[np.ndarray, "N T_plus_1"]:
    """Return `count` windows of `length` + 1 tokens that begin anywhere in the stream."""
    starts = rng.integers(0, _windows_in(stream, length, 1), count)
    return stream[starts[:, None] + np.arange(length + 1)]


def consecutive_windows(
    stream: Int64[np.ndarray, " n"], count: int, length: int
) -> Int64[np.ndarray, "N T_plus_1"]:
    """Return `count` windows of `length` + 1 tokens that do not overlap, or as many as there are."""
    there = min(count, _windows_in(stream, length, length + 1))
    return stream[: there * (length + 1)].reshape(there, length + 1)


def _windows_in(stream: np.ndarray, length: int, step: int) -> int:
    if len(stream) < length + 1:
        raise InputError(f"A text of {len(stream)} tokens has no window of {length + 1}; give more text.")
    return (len(stream) - length - 1) // step + 1
