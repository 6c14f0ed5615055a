"""Do words of one kind lie together in a map? Neighbours, hits of a category, and what chance would give.

The categories are lists of words fixed here, before anything is looked at. A hit rate is the share of a
member's nearest words, itself left out, that are members too, averaged over the members. It is told beside
chance: the same rate for sets of words drawn at random with frequencies like the members'. Derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

CATEGORIES: dict[str, tuple[str, ...]] = {
    "feelings": (
        *("happy", "sad", "angry", "scared", "proud", "excited", "surprised", "worried", "glad", "upset"),
        *("tired", "hungry", "curious", "lonely", "afraid", "nervous", "bored", "jealous", "ashamed"),
        "grateful",
    ),
    "motion": (
        *(
            "ran",
            "walked",
            "jumped",
            "went",
            "flew",
            "swam",
            "climbed",
            "hopped",
            "danced",
            "rode",
            "crawled",
        ),
        *("rolled", "fell", "came", "left", "moved", "followed", "chased", "raced", "skipped"),
    ),
    "animals": (
        *("dog", "cat", "bird", "fish", "rabbit", "bear", "frog", "duck", "mouse", "lion", "fox", "cow"),
        *("horse", "pig", "squirrel", "elephant", "monkey", "owl", "bee", "butterfly"),
    ),
    "colours": ("red", "blue", "green", "yellow", "pink", "purple", "orange", "brown", "black", "white"),
}
TOP = 10

# Words within so many places of a member in the order of frequency are like it in frequency.
PLACES = 25


@dataclass(frozen=True)
class Hits:
    """The hit rate of a category and its chance.

    Attributes:
        rate: in 0..1.
        uniform: (n - 1) / (V - 1), for neighbours that are any words.
        chance: the mean rate of sets drawn with like frequencies.
        p_value: the share of those sets, with the members' own counted in, that reach the rate.
        members: how many words of the category the vocabulary has.
    """

    rate: float
    uniform: float
    chance: float
    p_value: float
    members: int


def cosine_similarity(
    vectors: Float64[np.ndarray, "V d"], of: Int64[np.ndarray, " n"]
) -> Float64[np.ndarray, "n V"]:
    """Return the cosines of some rows with all rows; 0 with rows of zeros."""
    length = np.linalg.norm(vectors, axis=1)
    unit = np.divide(vectors, length[:, None], out=np.zeros_like(vectors), where=length[:, None] > 0)
    return unit[of] @ unit.T


def nearest(
    similarity: Float64[np.ndarray, "n V"], of: Int64[np.ndarray, " n"], top: int = TOP
) -> Int64[np.ndarray, "n top"]:
    """Return the most similar words of each, itself left out, the most similar first; ties by number."""
    hidden = similarity.copy()
    hidden[np.arange(len(of)), of] = -np.inf
    return np.argsort(-hidden, axis=1, kind="stable")[:, :top]


def hit_rate(neighbours: Int64[np.ndarray, "n top"], is_member: Bool[np.ndarray, " V"]) -> float:
    """Return the share of the neighbours that are members."""
    return float(is_member[neighbours].mean())


def category_hits(
    similar: Callable[[Int64[np.ndarray, " n"]], Float64[np.ndarray, "n V"]],
    vocab_size: int,
    members: Int64[np.ndarray, " n"],
    *,
    draws: int = 200,
    seed: int = 0,
    top: int = TOP,
) -> Hits:
    """Return how a map holds a category together.

    `similar` gives how like every word is to some words; words are numbered in the order of frequency. Each
    of the `draws` sets takes for every member one word at most `PLACES` places away, no word twice.
    """
    V, chance = vocab_size, np.random.default_rng(seed)
    rate = _rate(similar, V, members, top)
    drawn = [_rate(similar, V, _like(members, V, chance), top) for _ in range(draws)]
    reached = 1 + sum(one >= rate for one in drawn)
    return Hits(
        rate, (len(members) - 1) / max(1, V - 1), float(np.mean(drawn)), reached / (draws + 1), len(members)
    )


def numbers_of(words: Sequence[str], vocabulary: Mapping[str, int]) -> Int64[np.ndarray, " n"]:
    """Return the numbers of those words that the vocabulary has, in their order."""
    return np.array([vocabulary[word] for word in words if word in vocabulary], dtype=np.int64)


def _rate(
    similar: Callable[[np.ndarray], np.ndarray], vocab_size: int, members: np.ndarray, top: int
) -> float:
    is_member = np.zeros(vocab_size, dtype=bool)
    is_member[members] = True
    return hit_rate(nearest(similar(members), members, top), is_member)


def _like(members: np.ndarray, V: int, chance: np.random.Generator) -> np.ndarray:
    taken: set[int] = set()
    for member in members:
        near = [w for w in range(max(0, member - PLACES), min(V, member + PLACES + 1)) if w not in taken]
        taken.add(int(chance.choice(near)))
    return np.array(sorted(taken), dtype=np.int64)
