"""How strong what was found of a claim is, and what is missing, in words.

A claim about mathematics or about printed numbers is as sure as the means by which it was decided. One about
what models do climbs the steps of `properties.evidence_ladder`: by what experiments found on it or, where
none speaks to it, by what its source shows (one model, one input) and what was measured here (many).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from properties.evidence_ladder import Assessment, Step, assess
from properties.evidence_ladder import Finding as Seen
from properties.results import Evidence

OBSERVED = ("training run", "pretrained model")
NOTHING = "nothing"
# By what means a claim was decided and whether on a corpus: that in words, and what would be surer.
MEANS: dict[tuple[Evidence, bool], tuple[str, str]] = {
    ("proved", False): ("for every case", NOTHING),
    ("proved", True): ("for every case", NOTHING),
    ("exact", False): ("by arithmetic alone", NOTHING),
    ("exact", True): ("on what was tried", "a proof for every corpus"),
    ("property", False): ("on generated cases, within rounding", "a proof for every case"),
    ("property", True): ("on generated cases, within rounding", "a proof for every case"),
    ("measured", False): ("in simulation, with its noise", "a derivation"),
    ("measured", True): ("on one corpus", "other corpora"),
    ("quoted", False): ("what is printed", "a computation of one's own"),
    ("quoted", True): ("what is printed", "a computation of one's own"),
}
# One case refutes a claim about every case: no proof is missing then.
AGAINST: dict[Evidence, str] = {
    "exact": "by a case against it",
    "property": "by a case against it, beyond rounding",
}


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
    about_any = claim.needs in ("nothing", "small corpus")
    words, missing = MEANS[finding.evidence, claim.needs != "nothing"]
    if finding.verdict == "refuted" and about_any and missing != NOTHING and finding.evidence in AGAINST:
        return Strength(AGAINST[finding.evidence], NOTHING)
    return Strength(words, missing)


def _climbed(found: Assessment, about: str = "") -> Strength:
    steps = f"{about}{found.strength}, {len(found.climbed)} of {len(Step)} steps"
    against = ", ".join(f"{one.step.otherwise} ({one.shown_by})" for one in found.against)
    ahead = ", ".join(step.words for step in found.ahead)
    told = [steps, against and f"against it: {against}", ahead and f"ahead of a gap: {ahead}"]
    missing = ", ".join(step.words for step in found.missing)
    return Strength("; ".join(one for one in told if one), missing or NOTHING)
