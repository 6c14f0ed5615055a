"""The theorem for every corpus of a size and every number of steps, proved and checked by another route."""

from __future__ import annotations

from properties.cases import SIZES, SizesCase
from properties.check import Check, Comparison, Law, Outcome
from properties.target import Target
from theory.certificate_check import check
from theory.certificates import Refuted, prove


def _proved(kind: str) -> Law:
    def law(target: Target, case: SizesCase) -> Outcome:
        try:
            certificate = prove(case.vocab_size, case.length, case.layers, kind)
        except Refuted as refuted:
            yield Comparison(f"refuted: {refuted.difference}", 1.0, 0.0, 0.0)
            return
        verdict = check(certificate)
        told = "; ".join(verdict.problems) or f"{verdict.corpora_run} corpora run"
        yield Comparison(f"certificate: {told}", 0.0 if verdict.holds else 1.0, 0.0, 0.0)

    return law


CHECKS = (
    Check(
        id="proof.leading_terms",
        statement="For every corpus of a size and every step count the leading terms are the theorem's.",
        source="paper, Thm. 4.1",
        cases=SIZES,
        law=_proved("leading"),
        evidence="proved",
        cost=6,
    ),
    Check(
        id="proof.next_order",
        statement="For every corpus of a size and every step count the next terms are the closed forms.",
        source="derived here",
        cases=SIZES,
        law=_proved("next"),
        evidence="proved",
        cost=6,
    ),
)
