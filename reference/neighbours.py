"""Which words are near a word: under what follows, what is interchangeable, and what came before.

Three maps of a word w, each by two rankings:

    bigram            what follows w            raw: B_bar[w]      standardised: Pearson residuals
    interchangeable   what can stand for w      raw: Sigma_B[w]    standardised: C[w], cosines of columns
    context           what came before w        raw: Phi_bar[w]    standardised: Pearson residuals

A raw row ranks common words first. The Pearson residual (observed - expected) / sqrt(expected), expected if
the two words had nothing to do with each other, takes the words' frequencies out: P(i) P_next(j) for the
bigram, P_next(i) a_j for the context, with a_j the mean share of j in a prefix. Derived here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float64, Int64

Kind = Literal["bigram", "interchangeable", "context"]
Ranking = Literal["raw", "standardised"]
KINDS: tuple[Kind, ...] = ("bigram", "interchangeable", "context")
RANKINGS: tuple[Ranking, ...] = ("raw", "standardised")

# Words that make sentences and not stories: fixed here, so that a list without them cannot be chosen to fit.
_FUNCTION_WORDS = """
    the a an and or but so if because as than that this these those it its he she they we i you him her
    them us me his their our my your who what which when where how why there then to of in on at for
    with from by into up down out off over under about after before again is was were are be been am do
    did does had has have would could can will should not no yes all some very too also just s t m re ll
    ve d one other
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True)
class Maps:
    """The statistics that neighbours are read from.

    Attributes:
        B_bar: [current, next].
        Sigma_B: [next, next].
        Phi_bar: [target, context].
        current: [V], P(i) of the current token.
        following: [V], P of the next token.
        share: [V], the mean share of each word in a prefix.
    """

    B_bar: Float64[np.ndarray, "V V"]
    Sigma_B: Float64[np.ndarray, "V V"]
    Phi_bar: Float64[np.ndarray, "V V"]
    current: Float64[np.ndarray, " V"]
    following: Float64[np.ndarray, " V"]
    share: Float64[np.ndarray, " V"]

    @classmethod
    def of(cls, tokens: Int64[np.ndarray, "N T_plus_1"], statistics: Mapping[str, np.ndarray]) -> Maps:
        """Return the maps of a corpus with its statistics."""
        V, T = len(statistics["B_bar"]), tokens.shape[1] - 1
        x, y = tokens[:, :-1], tokens[:, 1:]
        # A token at place k is in the prefixes of k, k+1, ..., with a share of 1/(t+1) each.
        weight = np.cumsum(1 / np.arange(T, 0, -1))[::-1]
        share = np.bincount(x.ravel(), np.broadcast_to(weight, x.shape).ravel(), minlength=V) / x.size
        return cls(
            statistics["B_bar"],
            statistics["Sigma_B"],
            statistics["Phi_bar"],
            np.bincount(x.ravel(), minlength=V) / x.size,
            np.bincount(y.ravel(), minlength=V) / y.size,
            share,
        )

    def scores(self, kind: Kind, word: int, ranking: Ranking) -> Float64[np.ndarray, " V"]:
        """Return how near every word is to one; -inf for words that a ranking says nothing of."""
        if kind == "interchangeable":
            row = self.Sigma_B[word]
            if ranking == "raw":
                return row
            strength = np.sqrt(np.maximum(np.diagonal(self.Sigma_B), 0))
            return _divided(row, strength * strength[word])
        if kind == "bigram":
            row, one, other = self.B_bar[word], self.current[word], self.following
        else:
            row, one, other = self.Phi_bar[word], self.following[word], self.share
        if ranking == "raw":
            return row
        V, expected = len(row), one * other
        even = one / V if kind == "bigram" else other / V  # what the centring took off
        return _divided(row + even - expected, np.sqrt(expected))


def ranked(
    scores: Float64[np.ndarray, " V"], keep: np.ndarray, word: int | None = None
) -> Int64[np.ndarray, " n"]:
    """Return the words of `keep` [V], true or false, from the nearest, `word` left out; ties by number."""
    order = np.argsort(-scores, kind="stable")
    return order[keep[order] & (order != word) & np.isfinite(scores[order])]


def content_words(vocabulary: tuple[str, ...]) -> np.ndarray:
    """Return, bool [V], for each word whether it is a word, and none of FUNCTION_WORDS.

    Where there is no such word, as among the numbers of a token array, nothing is left out.
    """
    content = np.array([word.isalpha() and word not in FUNCTION_WORDS for word in vocabulary])
    return content if content.any() else ~content


def _divided(top: np.ndarray, below: np.ndarray) -> np.ndarray:
    return np.divide(top, below, out=np.full(len(top), -np.inf), where=below > 0)
