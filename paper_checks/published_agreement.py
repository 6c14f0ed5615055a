"""Which ranking reproduces published lists of neighbours, and how far: counted, and said in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paper_checks.neighbourhood import AMONG, Reproduced


@dataclass(frozen=True)
class Agreement:
    """How far the rankings reproduce the lists of a source.

    Attributes:
        source: of the lists.
        of: words in them.
        unknown: how many of these the vocabulary has not.
        found: for each ranking the words that are among its first AMONG, the most first; ties as they come.
        by_kind: the same and the number of words, for each kind of list.
        never: "word -> neighbour" for each that the vocabulary has and no ranking finds.
    """

    source: str
    of: int
    unknown: int
    found: dict[str, int]
    by_kind: dict[str, tuple[dict[str, int], int]]
    never: tuple[str, ...]


def agreements(lists: Sequence[Reproduced]) -> list[Agreement]:
    """Return for each source how far each ranking reproduces its lists."""
    sources = dict.fromkeys(one.published.source for one in lists)
    return [_of([one for one in lists if one.published.source == source]) for source in sources]


def sentences(lists: Sequence[Reproduced]) -> Iterator[str]:
    """Yield for each source which ranking reproduces its lists best, how far, and what none reproduces."""
    for one in agreements(lists):
        (best, most), *others = one.found.items()
        known = f" ({one.unknown} of them are not in this vocabulary)" if one.unknown else ""
        rest = "; ".join(f"{ranking}: {count}" for ranking, count in others)
        kinds = ", ".join(_best_of(kind, *counts) for kind, counts in one.by_kind.items())
        never = (
            f"By no ranking: {', '.join(one.never)}." if one.never else "Some ranking finds each known one."
        )
        yield (
            f"{one.source}: {most} of the {one.of} words listed{known} come among the first {AMONG} by "
            f"{best}, by no ranking more ({rest}). The best of each map: {kinds}. {never}"
        )


def _of(lists: Sequence[Reproduced]) -> Agreement:
    at_first = [one for one in lists if _ranking(one) == _ranking(lists[0])]
    places = [place for one in at_first for place in one.places.values()]
    kinds = dict.fromkeys(str(one.published.kind) for one in lists)
    found_somewhere = {
        (one.published, word)
        for one in lists
        for word, place in one.places.items()
        if place is not None and place <= AMONG
    }
    return Agreement(
        source=lists[0].published.source,
        of=len(places),
        unknown=sum(place is None for place in places),
        found=_found(lists),
        by_kind={kind: _of_kind([one for one in lists if one.published.kind == kind]) for kind in kinds},
        never=tuple(
            f"{one.published.word} -> {word}"
            for one in at_first
            for word, place in one.places.items()
            if place is not None and (one.published, word) not in found_somewhere
        ),
    )


def _of_kind(lists: Sequence[Reproduced]) -> tuple[dict[str, int], int]:
    found = _found(lists)
    return found, sum(len(one.places) for one in lists) // len(found)


def _found(lists: Sequence[Reproduced]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for one in lists:
        counted[_ranking(one)] = counted.get(_ranking(one), 0) + one.found
    return dict(sorted(counted.items(), key=lambda ranking: -ranking[1]))


def _ranking(one: Reproduced) -> str:
    return f"{one.ranking} of {'content' if one.content_only else 'all'} words"


def _best_of(kind: str, found: dict[str, int], of: int) -> str:
    most = max(found.values())
    best = [ranking for ranking, count in found.items() if count == most]
    by = "any" if len(best) == len(found) else " or ".join(best)
    return f"{kind} {most} of {of} ({by})"
