"""Decide claims: run what each names, and turn what was found into a verdict."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from paper_checks.ledger.book import claims, sources, to_obtain
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, NotGiven
from paper_checks.ledger.registry import computations
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.strength import Strength, strength_of
from properties.results import MATHEMATICS, Evidence, Result, Run
from reference.errors import InputError

# From the strongest to the weakest; a claim that several checks decide is held as firmly as by the weakest.
_STRENGTH: tuple[Evidence, ...] = ("proved", "exact", "property", "measured", "quoted")


@dataclass(frozen=True)
class Decided:
    """A claim, what was found, how strong that is, the seconds it took, the command that does it again."""

    claim: Claim
    finding: Finding
    strength: Strength
    seconds: float
    command: str

    @property
    def obtain(self) -> dict[str, str]:
        """What the command reads that has to be obtained first, where the claim waits for it."""
        return to_obtain(self.command) if self.finding.verdict == "not_run" else {}

    def as_row(self) -> dict[str, Any]:
        """Return the row that `leadterms claims --json` writes."""
        claim, finding = self.claim, self.finding
        return {
            "id": claim.id,
            "source": claim.source,
            "title": sources()[claim.source].title,
            "also": list(claim.also),
            "section": claim.section,
            "topic": claim.topic,
            "claim_kind": claim.kind,
            "needs": claim.needs,
            "statement": claim.statement,
            "stated": claim.stated,
            "numbers": dict(claim.numbers),
            "verdict": finding.verdict,
            "evidence": finding.evidence,
            "strength": self.strength.words,
            "missing": self.strength.missing,
            "computed": finding.computed,
            "right": dict(finding.right),
            "derivation": finding.derivation,
            "convention": " ".join(filter(None, (claim.convention, finding.convention))),
            "checks": list(claim.checks),
            "command": self.command,
            "obtain": self.obtain,
            "seconds": round(self.seconds, 3),
        }


def decide(chosen: Iterable[Claim], setting: Setting, options: str = "") -> Iterator[Decided]:
    """Yield each claim with its verdict.

    Args:
        chosen: the claims to decide.
        setting: what there is to decide them with.
        options: what the command line gave besides, to be repeated in the commands.
    """
    for claim in chosen:
        started, before = time.perf_counter(), len(setting.read)
        try:
            finding, command = found(claim, setting), f"leadterms claims {claim.id}{options}"
            files = dict.fromkeys(setting.origins.get(name, "") for name in setting.read[before:])
            command += "".join(f" --experiments {shlex.quote(file)}" for file in files if file)
        except NotGiven as missing:
            finding = Finding("not_run", "quoted", "", derivation=f"Needs {missing}.")
            command = claim.run_with or f"leadterms claims {claim.id}"
        except InputError as error:
            # A text that lacks a word, or is too short, decides the other claims nevertheless.
            finding = Finding("not_run", "quoted", "", derivation=f"Needs another text: {error}")
            command = claim.run_with or f"leadterms claims {claim.id}"
        strength = strength_of(claim, finding, setting.seen(claim.id))
        yield Decided(claim, finding, strength, time.perf_counter() - started, command)


def own_results(run: Run) -> dict[str, Result]:
    """Return a run's results on the mathematics and on the reference, by check: claims rest on these."""
    return {one.check: one for one in run.results if one.target in (MATHEMATICS, "reference")}


def with_claims(
    run: Run,
    setting: Setting,
    options: str = "",
    progress: Callable[[str, int, int], None] = lambda what, done, of: None,
) -> Run:
    """Return `run` with every claim of the ledger decided."""
    chosen, rows = claims(), []
    for done, claim in enumerate(chosen):
        progress(claim.id, done, len(chosen))
        rows += [one.as_row() for one in decide([claim], setting, options)]
    return replace(run, claims=tuple(rows), footer={**run.footer, "claims": len(rows)})


def found(claim: Claim, setting: Setting) -> Finding:
    """Return what the claim's computation finds, or what the suite's checks alone say of it.

    Raises:
        NotGiven: it needs something that is not there.
    """
    setting.check_text(claim.text)
    own = [computations()[name] for name in claim.checks if name in computations()]
    suite = [name for name in claim.checks if name not in computations()]
    if own:
        # Its computation is the decision; the checks of the suite that it names must hold as well.
        finding = own[0].decide(claim, setting)
        results = [setting.result(name) for name in suite]
        weakest = weakest_of(finding.evidence, *(result.evidence for result in results))
        broken = [result.check for result in results if result.result != "passed"]
        if broken:
            return Finding("inconclusive", weakest, finding.computed, f"{broken[0]} does not pass.")
        # A claim that holds does so as far as its checks reach. One case is enough against it: what refutes
        # it is as firm as the computation that found it, and a check says only what holds in its place.
        if finding.verdict != "refuted":
            finding = replace(finding, evidence=weakest)
    else:
        finding = by_checks([setting.result(name) for name in suite])
    if finding.verdict == "holds" and claim.kind != "statement":
        return replace(finding, verdict=claim.kind)
    return finding


def by_checks(results: list[Result]) -> Finding:
    """Return the verdict on a claim that says just what these checks hold."""
    weakest = weakest_of(*(result.evidence for result in results))
    failed = [result for result in results if result.result == "failed"]
    if failed:
        return Finding("refuted", weakest, f"{failed[0].check} fails", _counterexample(failed[0]))
    unsettled = [result for result in results if result.result != "passed"]
    if unsettled:
        return Finding("inconclusive", weakest, f"{unsettled[0].check} is {unsettled[0].result}")
    cases = sum(result.cases for result in results)
    laws = " ".join(result.statement for result in results[:2])
    return Finding("holds", weakest, f"as stated, in {cases} case{'s' * (cases != 1)}", laws)


def weakest_of(*evidence: Evidence) -> Evidence:
    """Return the weakest kind of evidence: what rests on several findings is as firm as that of the least."""
    return max(evidence, key=_STRENGTH.index)


def _counterexample(result: Result) -> str:
    example = result.counterexample or {}
    return f"Got {example.get('got')}, expected {example.get('expected')} at {example.get('entry')}."
