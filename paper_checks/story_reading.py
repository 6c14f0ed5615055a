"""One story of a corpus under its statistics: evidence for later words, its skeleton, and score maps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from properties.predictions.alignment import layer_spread
from properties.predictions.expansion import Directions, amounts
from reference.alignment import cosine
from reference.corpus import Corpus
from reference.errors import InputError
from reference.neighbours import Maps, content_words

# How much of a story its skeleton is read from, as published.
FIRST_TOKENS = 80


@dataclass(frozen=True)
class Evidence:
    """For one occurrence of a word: earlier words of the story by their support, standardised and raw."""

    position: int
    words: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True)
class Transition:
    """A pair that occurs in the story, and B_bar of it."""

    first: str
    second: str
    value: float


@dataclass(frozen=True)
class ScoreMaps:
    """Score maps X W X^T of each layer, rows less their means: sizes and likeness.

    Attributes:
        rms: over visible pairs, the first layer.
        largest: absolute value, the first layer.
        least_cosine: the smallest cosine between the maps of two layers.
        spread: of W over the layers, relative; see `properties.predictions.alignment`.
    """

    rms: float
    largest: float
    least_cosine: float
    spread: float


def find(corpus: Corpus, words: list[str]) -> int:
    """Return the first sequence that holds these words in a row.

    Raises:
        InputError: none has them.
    """
    wanted = [corpus.number(word) for word in words]
    for n, sequence in enumerate(corpus.tokens):
        row = sequence.tolist()
        if any(row[t : t + len(wanted)] == wanted for t in range(len(row) - len(wanted) + 1)):
            return n
    raise InputError(f"No sequence of {corpus.name} has '{' '.join(words)}'; give other words.")


def most_repeated(corpus: Corpus, n: int) -> str:
    """Return the content word that sequence n has most often, the first one of several.

    Raises:
        InputError: it has none.
    """
    keep = content_words(corpus.vocabulary)
    counts = Counter(int(x) for x in corpus.tokens[n] if keep[x])
    if not counts:
        raise InputError(f"Sequence {n} has no content word; choose another with --index.")
    return corpus.vocabulary[counts.most_common(1)[0][0]]


def evidence(corpus: Corpus, maps: Maps, n: int, word: str, top: int) -> list[Evidence]:
    """Return for each occurrence of a word in sequence n the earlier content words that support it most.

    Words come in the order of their standardised score; the raw score is Phi_bar[word, earlier word].
    """
    sequence, number = corpus.tokens[n], corpus.number(word)
    keep = content_words(corpus.vocabulary)
    standardised = maps.scores("context", number, "standardised")
    found = []
    for position in np.flatnonzero(sequence == number):
        earlier = [int(x) for x in np.unique(sequence[:position]) if keep[x] and x != number]
        earlier.sort(key=lambda x: -standardised[x])
        words = tuple(
            (corpus.vocabulary[x], float(standardised[x]), float(maps.Phi_bar[number, x]))
            for x in earlier[:top]
        )
        found.append(Evidence(int(position), words))
    return found


def skeleton(corpus: Corpus, maps: Maps, n: int, top: int) -> list[Transition]:
    """Return the transitions among the first tokens of sequence n that B_bar supports most, each once."""
    part = corpus.tokens[n, :FIRST_TOKENS]
    pairs = {(int(a), int(b)) for a, b in pairwise(part)}
    strongest = sorted(pairs, key=lambda pair: (-maps.B_bar[pair], pair))[:top]
    return [
        Transition(corpus.vocabulary[a], corpus.vocabulary[b], float(maps.B_bar[a, b])) for a, b in strongest
    ]


def score_maps(corpus: Corpus, n: int, W: Directions, *, rate: float, steps: int, layers: int) -> ScoreMaps:
    """Return the score maps of sequence n that a run would show, from the terms of W in each layer."""
    x = corpus.tokens[n, :-1]
    T = len(x)
    visible, seen = np.tril(np.ones((T, T))), np.arange(1, T + 1)[:, None]
    each = []
    for layer in range(layers):
        raw = W.combined(amounts("W", rate, steps, layer, layers))[x[:, None], x[None, :]] * visible
        each.append((raw - raw.sum(axis=1, keepdims=True) / seen) * visible)
    pairs = [(a, b) for i, a in enumerate(each) for b in each[:i]]
    return ScoreMaps(
        rms=float(np.sqrt((each[0] ** 2).sum() / visible.sum())),
        largest=float(np.abs(each[0]).max()),
        least_cosine=min((cosine(a, b) for a, b in pairs), default=1.0),
        spread=layer_spread("W", W, rate, steps, layers),
    )
