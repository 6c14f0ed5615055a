"""Every law of a family on one stream of generated cases, many thousands of them: are there false alarms?

A case is dear to draw and its right answers are dear to work out, so the laws of a family that are tried on
the same kind of case, equally often, are joined to one check, which draws each case once. Everything else is
as in any other run: the same cases, comparisons and bounds, and a failure shrinks and names its law.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from properties.check import Check, Comparison, Measurement, NotAdmitted, Outcome
from properties.results import Result
from properties.rounded import NothingKnown
from properties.runner import run_check
from properties.target import Incapable, Target


@dataclass(frozen=True)
class Family:
    """The checks that are tried on one stream of cases.

    Attributes:
        checks: their laws hold or fail one by one.
        admitted: how many cases each of them has admitted, filled in as they run.
    """

    checks: tuple[Check, ...]
    admitted: Counter[str]

    @property
    def name(self) -> str:
        """The part of the ids before the dot."""
        return self.checks[0].id.split(".")[0]

    def joined(self) -> Check:
        """Return one check whose law is all of their laws; each case is drawn once for them all."""
        first = self.checks[0]
        needs = tuple(sorted({method for check in self.checks for method in check.needs}))
        return replace(first, id=f"{self.name}.all", needs=needs, law=self._all)

    def _all(self, target: Target, case: object) -> Outcome:
        compared = False
        for check in self.checks:
            try:
                for item in check.law(target, case):
                    compared = True
                    if isinstance(item, Comparison):
                        yield replace(item, name=f"{check.id}: {item.name}")
                    elif isinstance(item, Measurement):
                        yield item
            except (NotAdmitted, NothingKnown, Incapable):
                continue
            self.admitted[check.id] += 1
        if not compared:
            raise NotAdmitted("no law of the family admits it")


def families(checks: Iterable[Check], methods: frozenset[str]) -> list[Family]:
    """Return the checks that these methods suffice for, joined by family, strategy and cost."""
    joined: dict[tuple[str, int, int], list[Check]] = {}
    for check in checks:
        if check.needs and methods.issuperset(check.needs):
            key = (check.id.split(".")[0], id(check.cases.strategy), check.cost)
            joined.setdefault(key, []).append(check)
    return [Family(tuple(group), Counter()) for group in joined.values()]


def soak(
    target: Target, checks: Iterable[Check], *, profile: str, seed: int
) -> Iterator[tuple[Family, Result]]:
    """Yield each family with what came of it: a stream of cases from `seed`, as many as the profile says."""
    for family in families(checks, target.methods):
        yield family, run_check(family.joined(), target, profile=profile, seed=seed)
