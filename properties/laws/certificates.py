"""The theorem for every corpus of a size and every number of steps, proved and checked by another route."""

from __future__ import annotations

from functools import cache

from properties.cases import SIZES, SIZES_NEXT, SizesCase
from properties.check import Check, Comparison, Law, Outcome
from properties.target import Target
from theory.certificate_check import check
from theory.certificates import Refuted, prove


def _proved(kind: str) -> Law:
    def law(target: Target, case: SizesCase) -> Outcome:
        holds, told = certified(kind, case)
        yield Comparison(told, 0.0 if holds else 1.0, 0.0, 0.0)

    return law


@cache
def certified(kind: str, case: SizesCase) -> tuple[bool, str]:
    """Prove, check by the other route, and say what came out; once a size."""
    try:
        certificate = prove(case.vocab_size, case.length, case.layers, kind)
    except Refuted as refuted:
        return False, f"refuted: {refuted.difference}"
    verdict = check(certificate)
    told = "; ".join(verdict.problems) or f"{verdict.corpora_run} corpora run"
    return verdict.holds, f"certificate: {told}"


CHECKS = (
    Check(
        id="proof.leading_terms",
        statement="For every corpus of a size and every step count the leading terms are the theorem's.",
        source="paper, Thm. 4.1",
        cases=SIZES,
        law=_proved("leading"),
        evidence="proved",
        proof="certificate",
        cost=6,
    ),
    Check(
        id="proof.next_order",
        statement="For every corpus of a size and every step count the next terms are the closed forms.",
        source="derived here",
        cases=SIZES_NEXT,
        law=_proved("next"),
        evidence="proved",
        proof="certificate",
        cost=6,
    ),
)
