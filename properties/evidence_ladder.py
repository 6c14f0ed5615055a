"""How strong the evidence for an observation is: six steps, and no step counts before the ones below it.

Seen on one input; seen on many; absent in random models; present in the data (where it is said to occur, and
how often); changes under ablation; changes under an intervention on it alone. Each costs more than the one
before and rules out another way of being wrong: chance, choice of the example, geometry, rarity, a bystander,
a neighbour that was removed along with it. An effect of ablation without the steps below it is the effect of
something, not yet of what was seen.

Source: attention-chapter, sec. 4.24; the names of the strengths and the rule of gaps are ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from reference.errors import InputError


class Step(IntEnum):
    """What has to be shown, in order."""

    one_input = 1
    many_inputs = 2
    absent_in_random = 3
    in_the_data = 4
    ablation = 5
    targeted = 6

    @property
    def words(self) -> str:
        """The step for a reader."""
        return _WORDS[self]

    @property
    def otherwise(self) -> str:
        """What was found where the step does not hold, for a reader."""
        return self.words.replace("changes", "no change") if self >= Step.ablation else f"not {self.words}"


_WORDS = {
    Step.one_input: "seen on one input",
    Step.many_inputs: "seen on many inputs",
    Step.absent_in_random: "absent in random models",
    Step.in_the_data: "present in the data",
    Step.ablation: "changes under ablation",
    Step.targeted: "changes under a targeted intervention",
}

# By the number of steps climbed without a gap.
STRENGTHS = (
    "an assumption",
    "an anecdote",
    "a pattern",
    "a learned pattern",
    "an established pattern",
    "a causal role",
    "a mechanism",
)


@dataclass(frozen=True)
class Finding:
    """One result: the step that it speaks to, whether it came out as claimed, and what showed it.

    Raises:
        InputError: there is no such step, or it neither holds nor does not: the finding would be lost.
    """

    step: Step
    holds: bool
    shown_by: str

    def __post_init__(self) -> None:
        if self.step not in tuple(Step) or self.holds not in (True, False):
            raise InputError(
                f"A finding of {self.shown_by or 'nobody'} has the step {self.step!r}, holds {self.holds!r}; "
                f"give one of {', '.join(f'Step.{step.name}' for step in Step)} and True or False."
            )
        object.__setattr__(self, "step", Step(self.step))
        object.__setattr__(self, "holds", bool(self.holds))


@dataclass(frozen=True)
class Assessment:
    """What the findings on one observation amount to.

    Attributes:
        climbed: the steps that hold without a gap from the first on.
        ahead: steps that hold above a gap; they count once the gap is closed.
        against: findings that came out otherwise, the lowest first.
        missing: steps on which there is no finding.
    """

    climbed: tuple[Step, ...]
    ahead: tuple[Step, ...]
    against: tuple[Finding, ...]
    missing: tuple[Step, ...]

    @property
    def strength(self) -> str:
        """One of STRENGTHS."""
        return STRENGTHS[len(self.climbed)]

    def __str__(self) -> str:
        parts = [f"{self.strength} ({len(self.climbed)} of {len(Step)} steps)"]
        if self.against:
            parts.append(
                "against it: " + ", ".join(f"{one.step.otherwise} ({one.shown_by})" for one in self.against)
            )
        if self.ahead:
            parts.append("shown ahead of a gap: " + _listed(self.ahead))
        if self.missing:
            parts.append("missing: " + _listed(self.missing))
        return "; ".join(parts)


def assess(findings: Iterable[Finding]) -> Assessment:
    """Return what the findings amount to.

    A step holds when there is a finding on it and all of them came out as claimed. The strength is the number
    of steps that hold from the first on; the first step without, or with a finding against, ends it.
    """
    found = list(findings)
    against = tuple(sorted((one for one in found if not one.holds), key=lambda one: one.step))
    holding = {one.step for one in found} - {one.step for one in against}
    climbed = tuple(step for step in Step if all(lower in holding for lower in Step if lower <= step))
    return Assessment(
        climbed=climbed,
        ahead=tuple(step for step in Step if step in holding and step not in climbed),
        against=against,
        missing=tuple(step for step in Step if all(one.step != step for one in found)),
    )


def _listed(steps: tuple[Step, ...]) -> str:
    return ", ".join(step.words for step in steps)
