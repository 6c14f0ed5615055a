"""Statistics over a vocabulary that is far larger than the words of a corpus, exactly and in its own words.

Words that never occur are alike, and none is ever a current word: rows of B_bar, columns of Phi_bar and both
sides of Q_bar are zero there. As next words they share one column of U = Y - 1/V, -1/V, so that a sum over
next words is one over the words that occur and, V minus their number times, over that column. Derived here.
"""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.one_hot import OneSequence, one_hot, uniform_attention
from theory.statistics import average, evidence


def attention_statistics(tokens: Rows, vocab_size: int) -> tuple[list[int], fmpq_mat, fmpq_mat]:
    """The m words that occur, Q_bar [m, m] among them, and Delta_bar [T, 1], for `vocab_size` words.

    Elsewhere Q_bar is zero.

    Raises:
        ValueError: a bad corpus.
    """
    checked = check_corpus(tokens, vocab_size)
    words = sorted({word for row in checked.rows for word in row})
    place = {word: i for i, word in enumerate(words)}
    m, T, V = len(words), checked.length, checked.vocab_size
    A0, p0 = uniform_attention(T), fmpq_mat(T, m + 1, [fmpq(1, V)] * (T * (m + 1)))
    corpus = []
    for row, weight in zip(checked.rows, checked.weights, strict=True):
        ids = [place[word] for word in row]
        # A last column for every word that does not occur.
        corpus.append(OneSequence(one_hot(ids[:-1], m), one_hot(ids[1:], m + 1), A0, p0, weight / T))
    copies = fmpq_mat(m + 1, m + 1)
    for j in range(m + 1):
        copies[j, j] = 1 if j < m else V - m
    B = average(corpus, lambda one: one.X.transpose() * one.U)
    Phi = average(corpus, lambda one: one.U.transpose() * (one.A0 * one.X))
    G = B.transpose() * (B * copies * Phi)
    Q, Delta = evidence(corpus, lambda one: one.U * copies * G)
    return words, Q, Delta
