"""Which directions of a leading term carry the neighbours of words, in numbers and in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reference.alignment import REMOVED, Singular
from reference.categories import CATEGORIES, TOP, numbers_of
from reference.corpus import Corpus
from reference.directions import Share, chance_nearest, first_alone, kept, of_one_kind, without_first
from reference.neighbours import content_words

# The criterion, fixed before anything is looked at: directions carry words of one kind when so few deals of
# the kinds over the words reach their share, all parts of all weights together (Bonferroni).
LEVEL = 1 / 20
DRAWS = 1999
# The most frequent content words, whose nearest are looked for again.
WORDS = 400
# Fewer words of a kind say nothing.
FEWEST = 3
# In which of a leading term's two axes words are: what is alike in W_O is what follows the same words.
AXES = {"W_O": "columns", "V": "rows", "W": "rows"}


@dataclass(frozen=True)
class Part:
    """What some directions hold: nearest words of the whole, and of one kind (None without two kinds)."""

    kept: Share
    of_one_kind: Share | None


@dataclass(frozen=True)
class Carried:
    """The directions of one leading term.

    Attributes:
        axis: whether a word is a row or a column of it.
        words: how many words' nearest are looked for again.
        members: by kind, how many of its words there are.
        removed: numbers k of directions.
        left_over: for each k the share of the squared norm without the first k.
        alone: for each k what the first k hold alone; None for none.
        without: for each k what the rest hold.
    """

    axis: str
    words: int
    members: dict[str, int]
    removed: tuple[int, ...]
    left_over: tuple[float, ...]
    alone: tuple[Part | None, ...]
    without: tuple[Part, ...]


def carried(
    corpus: Corpus, leading: Mapping[str, np.ndarray], singular: Mapping[str, Singular], seed: int
) -> dict[str, Carried]:
    """Return what the directions of the leading terms of W_O, V and W hold; nothing of very few words."""
    if corpus.vocab_size < 2 * TOP:
        return {}
    words = np.flatnonzero(content_words(corpus.vocabulary))[:WORDS]
    if len(words) < TOP:
        words = np.arange(min(WORDS, corpus.vocab_size))
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    kinds = {name: numbers_of(listed, number) for name, listed in CATEGORIES.items()}
    kinds = {name: found for name, found in kinds.items() if len(found) >= FEWEST}
    return {
        group: _of(leading[group], singular[group], AXES[group], words, kinds, seed)
        for group in AXES
        if leading[group].any()
    }


def _of(
    X: np.ndarray,
    singular: Singular,
    axis: str,
    words: np.ndarray,
    kinds: dict[str, np.ndarray],
    seed: int,
) -> Carried:
    if axis == "columns":
        X, singular = X.T, Singular(singular.Vt.T, singular.sigma, singular.U.T, singular.square)
    whole = chance_nearest(X, words)
    members = np.concatenate(list(kinds.values())) if len(kinds) > 1 else np.empty(0, dtype=np.int64)
    labels = np.repeat(np.arange(len(kinds)), [len(one) for one in kinds.values()])

    def part(vectors: np.ndarray) -> Part:
        told = kept(chance_nearest(vectors, words), whole)
        if not len(members):
            return Part(told, None)
        near = chance_nearest(vectors, members)
        return Part(told, of_one_kind(near, members, labels, draws=DRAWS, seed=seed))

    ladder = tuple(k for k in REMOVED if k < min(X.shape))
    return Carried(
        axis,
        len(words),
        {name: len(one) for name, one in kinds.items()},
        ladder,
        tuple(singular.left_over(k) for k in ladder),
        tuple(part(first_alone(singular, k)) if k else None for k in ladder),
        tuple(part(without_first(X, singular, k)) for k in ladder),
    )


def level(found: Mapping[str, Carried]) -> float:
    """Return the p-value up to which a part carries words of one kind: `LEVEL` over the number of parts."""
    return LEVEL / max(1, sum(2 * len(one.removed) - 1 for one in found.values()))


def sentence(name: str, one: Carried, limit: float) -> str:
    """Return in words what the first direction carries, what the others do, and how many give half."""
    first, rest, whole = one.alone[1], one.without[1], one.without[0]
    assert first is not None
    enough = (k for k, part in zip(one.removed, one.alone, strict=True) if part and part.kept.value >= 1 / 2)
    half = next(enough, None)
    many = f"more than {one.removed[-1]}" if half is None else f"{half}"
    what = "is kept" if whole.of_one_kind is None else "is of its own kind"
    shares = (_told(first, limit), _told(rest, limit), _told(whole, limit))
    return (
        f"{name}: the first direction has {1 - one.left_over[1]:.2%} of the squared norm. Of a word's "
        f"nearest {TOP}, this share {what}: {shares[0]} by that direction alone, {shares[1]} by all the "
        f"others, {shares[2]} by the whole. To keep half of the whole's nearest {TOP} takes {many} "
        f"direction{'s' * (many != '1')}."
    )


def _told(part: Part, limit: float) -> str:
    """A share of words of one kind beside chance's, and whether it is more; without kinds, what is kept."""
    kind = part.of_one_kind
    if kind is None:
        return f"{part.kept.value:.1%} (chance {part.kept.chance:.1%})"
    more = "" if kind.p_value <= limit else ": not significant"
    return f"{kind.value:.1%} (chance {kind.chance:.1%}{more})"
