"""What a computation found of a claim, and the few ways of coming to a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, get_args

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.printed import Range, decimal, digits_of, is_exactly, rounds_to
from properties.results import Evidence

Verdict = Literal["holds", "holds_to_rounding", "refuted", "definition", "method", "not_run", "inconclusive"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
HOLD: tuple[Verdict, ...] = ("holds", "holds_to_rounding")
REFUTED: tuple[Verdict, ...] = ("refuted",)


class NotGiven(Exception):
    """A decision needs something that was not given: a text, a training run, a model."""


@dataclass(frozen=True)
class Finding:
    """The outcome of a computation on a claim.

    Attributes:
        verdict: one of VERDICTS.
        evidence: by what means it was found.
        computed: the computed value, as a reader would quote it beside the stated one.
        derivation: in at most two lines, why it is so.
        convention: the reading under which it was judged; where two differ, what each gives.
        readings: how else the claim may be read, in words that follow "with": the verdict that each gives.
        right: the claim's `numbers` as they should be; empty where the claim states none.
        missing: what would decide it, where this did not.
        tried: on which cases, where these stand for all; "" where it is of the very numbers or words stated.
    """

    verdict: Verdict
    evidence: Evidence
    computed: str
    derivation: str = ""
    convention: str = ""
    right: Mapping[str, Any] = field(default_factory=dict)
    missing: str = ""
    tried: str = ""
    readings: Mapping[str, Verdict] = field(default_factory=dict)

    @property
    def otherwise(self) -> tuple[str, ...]:
        """The readings that turn the verdict: a refuted claim holds so, or one that holds is refuted."""
        turned = {"holds": REFUTED, "holds_to_rounding": REFUTED, "refuted": HOLD}.get(self.verdict, ())
        return tuple(words for words, verdict in self.readings.items() if verdict in turned)


def judged(true: bool, computed: str, *, evidence: Evidence = "exact", **more: Any) -> Finding:
    """Return `holds` or `refuted` for a claim that is true or not."""
    return Finding(verdict_if(true), evidence, computed, **more)


def verdict_if(true: bool) -> Verdict:
    """Return `holds` or `refuted`."""
    return "holds" if true else "refuted"


def compared(
    claim: Claim, computed: Mapping[str, Any], *, evidence: Evidence = "exact", **more: Any
) -> Finding:
    """Compare every number that `claim` states with the computed one of the same name.

    Numbers may be in nested lists of the same shape. A stated number is what is printed; it is met when the
    computed one rounds to it. The verdict is `holds` if all are met exactly, `holds_to_rounding` if some only
    after rounding, and otherwise `refuted`, with the right numbers in the digits of the wrong ones.

    Args:
        claim: its `numbers` are compared, all of them.
        computed: int, Fraction, fmpq, float or mpf, in lists where the claim has lists.

    Raises:
        KeyError: a stated number was not computed, or one was computed that is not stated.
    """
    if set(computed) != set(claim.numbers):
        raise KeyError(f"{claim.id} states {sorted(claim.numbers)}, computed are {sorted(computed)}")
    pairs = {
        name: _pairs(f"{claim.id}: {name}", claim.numbers[name], computed[name]) for name in claim.numbers
    }
    flat = [pair for several in pairs.values() for pair in several]
    met = [rounds_to(stated, value) for stated, value in flat]
    exactly = all(is_exactly(stated, value) for stated, value in flat)
    right = {name: _right(claim.numbers[name], computed[name]) for name in claim.numbers}
    verdict: Verdict = "refuted" if not all(met) else "holds" if exactly else "holds_to_rounding"
    wrong = [n for n in pairs if not all(rounds_to(stated, value) for stated, value in pairs[n])]
    shown = "; ".join(claim.told(name, _shown(right[name])) for name in wrong or pairs)
    return Finding(verdict, evidence, shown, right=right, **more)


def by_readings(
    claim: Claim, readings: Mapping[str, Mapping[str, Any]], *, evidence: Evidence = "exact", **more: Any
) -> Finding:
    """Compare under several readings: judged by the first, and what each of the others gives is said.

    Args:
        claim: as for `compared`.
        readings: from how the claim may be read, in words that follow "with", to the computed numbers.
    """
    (first, numbers), *others = readings.items()
    finding = compared(claim, numbers, evidence=evidence, **more)
    told, verdicts = [f"Judged with {first}."], {}
    for words, computed in others:
        other = compared(claim, computed)
        verdicts[words] = other.verdict
        told.append(f"With {words}: {other.verdict.replace('_', ' ')} ({other.computed}).")
    return replace(finding, convention=" ".join(told), readings=verdicts)


def _pairs(where: str, stated: Any, computed: Any) -> list[tuple[str, Any]]:
    """Return the stated and computed numbers side by side, out of their lists."""
    if isinstance(stated, str):
        return [(stated, computed)]
    if not isinstance(computed, Sequence) or len(computed) != len(stated):
        raise KeyError(f"{where} is a list of {len(stated)}, computed is {computed!r}")
    return [pair for s, c in zip(stated, computed, strict=True) for pair in _pairs(where, s, c)]


def _right(stated: Any, computed: Any) -> Any:
    """Return `computed` in the shape and the digits of `stated`; of a tie, the neighbour that is stated."""
    if isinstance(stated, str):
        tie = not isinstance(computed, Range) and rounds_to(stated, computed)
        return digits_of(stated, Fraction(decimal(stated)) if tie else computed)
    return [_right(s, c) for s, c in zip(stated, computed, strict=True)]


def _shown(right: Any) -> str:
    return right if isinstance(right, str) else ", ".join(_shown(one) for one in right)
