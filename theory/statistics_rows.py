"""Single rows of B_bar and Phi_bar of a large corpus, exactly, by counting with integers.

A second route to the same numbers as `theory.statistics`: no matrix is formed, so a vocabulary of thousands
and a corpus of 10^5 positions take a second. All shares of Phi_bar are multiples of 1/lcm(1..T), which makes
every sum an integer.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

from flint import fmpq

from theory.corpus import ExactCorpus, Rows, check_corpus


def B_bar_row(tokens: Rows, vocab_size: int, current: int) -> list[fmpq]:
    """B_bar[current, :], length V: (count(current, j) - count(current)/V) / (N T) (eq. 9).

    Raises:
        ValueError: bad tokens, or `current` is not an id of the vocabulary.
    """
    corpus = _checked(tokens, vocab_size, current, "current")
    V = corpus.vocab_size
    followers = Counter(after for row in corpus.rows for before, after in pairwise(row) if before == current)
    total = followers.total()
    positions = len(corpus.rows) * corpus.length
    return [fmpq(V * followers[j] - total, V * positions) for j in range(V)]


def Phi_bar_row(tokens: Rows, vocab_size: int, target: int) -> list[fmpq]:
    """Phi_bar[target, :], length V: the share of each token in the prefixes of `target`, centred (eq. 11).

    The share 1/(t+1) of each visible token is summed over positions whose next token is `target`; the same
    sum over all positions, divided by V, is subtracted; the result is divided by N T.

    Raises:
        ValueError: bad tokens, or `target` is not an id of the vocabulary.
    """
    corpus = _checked(tokens, vocab_size, target, "target")
    V, T = corpus.vocab_size, corpus.length
    unit = math.lcm(*range(1, T + 1))
    own, every = _prefix_shares(corpus, target, unit)
    scale = unit * V * len(corpus.rows) * T
    return [fmpq(V * own[j] - every[j], scale) for j in range(V)]


def _prefix_shares(corpus: ExactCorpus, target: int, unit: int) -> tuple[list[int], list[int]]:
    """Prefix shares of every token in units of 1/`unit`: before `target` only, and before any token."""
    V, T = corpus.vocab_size, corpus.length
    shares = [unit // (t + 1) for t in range(T)]
    tails = [0] * (T + 1)  # tails[k]: what a token at k collects from all later queries t >= k
    for k in reversed(range(T)):
        tails[k] = tails[k + 1] + shares[k]
    own, every = [0] * V, [0] * V
    for row in corpus.rows:
        for token, tail in zip(row, tails[:T], strict=False):
            every[token] += tail
        if target in row[1:]:
            collected = 0
            for k in reversed(range(T)):
                if row[k + 1] == target:
                    collected += shares[k]
                own[row[k]] += collected
    return own, every


def _checked(tokens: Rows, vocab_size: int, token: int, role: str) -> ExactCorpus:
    corpus = check_corpus(tokens, vocab_size)
    if not 0 <= token < corpus.vocab_size:
        raise ValueError(f"{role} must be a token id 0..{corpus.vocab_size - 1}, not {token}")
    return corpus
