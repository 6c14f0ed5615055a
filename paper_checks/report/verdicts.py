"""Decided claims counted and grouped, as the page shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from paper_checks.ledger import counts
from paper_checks.ledger.counts import APART, SourceCount
from paper_checks.report.summary import EVIDENCE
from properties.results import Evidence, Run
from reference.errors import counted

# Every verdict with the word a reader sees and what it means, in the order in which they are shown.
VERDICTS = {
    "holds": ("holds", "True as stated."),
    "holds_to_rounding": (
        "holds, rounded",
        "The stated digits are what the computed value may be rounded to.",
    ),
    "refuted": ("refuted", "Wrong as stated; the right value and why are given."),
    "inconclusive": ("inconclusive", "What was computed does not decide it."),
    "definition": ("definition", "Neither true nor false; shown to be well defined and usable."),
    "method": ("rule", "A rule for experiments, with a demonstration of what breaking it does."),
    "not_run": ("not run", "Needs a text, a training run or a model; the command is given."),
}
# What is counted apart, with what it means.
MEANINGS = {
    counts.IMPLIED: "No sentence says it: a formula, an experiment or a script takes it for granted.",
    counts.HOLDS_OTHERWISE: "Refuted in the reading that it was judged by, and true in one told beside it.",
    counts.REFUTED_OTHERWISE: "It holds in the reading that it was judged by, not in one told beside it.",
}
# What a first look needs of both.
MAIN = {"holds", "holds_to_rounding", "refuted", counts.IMPLIED, counts.HOLDS_OTHERWISE, "not_run"}
# What errata stand under, by what the claim is about, the heaviest first.
ERRATA = {
    "every case": "Said of every corpus, model or head",
    "a conclusion": "Concluded from what is printed",
    "a number": "Numbers that are off",
    "print": "Against what is printed, there or in other works",
    "": "Refuted",
}
BY_WEIGHT = (
    "The heaviest come first: what was said of every case, then what was concluded from printed numbers or "
    "maps, then numbers, those that are farthest off before the others, and last what only print can decide."
)
Row = Mapping[str, Any]
# Claims to begin with, in order: what the theory and the readings of attention stand on, right and wrong.
BEGIN_WITH = (
    "orders-in-eta",
    "layers-share-leading-term",
    "paper-thm-bounds-informative",
    "paper-table3-hierarchy",
    "random-entropy-baseline",
    "cyclic-forces-induction",
    "forward-hook-ablates-output",
    "negative-means-redundancy",
)


def by_source(run: Run) -> list[SourceCount]:
    """Return the counts of each source, in the order of their claims."""
    return counts.by_source(run.claims)


def columns(run: Run) -> list[tuple[str, str]]:
    """Return what is counted, each with the words over its column: verdicts, and after them what is apart."""
    found = Counter[str]()
    for one in by_source(run):
        found += one.found
    return [
        (name, words)
        for verdict, (word, _) in VERDICTS.items()
        for name, words in [(verdict, word), *((one, f"of them {one}") for one in APART.get(verdict, ()))]
        if found[name]
    ]


def main_columns(run: Run) -> list[tuple[str, str]]:
    """Return those of the columns that a first look needs; `others` has what is left."""
    return [(name, words) for name, words in columns(run) if name in MAIN]


def others(run: Run, one: SourceCount) -> int:
    """Return how many claims of a source have a verdict without a main column."""
    return one.total - sum(one.found[name] for name, _ in main_columns(run) if name in VERDICTS)


def refuted_in_words(run: Run) -> str:
    """Return how many claims of each source are refuted, and how many of them only in part against it."""
    told = [counts.refuted_in_words(one) for one in by_source(run) if one.found["refuted"]]
    return f"Refuted, by source: {'; '.join(told)}." if told else ""


def present(run: Run) -> list[str]:
    """Return the verdicts that occur, in their order."""
    occurring = {claim["verdict"] for claim in run.claims}
    return [one for one in VERDICTS if one in occurring]


def read_first(run: Run) -> list[Row]:
    """Return the claims to begin with, those of them that were decided."""
    decided = {claim["id"]: claim for claim in run.claims if claim["verdict"] != "not_run"}
    return [decided[one] for one in BEGIN_WITH if one in decided]


def errata(run: Run) -> list[tuple[str, list[Row]]]:
    """Return the refuted claims by weight, under headings, each heading's in the order of their sources.

    Results of earlier versions do not say what a claim weighs: theirs stand under one heading.
    """
    refuted = [claim for claim in run.claims if claim["verdict"] == "refuted"]
    refuted.sort(key=lambda claim: claim.get("weight", [0]))
    return [
        (heading, [claim for claim in refuted if claim.get("about", "") == about])
        for about, heading in ERRATA.items()
        if any(claim.get("about", "") == about for claim in refuted)
    ]


def in_words(run: Run) -> str:
    """Return of how many sources claims were taken up and where what came of them stands, in one sentence."""
    sources = counted(len(by_source(run)), "source")
    return (
        f"What came of {counted(len(run.claims), 'published claim')}, of {sources}, stands below by source."
    )


def decided_by(run: Run) -> Counter[Evidence]:
    """Return how many claims came to a verdict by each kind of evidence, whichever is their weakest step."""
    return Counter(
        claim["evidence"] for claim in run.claims if claim["verdict"] not in ("not_run", "inconclusive")
    )


def on_others(run: Run) -> list[tuple[Row, str, str]]:
    """Return the claims whose verdict rests on what others found: each with the sentence and the work."""
    found = [(claim, claim.get("quoted") or {}) for claim in run.claims]
    return [(claim, one.get("fact") or one["theorem"], one["work"]) for claim, one in found if one]


def choices(run: Run) -> dict[str, list[tuple[str, str]]]:
    """Return what the ledger can be filtered by: for each column the values that occur, with their words."""
    decided = [claim for claim in run.claims if claim["verdict"] != "not_run"]
    return {
        "source": [(one.key, one.title) for one in by_source(run)],
        "verdict": [(one, VERDICTS[one][0]) for one in present(run)],
        # What was not run is held by nothing yet.
        "evidence": [
            (kind, kind) for kind in EVIDENCE if any(claim["evidence"] == kind for claim in decided)
        ],
        "topic": [(one, one) for one in dict.fromkeys(str(claim.get("topic", "")) for claim in run.claims)],
    }
