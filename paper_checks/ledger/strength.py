"""How strong what was found of a claim is, and what is missing, in words.

A claim about mathematics or about printed numbers is as sure as the means by which it was decided, and as
what these were tried on: cases that stand for all, or the very numbers that are stated. What rests on a fact
or a theorem that was quoted is as sure as that. A claim about what models do climbs the steps of
`properties.evidence_ladder`: by what experiments found on it or, where none speaks to it, by what its source
shows (one model, one input) and what was measured here (many).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from properties.evidence_ladder import Assessment, Step, assess
from properties.evidence_ladder import Finding as Seen

OBSERVED = ("training run", "pretrained model")
NOTHING = "nothing"


@dataclass(frozen=True)
class Strength:
    """The strength of the evidence for a verdict, and what is missing; "nothing" where nothing is."""

    words: str
    missing: str


def strength_of(
    claim: Claim, finding: Finding, seen: Mapping[str, Sequence[Seen]] = MappingProxyType({})
) -> Strength:
    """Return how strong the evidence for the verdict on a claim is.

    Args:
        claim: what is claimed.
        finding: what was found of it.
        seen: what experiments found on the steps of evidence, by what it is that they observed.
    """
    if seen:
        told = [_climbed(assess(found), f"{about}: ") for about, found in seen.items()]
        return Strength("; ".join(one.words for one in told), "; ".join(one.missing for one in told))
    if finding.verdict == "not_run":
        waits = finding.derivation.removeprefix("Needs ").rstrip(".") or claim.needs
        return Strength("none yet", waits)
    if finding.verdict == "inconclusive":
        return Strength("undecided", (finding.missing or finding.derivation).rstrip(".") or "a decision")
    if finding.evidence == "measured" and claim.needs in OBSERVED:
        holds = finding.verdict != "refuted"
        published = Seen(Step.one_input, True, "the source")
        return _climbed(assess([published, Seen(Step.many_inputs, holds, "measured here")]))
    if claim.quoted:
        return _quoted(claim.quoted)
    if finding.verdict in ("definition", "method"):  # not true or false: nothing is left to be shown
        return Strength(f"shown to be usable{f' on {finding.tried}' if finding.tried else ''}", NOTHING)
    by_means = _by_means(claim, finding)
    return replace(by_means, missing=finding.missing or by_means.missing)


def _by_means(claim: Claim, finding: Finding) -> Strength:
    """Return how sure the means make it: what was done, on what, and what would be surer."""
    # One case is enough against a claim about every case: no proof is missing then.
    against = finding.verdict == "refuted" and claim.needs in ("nothing", "small corpus")
    on, of_corpora = f"on {finding.tried}" if finding.tried else "", claim.needs == "small corpus"
    proof = f"a proof for every {'corpus' if of_corpora else 'case'}"
    if finding.evidence == "proved":
        as_read = ", as it was read" if claim.convention or finding.convention else ""
        return Strength(f"for every case{as_read}", NOTHING)
    if finding.evidence == "exact":
        if not finding.tried:
            return Strength("by arithmetic alone", NOTHING)
        return Strength("by a case against it", NOTHING) if against else Strength(on, proof)
    if finding.evidence == "property":
        if against:
            return Strength("by a case against it, beyond rounding", NOTHING)
        return Strength(f"{on or 'on generated cases'}, within rounding", proof)
    if finding.evidence == "measured":
        more = "other corpora" if of_corpora else "a derivation" if on else "other texts"
        return Strength(f"{on or 'on one text'}, within noise", more)
    return Strength("by what the source prints", "a computation of one's own")


def _quoted(quoted: Mapping[str, str]) -> Strength:
    """Return how sure a verdict is that rests on what others found and nothing here computes."""
    if "theorem" in quoted:
        return Strength(f"as far as a theorem of others is right: {quoted['work']}", "a proof of it here")
    return Strength(f"by a fact that another work prints: {quoted['work']}", "a second source for it")


def _climbed(found: Assessment, about: str = "") -> Strength:
    steps = f"{about}{found.strength}, {len(found.climbed)} of {len(Step)} steps"
    against = ", ".join(f"{one.step.otherwise} ({one.shown_by})" for one in found.against)
    ahead = ", ".join(step.words for step in found.ahead)
    told = [steps, against and f"against it: {against}", ahead and f"ahead of a gap: {ahead}"]
    missing = ", ".join(step.words for step in found.missing)
    return Strength("; ".join(one for one in told if one), missing or NOTHING)
