"""The neighbours of a word, what propagates through its roles, and which ranking gives published lists."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from paper_checks.fastest import statistics_of
from reference.corpus import Corpus
from reference.neighbours import KINDS, RANKINGS, Kind, Maps, Ranking, content_words, ranked

# A list is reproduced by a ranking when all of its words are among this many: the paper's own criterion.
AMONG = 30


@dataclass(frozen=True)
class PublishedList:
    """Neighbours of a word that a source names."""

    word: str
    kind: Kind
    words: tuple[str, ...]
    source: str
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Reproduced:
    """A published list under one ranking.

    Attributes:
        published: the list.
        ranking: how words were ranked.
        content_only: whether function words and marks were left out.
        places: the place of each word of the list, from 1; None for a word that the vocabulary has not.
    """

    published: PublishedList
    ranking: Ranking
    content_only: bool
    places: dict[str, int | None]

    @property
    def found(self) -> int:
        """How many words are among the first AMONG."""
        return sum(place is not None and place <= AMONG for place in self.places.values())


@dataclass(frozen=True)
class Term:
    """One role's part of what a context propagates to a word: Sigma_B[word, role] Phi_bar[role, context]."""

    role: str
    part: float


@cache
def published_lists() -> tuple[PublishedList, ...]:
    """Return the published lists, in the order of the file."""
    data = tomllib.loads(files("paper_checks").joinpath("published_lists.toml").read_text("utf-8"))
    return tuple(
        PublishedList(one["word"], one["kind"], tuple(one["words"]), one["source"], tuple(one["claims"]))
        for one in data["list"]
    )


def maps_of(corpus: Corpus) -> Maps:
    """Return the maps of a corpus."""
    return Maps.of(corpus.tokens, statistics_of(corpus.tokens, corpus.vocab_size))


def neighbours(
    corpus: Corpus, maps: Maps, word: str, ranking: Ranking, content_only: bool, top: int
) -> dict[str, list[tuple[str, float]]]:
    """Return the nearest words of each kind with their scores.

    Raises:
        InputError: the corpus does not have the word.
    """
    number, keep = corpus.number(word), _kept(corpus, content_only)
    found = {}
    for kind in KINDS:
        scores = maps.scores(kind, number, ranking)
        nearest = ranked(scores, keep, number)[:top]
        found[str(kind)] = [(corpus.vocabulary[i], float(scores[i])) for i in nearest]
    return found


def reproduced(corpus: Corpus, maps: Maps) -> list[Reproduced]:
    """Return every published list of a known word under every ranking, with and without function words."""
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    found = []
    for published in published_lists():
        if published.word not in number:
            continue
        for ranking in RANKINGS:
            scores = maps.scores(published.kind, number[published.word], ranking)
            for content_only in (False, True):
                order = ranked(scores, _kept(corpus, content_only), number[published.word])
                place = {int(i): n + 1 for n, i in enumerate(order)}
                places = {word: place.get(number.get(word, -1)) for word in published.words}
                found.append(Reproduced(published, ranking, content_only, places))
    return found


def path(
    corpus: Corpus, maps: Maps, word: str, top: int
) -> tuple[list[str], list[tuple[str, float]], list[tuple[str, float]]]:
    """Return a word's roles, and the contexts that they share: by roles that support it, and by all.

    Content words only. The second is the row of G_bar = Sigma_B Phi_bar itself, roles that inhibit included;
    the first leaves those out.
    """
    number, keep = corpus.number(word), _kept(corpus, True)
    row = maps.Sigma_B[number]
    supported, whole = np.maximum(row, 0) @ maps.Phi_bar, row @ maps.Phi_bar

    def first(scores: np.ndarray) -> list[tuple[str, float]]:
        # Contexts in the order of what supports them; of the whole row their signed values are told.
        order = ranked(supported, keep)[:top]
        return [(corpus.vocabulary[i], float(scores[i])) for i in order]

    roles = [corpus.vocabulary[i] for i in ranked(row, keep, number)[:top]]
    return roles, first(supported), first(whole)


def propagated(corpus: Corpus, maps: Maps, word: str, context: str, top: int) -> tuple[float, list[Term]]:
    """Return G_bar[word, context] and its largest terms d_i C_ij d_j Phi_jk by role j, in either sign."""
    i, k = corpus.number(word), corpus.number(context)
    parts = maps.Sigma_B[i] * maps.Phi_bar[:, k]
    order = np.argsort(-np.abs(parts), kind="stable")[:top]
    return float(parts.sum()), [Term(corpus.vocabulary[j], float(parts[j])) for j in order]


def _kept(corpus: Corpus, content_only: bool) -> np.ndarray:
    return content_words(corpus.vocabulary) if content_only else np.ones(corpus.vocab_size, dtype=bool)
