"""What a report shows of its corpus: weights by layer, words under the maps; and a proof for every corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from paper_checks.behaviour import behaviour, trained_weights
from paper_checks.corpus_controls import other_corpus
from paper_checks.fastest import statistics_of
from paper_checks.finite import finite
from paper_checks.neighbourhood import (
    AMONG,
    PublishedList,
    Reproduced,
    maps_of,
    neighbours,
    published_lists,
    reproduced,
)
from paper_checks.published_agreement import sentences
from properties.predictions.sampling import leading_directions
from reference.alignment import cosine, singular_directions
from reference.corpus import Corpus, shuffled
from reference.neighbours import content_words
from theory.certificates import prove

# A part that three layers train on in seconds. s eta is that of the published main run, 320 steps at 0.005.
SEQUENCES, LENGTH, LAYERS, RATE, STEPS = 32, 24, 3, 0.05, 32
# Words whose neighbours are shown, and how many.
WORDS, NEAREST = 6, 6

# The size whose proof comes with a report: the largest that is proved in a second.
PROVED_V, PROVED_T, PROVED_L = 2, 3, 2

Told = Callable[[str, int, int], None]


def readings(corpus: Corpus, seed: int, told: Told) -> dict[str, Any]:
    """Return what a report shows besides results: weights by layer, words, and a proof for every corpus."""
    return {
        "by_layer": by_layer(corpus, seed, told),
        "words": words(corpus),
        "certificate": prove(PROVED_V, PROVED_T, PROVED_L),
    }


def by_layer(corpus: Corpus, seed: int, told: Told = lambda what, done, of: None) -> dict[str, Any]:
    """Return for each weight of a run on a part of the corpus its cosine and its effect, both with controls.

    The run is full-batch descent from zero in float64 on the first sequences, over the words found in them.
    `rows` have: the weight; its cosine with its leading term; the cosine that the best matrix of rank one has
    (None for a vector) and that of a corpus with the same tokens in another order; the rise of the loss, in
    nats a token, without the weight's part along that term, predicted and measured; and the largest of the
    rises without parts of equal length along random directions.
    """
    part = corpus.slice(SEQUENCES, LENGTH)
    told("training on a part of the corpus", 0, 1)
    weights = trained_weights(part, LAYERS, RATE, STEPS)
    found = behaviour(
        part,
        weights,
        other_corpus(None, part, "words", seed + 1),
        rate=RATE,
        steps=STEPS,
        sequences=part.sequences,
        seed=seed,
        told=told,
    )
    statistics = statistics_of(part.tokens, part.vocab_size)
    leading = leading_directions(part.tokens, statistics)
    mixed = shuffled(part.tokens, seed)
    disordered = leading_directions(mixed, statistics_of(mixed, part.vocab_size))
    rows = []
    for name, one in found.items():
        term = leading[name.split()[0]]
        rank_one = singular_directions(term, 1).best_rank_one if term.ndim == 2 else math.nan
        rows.append(
            {
                "weight": name,
                "cosine": one.cosine,
                "best_rank_one": rank_one,
                "shuffled": cosine(disordered[name.split()[0]], term),
                "predicted": one.predicted,
                "measured": one.measured,
                "random": max(one.random, key=abs),
            }
        )
    return {
        "part": {"sequences": part.sequences, "length": part.length, "vocab_size": part.vocab_size},
        "layers": LAYERS,
        "rate": RATE,
        "steps": STEPS,
        "rows": finite(rows),
    }


def words(corpus: Corpus) -> dict[str, Any]:
    """Return the nearest words of some content words under the three maps, and published lists beside them.

    The words are those whose neighbours a source lists, then the most frequent content words; frequency is
    taken out of the ranking (`reference.neighbours`), and words that are no nearer than chance are left out.
    `agreement` says of each source, all of whose words are known, which ranking gives its lists;
    `published` has the lists all of whose words are known, each with the ranking that finds the most of them
    among the first `AMONG`.
    """
    maps = maps_of(corpus)
    near = {}
    for word in _shown_words(corpus):
        found = neighbours(corpus, maps, word, "standardised", True, NEAREST)
        near[word] = {kind: [name for name, score in nearest if score > 0] for kind, nearest in found.items()}
    best: dict[PublishedList, Reproduced] = {}
    every = reproduced(corpus, maps)
    for one in every:
        if None in one.places.values():
            continue
        if one.published not in best or one.found > best[one.published].found:
            best[one.published] = one
    lists = [asdict(one) | {"found": one.found, "of": len(one.places)} for one in best.values()]
    partly = {one.published.source for one in every if None in one.places.values()}
    whole = [one for one in every if one.published.source not in partly]
    return {"nearest": near, "published": lists, "among": AMONG, "agreement": list(sentences(whole))}


def _shown_words(corpus: Corpus) -> list[str]:
    known = [one.word for one in published_lists() if one.word in corpus.vocabulary]
    return list(dict.fromkeys([*known, *_frequent(corpus)]))[:WORDS]


def _frequent(corpus: Corpus) -> Iterator[str]:
    """Yield content words, the most frequent first."""
    for number in np.flatnonzero(content_words(corpus.vocabulary)):
        yield corpus.vocabulary[number]
