"""A corpus as constant matrices: one-hot tokens, and what softmax gives at zero scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from flint import fmpq, fmpq_mat

from theory.corpus import ExactCorpus
from theory.matrix import M


@dataclass(frozen=True)
class OneSequence(Generic[M]):
    """One sequence: X, Y one-hot [T, V] of its tokens 1..T and 2..T+1 (Def. 3.1); the softmax maps at zero
    scores, A0 [T, T] for attention (eq. 11) and p0 [T, V], all 1/V, for the prediction; and its share w_i / T
    of an average.

    The share is 1/(N T) for a plain corpus, and may be a polynomial.
    """

    X: M
    Y: M
    A0: M
    p0: M
    share: Any

    @property
    def U(self) -> M:
        """Y - 1/V [T, V]: the residual of a uniform prediction; every row sums to zero."""
        return self.Y - self.p0


def constants(corpus: ExactCorpus) -> list[OneSequence[fmpq_mat]]:
    """Every sequence of a corpus with its share."""
    V, T = corpus.vocab_size, corpus.length
    A0, p0 = uniform_attention(T), fmpq_mat(T, V, [fmpq(1, V)] * (T * V))
    return [
        OneSequence(one_hot(row[:-1], V), one_hot(row[1:], V), A0, p0, weight / T)
        for row, weight in zip(corpus.rows, corpus.weights, strict=True)
    ]


def one_hot(ids: Sequence[int], vocab_size: int) -> fmpq_mat:
    """[T, V], a single one in each row."""
    return fmpq_mat(len(ids), vocab_size, [int(j == token) for token in ids for j in range(vocab_size)])


def uniform_attention(length: int) -> fmpq_mat:
    """A0 [T, T]: row t (0-based) spreads 1/(t+1) over the keys k <= t (eq. 11)."""
    return fmpq_mat(
        length, length, [fmpq(1, t + 1) if k <= t else fmpq(0) for t in range(length) for k in range(length)]
    )
