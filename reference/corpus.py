"""A corpus: N sequences of T+1 tokens, with the words that its token numbers stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Integer

from reference.errors import InputError, meant

# Tokens that are looked at at once.
TOKENS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class Corpus:
    """N sequences of T+1 tokens over a vocabulary of V words.

    Attributes:
        tokens: [N, T+1], each in 0..V-1; position t predicts position t+1. They are int64, or what a token
            array on disk holds.
        vocabulary: V words, the most frequent first; for a token array, its numbers.
        name: where the text came from, for people.
        counts: what was read, kept and left out on the way, for people.
    """

    tokens: Integer[np.ndarray, "N T_plus_1"]
    vocabulary: tuple[str, ...]
    name: str
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_tokens(self.tokens, len(self.vocabulary))

    @property
    def vocab_size(self) -> int:
        """V, the number of words."""
        return len(self.vocabulary)

    @property
    def sequences(self) -> int:
        """N, the number of sequences."""
        return self.tokens.shape[0]

    @property
    def length(self) -> int:
        """T, the number of predicted positions in a sequence."""
        return self.tokens.shape[1] - 1

    @property
    def digest(self) -> str:
        """SHA-256 of the vocabulary and the tokens, the same on every machine."""
        words = "\n".join(self.vocabulary)
        whole = hashlib.sha256(f"{words}\n{self.tokens.shape}\n".encode())
        for _, part in parts(self.tokens):
            whole.update(np.ascontiguousarray(part, dtype="<i8").data)
        return whole.hexdigest()

    def number(self, word: str) -> int:
        """Return the token number of `word`.

        Raises:
            InputError: the word is not in the vocabulary.
        """
        try:
            return self.vocabulary.index(word)
        except ValueError:
            raise InputError(
                f"'{word}' is not among the {self.vocab_size} words of {self.name}."
                f"{meant(word, self.vocabulary)}"
            ) from None

    def slice(self, sequences: int, length: int) -> Corpus:
        """Return the first `sequences` sequences cut to `length` positions, over the words found in them.

        Words keep their order of frequency in the whole corpus, and unseen ones lose their number: a small
        vocabulary makes exact arithmetic and dense training possible on real text.
        """
        cut = self.tokens[:sequences, : length + 1]
        seen, renumbered = np.unique(cut, return_inverse=True)
        return Corpus(
            tokens=renumbered.reshape(cut.shape).astype(np.int64),
            vocabulary=tuple(self.vocabulary[i] for i in seen),
            name=f"{self.name} (first {cut.shape[0]} sequences, {cut.shape[1] - 1} positions)",
        )


def parts(tokens: Integer[np.ndarray, "N T_plus_1"]) -> Iterator[tuple[int, np.ndarray]]:
    """Yield some sequences [n, T+1] at a time, with the number of the first: small next to a large array."""
    run = max(1, TOKENS_AT_ONCE // tokens.shape[1])
    for start in range(0, len(tokens), run):
        yield start, tokens[start : start + run]


def check_tokens(tokens: Integer[np.ndarray, "*shape"], vocab_size: int) -> None:
    """Refuse what is no array of tokens [N, T+1], N and T at least 1, of whole numbers 0..V-1.

    Raises:
        InputError: they are none.
    """
    if tokens.ndim != 2:
        raise InputError(f"Tokens have {tokens.ndim} axes; give an array [sequences, positions + 1].")
    if tokens.shape[0] < 1 or tokens.shape[1] < 2:
        raise InputError(
            f"Tokens of shape {list(tokens.shape)} predict nothing; give at least one sequence of two tokens."
        )
    for start, part in parts(tokens):
        outside = (part < 0) | (part >= vocab_size)
        if outside.any():
            n, t = np.argwhere(outside)[0]
            raise InputError(
                f"Token {part[n, t]} at [{start + n}, {t}] is outside the vocabulary 0..{vocab_size - 1}; "
                "raise the vocabulary size or leave out the sequence."
            )


def shuffled(tokens: Integer[np.ndarray, "N T_plus_1"], seed: int) -> Integer[np.ndarray, "N T_plus_1"]:
    """Return the same tokens in an order of chance: each as often as before, and nothing else is kept."""
    return np.random.default_rng(seed).permutation(tokens.ravel()).reshape(tokens.shape)
