"""Decide claims: run what each names, and turn what was found into a verdict."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from paper_checks.ledger.book import claims, sources, to_obtain
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, NotGiven
from paper_checks.ledger.registry import Computation, computations
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.strength import Strength, strength_of
from paper_checks.ledger.weight import about, off_by, weight
from properties.results import MATHEMATICS, PROOFS, Evidence, Result, Run
from reference.errors import InputError, counted

# From the strongest to the weakest; a claim that several checks decide is held as firmly as by the weakest.
_STRENGTH: tuple[Evidence, ...] = ("proved", "exact", "property", "measured", "quoted")
# What came out where the claim says just what the suite holds, by the weakest evidence, with how many cases
# or how it is proved.
_AS_STATED: dict[Evidence, str] = {
    "proved": "as stated, proved by {}",
    "exact": "as stated, exactly, in {}",
    "property": "as stated, within rounding, in {}",
    "measured": "as stated, within noise, in {}",
    "quoted": "as stated, in {}",
}


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
            "name": sources()[claim.source].name,
            "title": sources()[claim.source].title,
            "origin": sources()[claim.source].about,
            "also": list(claim.also),
            "section": claim.section,
            "topic": claim.topic,
            "claim_kind": claim.kind,
            "needs": claim.needs,
            "statement": claim.statement,
            "stated": claim.stated,
            "implied": claim.implied,
            "numbers": dict(claim.numbers),
            "quoted": dict(claim.quoted),
            "verdict": finding.verdict,
            "evidence": finding.evidence,
            "strength": self.strength.words,
            "missing": self.strength.missing,
            "computed": finding.computed,
            "right": dict(finding.right),
            "about": about(claim, finding),
            "off": off_by(claim, finding),
            "weight": weight(claim, finding),
            "derivation": finding.derivation,
            "convention": " ".join(filter(None, (claim.convention, finding.convention))),
            "otherwise": list(finding.otherwise),
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
        finding = _by_computation(own[0], claim, setting, suite)
    else:
        finding = by_checks([setting.result(name) for name in suite], claim.why)
    if claim.quoted:
        finding = _resting_on(claim.quoted, finding)
    if finding.verdict == "holds" and claim.kind != "statement":
        return replace(finding, verdict=claim.kind)
    return finding


def _by_computation(own: Computation, claim: Claim, setting: Setting, suite: list[str]) -> Finding:
    """Return what a computation finds; the checks of the suite that are named with it must hold as well."""
    finding = own.decide(claim, setting)
    finding = replace(finding, tried=finding.tried or own.tried)
    beside = [setting.result(name) for name in suite]
    weakest = weakest_of(finding.evidence, *(result.evidence for result in beside))
    broken = [result.check for result in beside if result.result != "passed"]
    if broken:
        return Finding("inconclusive", weakest, finding.computed, f"{broken[0]} does not pass.")
    # A claim that holds does so as far as its checks reach. One case is enough against it: what refutes it is
    # as firm as the computation that found it, and a check says only what holds in its place.
    if finding.verdict == "refuted":
        return finding
    if weakest != finding.evidence:
        return replace(finding, evidence=weakest, tried=_cases(beside, weakest))
    if (
        weakest == "exact"
        and not finding.tried
        and beside
        and not any(r.evidence == "proved" for r in beside)
    ):
        return replace(finding, tried=f"what is stated, by laws tried on {_cases(beside, weakest)}")
    return finding


def _resting_on(quoted: Mapping[str, str], finding: Finding) -> Finding:
    """Return a finding as one that is no surer than what others found, and says so."""
    says = quoted.get("fact") or quoted["theorem"]
    told = " ".join(filter(None, (f"{quoted['work']}: {says}", finding.derivation)))
    return replace(finding, evidence="quoted", derivation=told)


def by_checks(results: list[Result], why: str = "") -> Finding:
    """Return the verdict on a claim that says just what these checks hold. `why` says more than they."""
    weakest = weakest_of(*(result.evidence for result in results))
    failed = [result for result in results if result.result == "failed"]
    if failed:
        told = _counterexample(failed[0])
        return Finding("refuted", weakest, f"{failed[0].check} fails", told, tried="one case")
    unsettled = [result for result in results if result.result != "passed"]
    if unsettled:
        return Finding("inconclusive", weakest, f"{unsettled[0].check} is {unsettled[0].result}")
    laws = " ".join(result.statement for result in results[:2])
    cases = _cases(results, weakest)
    on = weakest_proof(results) if weakest == "proved" else cases
    return Finding("holds", weakest, _AS_STATED[weakest].format(on), why or laws, tried=cases)


def weakest_proof(results: Iterable[Result]) -> str:
    """Return how the least firmly proved of results is proved; "proof" where none of them says."""
    return max((one.proof for one in results if one.proof), key=PROOFS.index, default="proof")


def _cases(results: Iterable[Result], evidence: Evidence) -> str:
    """Return on how many cases the results of that kind of evidence rest."""
    return counted(sum(result.cases for result in results if result.evidence == evidence), "case")


def weakest_of(*evidence: Evidence) -> Evidence:
    """Return the weakest kind of evidence: what rests on several findings is as firm as that of the least."""
    return max(evidence, key=_STRENGTH.index)


def _counterexample(result: Result) -> str:
    example = result.counterexample or {}
    return f"Got {example.get('got')}, expected {example.get('expected')} at {example.get('entry')}."
