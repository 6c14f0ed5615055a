"""Decided claims counted by source: of each verdict, and of those with a verdict what a reader must know.

A claim that is refuted may be only implied by its source, and may hold in another reading; one that holds may
be refuted in one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

IMPLIED = "only implied"
HOLDS_OTHERWISE = "hold in another reading"
REFUTED_OTHERWISE = "refuted in another reading"
# What is counted apart, after the verdict that it stands under.
APART = {"holds_to_rounding": (REFUTED_OTHERWISE,), "refuted": (IMPLIED, HOLDS_OTHERWISE)}


@dataclass(frozen=True)
class SourceCount:
    """How many claims of one source came to each verdict.

    Attributes:
        key: the source's key.
        name: what a reader calls it.
        title: as published.
        origin: authors, language, licence, in a few words.
        total: how many claims.
        found: how many by verdict, and how many of these are counted `APART`; what does not occur is 0.
    """

    key: str
    name: str
    title: str
    origin: str
    total: int
    found: Counter[str]


def by_source(rows: Iterable[Mapping[str, Any]]) -> list[SourceCount]:
    """Return the counts of each source, in the order of their claims.

    Args:
        rows: decided claims, as `Decided.as_row` gives them; those of earlier versions have no names.
    """
    rows = list(rows)
    first: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        first.setdefault(row["source"], row)
    counted = []
    for key, one in first.items():
        own = [row for row in rows if row["source"] == key]
        found = Counter(name for row in own for name in (row["verdict"], *_apart(row)))
        name, title = one.get("name") or key, one.get("title") or key
        counted.append(SourceCount(key, name, title, one.get("origin") or "", len(own), found))
    return counted


def _apart(row: Mapping[str, Any]) -> list[str]:
    """Return under what else than its verdict a claim is counted."""
    refuted = row["verdict"] == "refuted"
    found = [IMPLIED] if refuted and row.get("implied") else []
    if row.get("otherwise"):
        found.append(HOLDS_OTHERWISE if refuted else REFUTED_OTHERWISE)
    return found


def refuted_in_words(one: SourceCount) -> str:
    """Return how many claims of a source are refuted, and how many of them only in part against it."""
    of_them = [
        f"{one.found[name]} {words}"
        for name, words in ((IMPLIED, "only implied"), (HOLDS_OTHERWISE, "true in another reading"))
        if one.found[name]
    ]
    told = f"{one.name} {one.found['refuted']} of {one.total}"
    return f"{told} ({', '.join(of_them)})" if of_them else told
