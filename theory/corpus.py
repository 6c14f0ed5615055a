"""A corpus as the theory sees it: equal-length rows of token ids, and one exact weight for each row."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

from flint import fmpq

Rows = Sequence[Sequence[SupportsIndex]]
"""Token ids, [N, T + 1]: lists, tuples or anything else of integers that can be iterated twice over."""


@dataclass(frozen=True)
class ExactCorpus:
    """Checked input: `rows` [N][T + 1] of ids below `vocab_size`, `weights` [N] of rationals.

    A weight is the share of the corpus that a row stands for, so that N T below becomes T and a weight;
    weights need not sum to one, which lets the same code serve an unnormalised mixture.
    """

    rows: tuple[tuple[int, ...], ...]
    vocab_size: int
    weights: tuple[fmpq, ...]

    @property
    def length(self) -> int:
        """T, the number of predicted positions."""
        return len(self.rows[0]) - 1


def check_corpus(tokens: Rows, vocab_size: int, weights: Sequence[Any] | None = None) -> ExactCorpus:
    """Turns input into an `ExactCorpus`.

    `weights` holds one int or fmpq a sequence; None weighs all sequences alike.

    Raises:
        ValueError: the tokens or the weights are no corpus; one sentence says what is wrong.
    """
    vocab = _vocabulary(vocab_size)
    rows = _rows(tokens)
    for n, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(
                f"all sequences must have the same length, but sequence 0 has {len(rows[0])} tokens and "
                f"sequence {n} has {len(row)}"
            )
        if row and (min(row) < 0 or max(row) >= vocab):
            stray = next(token for token in row if not 0 <= token < vocab)
            raise ValueError(
                f"token ids must be 0..{vocab - 1} for a vocabulary of {vocab}, but sequence {n} has {stray}"
            )
    if len(rows[0]) < 2:
        raise ValueError(f"a sequence needs at least 2 tokens (T = 1), but they have {len(rows[0])}")
    return ExactCorpus(rows, vocab, _weights(weights, len(rows)))


def _vocabulary(vocab_size: int) -> int:
    try:
        vocab = operator.index(vocab_size)
    except TypeError:
        raise ValueError(f"the vocabulary size must be an integer, not {vocab_size!r}") from None
    if vocab < 1:
        raise ValueError(f"the vocabulary size must be 1 or more, not {vocab}")
    return vocab


def _rows(tokens: Rows) -> tuple[tuple[int, ...], ...]:
    try:
        rows = tuple(tuple(map(operator.index, row)) for row in tokens)
    except TypeError:
        raise ValueError("tokens must be a sequence of sequences of integer ids") from None
    if not rows:
        raise ValueError("a corpus needs at least one sequence, but there is none")
    return rows


def _weights(weights: Sequence[Any] | None, count: int) -> tuple[fmpq, ...]:
    if weights is None:
        return (fmpq(1, count),) * count
    if len(weights) != count:
        raise ValueError(f"there are {count} sequences but {len(weights)} weights")
    return tuple(fmpq(w) for w in weights)
