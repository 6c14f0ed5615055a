"""How the run that is predicted was, or will be, made."""

from __future__ import annotations

from dataclasses import dataclass

from properties.checkpoint import check_rate
from reference.errors import InputError

MOST_STEPS = 10_000_000


@dataclass(frozen=True)
class Setting:
    """A run of descent from zero, and the statistics that its weights are compared with.

    Attributes:
        rate: the learning rate eta.
        steps: s.
        layers: L.
        statistics_sample: sequences that the statistics are computed on.
        training_sample: sequences trained on.
        nested: whether the statistics' sequences are among those trained on.
        evaluated_on: sequences on which the effect of removing a term is measured.

    Raises:
        InputError: a number is out of its range; the option is named.
    """

    rate: float
    steps: int
    layers: int
    statistics_sample: int
    training_sample: int
    nested: bool = True
    evaluated_on: int = 64

    def __post_init__(self) -> None:
        check_rate(self.rate)
        if not 1 <= self.steps <= MOST_STEPS:
            raise InputError(f"--steps is {self.steps}; give 1 to {MOST_STEPS:,} steps.")
        for name in ("layers", "statistics_sample", "training_sample", "evaluated_on"):
            if getattr(self, name) < 1:
                option = name.replace("_", "-")
                raise InputError(f"--{option} is {getattr(self, name)}; give 1 or more.")
        if self.nested and self.training_sample < self.statistics_sample:
            raise InputError(
                f"A statistics sample of {self.statistics_sample:,} sequences is not part of a training "
                f"sample of {self.training_sample:,}; give --training-sample a larger number, or --disjoint."
            )
