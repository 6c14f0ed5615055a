"""Corpora at the edge, where every statistic has a closed form (derived here from paper eq. 9-17).

* One position (T = 1): the prefix is the current token alone, A0 = (1), so Phi_bar = B_bar^T. A row of one
  entry less its mean is zero: Q_bar = 0 and Delta_bar = 0.
* One word (V = 1): Y = 1/V, so every statistic is zero.
* Two words (V = 2): Y - 1/V has opposite columns, and so has B_bar. With b its first column and s = |b|^2,
  Sigma_B = s [[1, -1], [-1, 1]]; Phi_bar has opposite rows, f and -f, and G_bar the rows 2 s f and -2 s f.
* One word w repeated: with e = e_w - 1/V, B_bar = e_w e^T and Phi_bar = e e_w^T, so Sigma_B = e e^T, and
  G_bar = |e|^2 e e_w^T with |e|^2 = 1 - 1/V. All keys pull alike, so the centring leaves no Q_bar, Delta_bar.
* Sequence by sequence: B_bar and Phi_bar are the means of those of each sequence alone.
* Words that never occur: with V words, two of them unseen, P(i) the frequency of i as the current word and
  m(j) the mean share of j in a prefix, an unseen word u has B_bar[u, :] = 0, B_bar[i, u] = -P(i)/V,
  Phi_bar[:, u] = 0, Phi_bar[u, j] = -m(j)/V; its columns of G_bar and its rows and columns of Q_bar are zero.
  A word that is left out of the sums, as padding is, would not obey the first two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from properties.cases import SMALL_CORPORA, CorpusCase
from properties.check import Check, Comparison, Law, Outcome
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.target import Target

UNSEEN = 2


class _Counted:
    """What a target answers for one corpus, compared within the bound of each statistic."""

    def __init__(self, target: Target, tokens: np.ndarray, vocab_size: int) -> None:
        self.tokens = np.ascontiguousarray(tokens)
        self.vocab_size = vocab_size
        self.found = target.statistics(self.tokens, vocab_size)
        self._dtype = target.dtype

    def bound(self, name: str) -> np.ndarray:
        return magnitudes_by_corpus(self.tokens, self.vocab_size)[name].bound(self._dtype)

    def must_be(self, **expected: np.ndarray) -> Iterator[Comparison]:
        """Compare each statistic that the target has; its right value here is rounded once."""
        for name, value in expected.items():
            if name in self.found:
                yield Comparison(name, self.found[name], value, self.bound(name))


def _one_position(target: Target, case: CorpusCase) -> Outcome:
    V = case.vocab_size
    corpus = _Counted(target, case.tokens[:, :2], V)
    yield from corpus.must_be(Q_bar=np.zeros((V, V)), Delta_bar=np.zeros(1))
    Phi_bar = target.statistic("Phi_bar", corpus.tokens, V)
    bound = corpus.bound("Phi_bar") + corpus.bound("B_bar").T
    yield Comparison("Phi_bar", Phi_bar, target.statistic("B_bar", corpus.tokens, V).T, bound)


def _one_word(target: Target, case: CorpusCase) -> Outcome:
    corpus = _Counted(target, np.zeros_like(case.tokens), 1)
    for name, found in corpus.found.items():
        yield Comparison(name, found, np.zeros_like(found), corpus.bound(name))


def _two_words(target: Target, case: CorpusCase) -> Outcome:
    corpus = _Counted(target, case.tokens % 2, 2)
    for name, axis in (("B_bar", 1), ("Sigma_B", 0), ("Sigma_B", 1), ("Phi_bar", 0), ("G_bar", 0)):
        if name in corpus.found:
            one, other = np.moveaxis(corpus.found[name], axis, 0)
            bound = np.moveaxis(corpus.bound(name), axis, 0).sum(axis=0)
            side = "rows" if axis == 0 else "columns"
            yield Comparison(f"the {side} of {name}, which are opposite", one, -other, bound)


def _repeated_word(target: Target, case: CorpusCase) -> Outcome:
    V, word = case.vocab_size, int(case.tokens[0, 0])
    corpus = _Counted(target, np.full_like(case.tokens, word), V)
    here = np.eye(V)[word]
    e = here - 1 / V
    yield from corpus.must_be(
        B_bar=np.outer(here, e),
        Phi_bar=np.outer(e, here),
        Sigma_B=np.outer(e, e),
        G_bar=(1 - 1 / V) * np.outer(e, here),
        Q_bar=np.zeros((V, V)),
        Delta_bar=np.zeros(case.tokens.shape[1] - 1),
    )


def _sequence_by_sequence(target: Target, case: CorpusCase) -> Outcome:
    V = case.vocab_size
    whole, alone = (
        _Counted(target, case.tokens, V),
        [_Counted(target, sequence[None], V) for sequence in case.tokens],
    )
    for name in ("B_bar", "Phi_bar"):
        if name in whole.found:
            expected = np.mean([one.found[name] for one in alone], axis=0)
            # Each sequence alone within its own bound; their mean rounds like the sum that the whole is.
            bound = 2 * whole.bound(name) + np.mean([one.bound(name) for one in alone], axis=0)
            yield Comparison(f"{name}, the mean over sequences", whole.found[name], expected, bound)


def _unseen(target: Target, case: CorpusCase) -> Outcome:
    V, T = case.vocab_size + UNSEEN, case.tokens.shape[1] - 1
    corpus = _Counted(target, case.tokens, V)
    seen, unseen = slice(0, case.vocab_size), slice(case.vocab_size, V)
    frequency = np.bincount(case.tokens[:, :-1].ravel(), minlength=V) / case.tokens[:, 1:].size
    A0 = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    share = np.mean(A0 @ np.eye(V)[case.tokens[:, :-1]], axis=(0, 1))
    parts = {
        "B_bar": [((unseen, slice(None)), 0.0), ((slice(None), unseen), -frequency[:, None] / V)],
        "Phi_bar": [((slice(None), unseen), 0.0), ((unseen, slice(None)), -share / V)],
        "G_bar": [((slice(None), unseen), 0.0)],
        "Q_bar": [((unseen, slice(None)), 0.0), ((seen, unseen), 0.0)],
    }
    for name in (name for name in parts if name in corpus.found):
        for where, value in parts[name]:
            # The rest as it was answered, so that an entry is shown where it is in the whole statistic.
            expected = corpus.found[name].copy()
            expected[where] = value
            what = f"{name} for a vocabulary of {V}, where a word never occurs"
            # The value is summed here like an entry of the statistic, and may round as far.
            yield Comparison(what, corpus.found[name], expected, 2 * corpus.bound(name))


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"statistics.{name}",
        statement=statement,
        source="derived here; paper, eq. 9-17",
        cases=SMALL_CORPORA,
        law=law,
        needs=("statistics",),
        cost=2,
    )


_LAWS: tuple[tuple[str, str, Callable[[Target, CorpusCase], Outcome]], ...] = (
    ("one_position", "With one position Phi_bar is B_bar^T, and Q_bar and Delta_bar vanish.", _one_position),
    ("one_word", "With a vocabulary of one word every statistic is zero.", _one_word),
    ("two_words", "With two words the columns of B_bar and the rows of Phi_bar are opposite.", _two_words),
    (
        "repeated_word",
        "Of one word repeated the statistics are e_w e^T, e e_w^T, e e^T, |e|^2 e e_w^T, 0 and 0.",
        _repeated_word,
    ),
    (
        "sequence_by_sequence",
        "B_bar and Phi_bar are the means of those of each sequence alone.",
        _sequence_by_sequence,
    ),
    (
        "unseen_words",
        "A word that never occurs has no row of B_bar and Q_bar, no column of Phi_bar, G_bar and Q_bar; its "
        "column of B_bar is -P/V, its row of Phi_bar the mean shares of a prefix times -1/V.",
        _unseen,
    ),
)

CHECKS = tuple(_check(*law) for law in _LAWS)
