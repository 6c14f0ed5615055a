"""The category probe on the maps of a corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from paper_checks.fastest import statistics_of
from reference.categories import CATEGORIES, Hits, category_hits, cosine_similarity, numbers_of
from reference.corpus import Corpus

# Same-category hits in the top ten of Sigma_B, toy-model, 5.2 (claim category-hit-rates); its word lists are
# not given, so no verdict rests on these.
PUBLISHED = {"feelings": 0.422, "motion": 0.178, "animals": 0.164, "colours": 0.0}
FEWEST_WORDS = 3

Told = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Probed:
    """One category under one map."""

    map: str
    category: str
    hits: Hits


def probe_categories(corpus: Corpus, *, draws: int, seed: int, told: Told) -> list[Probed]:
    """Return the hits of each category that the vocabulary has words of, under each map.

    Sigma_B ranks by the statistic itself; C by the cosines of B_bar's columns; Phi_bar and V by the cosines
    of their rows.
    """
    statistics = statistics_of(corpus.tokens, corpus.vocab_size)
    Sigma, B, Phi = statistics["Sigma_B"], statistics["B_bar"], statistics["Phi_bar"]
    maps: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "Sigma_B": lambda of: Sigma[of],
        "C": partial(_cosines, B.T),
        "Phi_bar": partial(_cosines, Phi),
        "V": partial(_cosines, Phi.T @ B.T),
    }
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    members = {name: numbers_of(words, number) for name, words in CATEGORIES.items()}
    asked = [(m, c) for m in maps for c in members if len(members[c]) >= FEWEST_WORDS]
    found = []
    for n, (name, category) in enumerate(asked):
        told(f"{category} under {name}", n, len(asked))
        hits = category_hits(maps[name], corpus.vocab_size, members[category], draws=draws, seed=seed)
        found.append(Probed(name, category, hits))
    return found


def _cosines(vectors: np.ndarray, of: np.ndarray) -> np.ndarray:
    return cosine_similarity(vectors, of)
