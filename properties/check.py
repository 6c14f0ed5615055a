"""A law as a check: what it says, which cases it is tried on, and what it compares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from properties.cases import Cases
from properties.results import PROOFS, Evidence, Proof
from properties.target import Target


class NotAdmitted(Exception):
    """The law says nothing about this case (its leading term vanishes, say); try another one."""


@dataclass(frozen=True)
class Comparison:
    """One thing that a law compares: `got` must lie within `bound` of `expected`, entry by entry.

    Attributes:
        name: what is compared, as a person would write it, for instance "Q_bar".
        got: the implementation's answer, any array or number.
        expected: the right answer, of the same shape.
        bound: the largest admissible absolute error, a number or an array; 0 asks for equality.
        exact: the expected entry at an index as a fraction, where it is known exactly.
        slip: the kind of slip (`properties.slips.KINDS`) that a failure is, where it can be no other.
    """

    name: str
    got: Any
    expected: Any
    bound: Any
    exact: Callable[[tuple[int, ...]], str] | None = None
    slip: str | None = None


@dataclass(frozen=True)
class Measurement:
    """A number or list worth a figure, reported with the result."""

    name: str
    value: Any


Outcome = Iterator[Comparison | Measurement]
Law = Callable[[Target, Any], Outcome]


@dataclass(frozen=True)
class Check:
    """A law that an implementation can be held to.

    Attributes:
        id: `family.name`, permanent.
        statement: the law in one sentence.
        source: paper equation or statement, seed section, or "derived here".
        cases: what it is tried on.
        law: given the target and a case, yields what to compare; raises NotAdmitted where it does not apply.
        needs: the methods that the implementation must have; none for a check of the mathematics alone.
        evidence: by what means a pass holds the law.
        proof: how a pass proves it, where the evidence is "proved", and only there.
        cost: how many times dearer than the cheapest a case is; divides the number of cases.
        claims: ids of the claims that it decides.
        tells_slips: whether a slip shows in what it compares. Slips that differ may agree in all orders in
            the rate, and in all that keeps a bound.

    Raises:
        ValueError: it is proved and does not say how, or says how it is proved and is not.
    """

    id: str
    statement: str
    source: str
    cases: Cases
    law: Law
    needs: tuple[str, ...] = ()
    evidence: Evidence = "property"
    cost: int = 1
    claims: tuple[str, ...] = field(default=())
    proof: Proof | Literal[""] = ""
    tells_slips: bool = True

    def __post_init__(self) -> None:
        """Refuse a proof that does not say how, and a word for a proof where there is none."""
        if (self.evidence == "proved") != (self.proof in PROOFS):
            raise ValueError(f"{self.id} is held by '{self.evidence}', and its proof is '{self.proof}'")


def within(name: str, got: Any, low: float, high: float, slack: Any) -> Comparison:
    """Compare `got` with the interval low..high: what lies outside by more than `slack` fails."""
    values = np.asarray(got, dtype=np.float64)
    return Comparison(f"{name} in {low:g}..{high:g}", values, np.clip(values, low, high), slack)
