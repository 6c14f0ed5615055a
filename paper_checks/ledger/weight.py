"""How much hangs on a claim: what it is about, and for a lone number by how much it is off.

What is said of every corpus, model or head is used wherever one meets another; a conclusion from printed
numbers stands or falls with them; a number is one. What only print can decide weighs least here, where
nothing computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal, get_args

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.printed import exact

About = Literal["every case", "a conclusion", "a number", "print"]
ABOUT: tuple[About, ...] = get_args(About)  # the heaviest first


def about(claim: Claim, finding: Finding) -> About:
    """Return what a claim is about, by how it was decided."""
    if finding.evidence == "quoted":
        return "print"
    if finding.tried or finding.evidence == "proved":  # by cases that stand for all, or for all at once
        return "every case"
    return "a number" if claim.numbers else "a conclusion"


def off_by(claim: Claim, finding: Finding) -> float | None:
    """Return by how much the worst of its numbers is off; None where there is none to compare.

    It is the factor between the stated and the right number, whichever is the larger, less 1; where one of
    them is 0 or they differ in sign there is no factor, and it is their difference over the right one.
    """
    pairs = _pairs(claim.numbers, finding.right) if finding.right else ()
    ratios = [stated / right for stated, right in pairs if right]
    return max((float(max(r, 1 / r) - 1 if r > 0 else 1 - r) for r in ratios), default=None)


def weight(claim: Claim, finding: Finding) -> list[float]:
    """Return what claims are put in order by, the heaviest first: its kind, then how far a number is off."""
    kind = about(claim, finding)
    off = off_by(claim, finding) if kind == "a number" else None
    return [ABOUT.index(kind), -off if off else 0.0]


def _pairs(stated: Any, right: Any) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the stated and the right numbers side by side, out of their mappings and lists."""
    if isinstance(stated, str):
        yield exact(stated), exact(right)
        return
    for key in stated if isinstance(stated, Mapping) else range(len(stated)):
        yield from _pairs(stated[key], right[key])
