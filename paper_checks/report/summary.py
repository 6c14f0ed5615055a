"""A run counted and grouped, as the page shows it."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from properties.results import BAD, PROOFS, STATES, Evidence, Result, Run, State
from reference.errors import counted

EVIDENCE: tuple[Evidence, ...] = get_args(Evidence)
MATHEMATICS = "theory"  # the target of checks that are about no implementation
# Laws on how the suite itself is built, which are news to nobody who reads of the theory.
OF_THE_SUITE = frozenset({"proof.second_route", "proof.checker_apart", "proof.theory_apart"})
LEFT_OUT: frozenset[State] = frozenset({"skipped", "not_applicable"})
HAPPENED: dict[State, str] = {
    "passed": "passed",
    "failed": "failed",
    "xfailed": "failed as expected",
    "xpassed": "passed against expectation",
    "skipped": "skipped",
    "errored": "raised an error",
    "not_applicable": "did not apply",
}


@dataclass(frozen=True)
class Law:
    """One check and what it found for each target."""

    check: str
    statement: str
    source: str
    evidence: Evidence
    results: tuple[Result, ...]

    @property
    def proof(self) -> str:
        """How it is proved, or ""."""
        return self.results[0].proof

    @property
    def cases(self) -> int:
        """On how many cases it was tried, the fewest of its targets."""
        return min((result.cases for result in self.results if result.result not in LEFT_OUT), default=0)

    @property
    def holds(self) -> bool:
        """Whether it passed somewhere and nowhere did anything but pass or stay untried."""
        states = {result.result for result in self.results}
        return "passed" in states and states <= {"passed"} | LEFT_OUT

    @property
    def tried(self) -> bool:
        """Whether it was tried on anything."""
        return any(result.result not in LEFT_OUT for result in self.results)

    def on(self, target: str) -> Result | None:
        """Return what it found for `target`, if it was tried there."""
        return next((result for result in self.results if result.target == target), None)


@dataclass(frozen=True)
class Family:
    """The laws whose ids share a first part, and the targets they were tried on."""

    name: str
    laws: tuple[Law, ...]
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Sureness:
    """How many laws rest on one kind of evidence, how many of those were tried, and how many hold."""

    evidence: Evidence
    laws: int
    tried: int
    hold: int


@dataclass(frozen=True)
class Reason:
    """Why some checks found nothing: the sentence, and on which target which checks."""

    note: str
    target: str
    state: State
    checks: tuple[str, ...]


def laws(results: Iterable[Result]) -> list[Law]:
    """Return the laws in the order in which they were first tried."""
    by_check: dict[str, list[Result]] = {}
    for result in results:
        by_check.setdefault(result.check, []).append(result)
    return [
        Law(check, found[0].statement, found[0].source, found[0].evidence, tuple(found))
        for check, found in by_check.items()
    ]


def families(run: Run) -> list[Family]:
    """Return the families in the order in which they were first tried."""
    by_name: dict[str, list[Result]] = {}
    for result in run.results:
        by_name.setdefault(result.family, []).append(result)
    order = list(dict.fromkeys(result.target for result in run.results))
    return [
        Family(name, tuple(laws(found)), tuple(sorted({one.target for one in found}, key=order.index)))
        for name, found in by_name.items()
    ]


def sureness(run: Run) -> list[Sureness]:
    """Return the count by kind of evidence, the strongest first; kinds that did not occur count 0."""
    found = laws(run.results)
    counted = []
    for evidence in EVIDENCE:
        held = [law for law in found if law.evidence == evidence]
        tried, hold = sum(law.tried for law in held), sum(law.holds for law in held)
        counted.append(Sureness(evidence, len(held), tried, hold))
    return counted


def held_by(one: Law | Result) -> str:
    """Return by what a law is held: of a proof how, of what is exact on how many cases."""
    if one.proof:
        return f"{one.evidence}, by {one.proof}"
    return f"{one.evidence}, on {counted(one.cases, 'case')}" if one.evidence == "exact" else one.evidence


def proofs(run: Run) -> str:
    """Return how many of the laws that are proved are so by what; "" where no result says."""
    how = Counter(law.proof for law in laws(run.results) if law.holds)
    return ", ".join(f"{how[one]} by {one}" for one in PROOFS if how[one])


def derived_here(run: Run) -> list[Law]:
    """Return what holds of the theory, is stated by no source, and is proved or exact; the proved first."""
    found = [law for law in laws(run.results) if law.source == "derived here" and law.holds]
    firm = [law for law in found if law.evidence in ("proved", "exact") and law.check not in OF_THE_SUITE]
    return sorted(firm, key=lambda law: EVIDENCE.index(law.evidence))


def implementations(run: Run) -> list[str]:
    """Return the targets that are implementations, in the order in which they were tried."""
    return list(dict.fromkeys(r.target for r in run.results if r.target != MATHEMATICS))


def counts(run: Run) -> dict[State, int]:
    """Return how many results there are of each state; those that did not occur are left out."""
    found = Counter(result.result for result in run.results)
    return {state: found[state] for state in STATES if found[state]}


def headline(run: Run) -> str:
    """Return the verdict in a few words."""
    bad = {state: count for state, count in counts(run).items() if state in BAD}
    if bad:
        return listed(f"{count} {HAPPENED[state]}" for state, count in bad.items())
    return "Every law that could be tried holds" if run.ok else "Nothing was checked"


def tally(run: Run) -> str:
    """Return the count of results in one sentence."""
    total = len(run.results)
    if not total:
        return "No check ran, so nothing is known."
    return f"Of {total:,} results, {listed(f'{n:,} {HAPPENED[state]}' for state, n in counts(run).items())}."


def failures(run: Run) -> list[Result]:
    """Return the results that should not be."""
    return [result for result in run.results if result.result in BAD]


def not_run(run: Run) -> list[Reason]:
    """Return each reason why a check found nothing, once for each target, with the checks it stopped."""
    grouped: dict[tuple[str, str, State], list[str]] = {}
    for result in run.results:
        if result.result in LEFT_OUT:
            note = result.note or "no reason was given"
            grouped.setdefault((note, result.target, result.result), []).append(result.check)
    return [Reason(*key, tuple(checks)) for key, checks in grouped.items()]


def slowest(run: Run, most: int = 10) -> list[Result]:
    """Return the results that took longest, the longest first."""
    return sorted(run.results, key=lambda result: -result.seconds)[:most]


# What a header says of the run itself; all else in it was found.
ABOUT_THE_RUN = ("kind", "format", "command", "started", "versions", "commit", "machine", "device")


def findings(run: Run) -> dict[str, Any]:
    """Return what the header holds of what was found: experiments, readings of the corpus, a certificate."""
    return {name: value for name, value in run.header.items() if name not in ABOUT_THE_RUN}


def digest(run: Run) -> str:
    """Return a SHA-256 of everything that was found, without times: equal for two equal runs."""
    lines = [*map(asdict, run.results), *run.claims, findings(run)]
    return hashlib.sha256(json.dumps(_timeless(lines), sort_keys=True).encode()).hexdigest()


def _timeless(value: Any) -> Any:
    """Return a value with no seconds in it, at any depth."""
    if isinstance(value, Mapping):
        return {name: _timeless(one) for name, one in value.items() if name != "seconds"}
    return [_timeless(one) for one in value] if isinstance(value, list | tuple) else value


def listed(parts: Iterable[str]) -> str:
    """Return "a", "a and b" or "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
