"""What is run, on what: a size that a processor does in minutes, smaller than the published one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reference.errors import InputError

LEAST_SAMPLE = 8


@dataclass(frozen=True)
class Plan:
    """Sizes and settings of the runs.

    Attributes:
        sequences: N, trained on, the first ones of the corpus's order at random.
        sample: sequences of them that the sample's statistics come from.
        layers: L of the main run.
        rate: eta of the main run.
        steps: s of the main run.
        large_rate: eta of the run to failure.
        most_steps: where that run ends at the latest.
        short_steps: s of the runs with other starts, batches and depths, at the large rate.
        seed: of every random choice.
        left_out: whether to find which orders the predictions of the run to failure lack, which takes
            descents at small rates.

    Raises:
        InputError: a number is too small; the option is named.
    """

    sequences: int = 256
    sample: int = 32
    layers: int = 3
    rate: float = 0.005
    steps: int = 320
    large_rate: float = 0.05
    most_steps: int = 1000
    short_steps: int = 32
    seed: int = 0
    left_out: bool = False

    def __post_init__(self) -> None:
        # The attention weights leave zero at the third step.
        least = {"layers": 1, "steps": 3, "most_steps": 1, "short_steps": 3}
        for name, limit in least.items():
            if getattr(self, name) < limit:
                raise InputError(
                    f"--{name.replace('_', '-')} is {getattr(self, name)}; give {limit} or more."
                )
        for name in ("rate", "large_rate"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"--{name.replace('_', '-')} is {getattr(self, name):g}; give 0 to 1.")
        if not LEAST_SAMPLE <= self.sample <= self.sequences // 4:
            raise InputError(
                f"A sample of {self.sample} of {self.sequences} sequences: give {LEAST_SAMPLE} or more, and "
                "four times as many --sequences."
            )


def sized(plan: Plan, sequences: int | None, sample: int | None, there_are: int) -> Plan:
    """Return the plan with so many sequences and a sample of so many: what is not given, as far as there are.

    Raises:
        InputError: there are too few for any sample, or what is given does not fit.
    """
    if sequences is None:
        if there_are < 4 * LEAST_SAMPLE:
            raise InputError(
                f"There are {there_are} sequences, and {4 * LEAST_SAMPLE} or more are needed; give a longer "
                "text or a smaller --length."
            )
        sequences = min(max(plan.sequences, 4 * (sample or 0)), there_are)
    if sample is None:
        sample = min(plan.sample, max(LEAST_SAMPLE, sequences // 4))
    return replace(plan, sequences=sequences, sample=sample)


# The runs of a report that has seconds for them, on sequences cut to so many positions. s eta is that of the
# published run, and the rate at which the theory fails is so large that it does within the steps.
QUICK = Plan(
    sequences=48,
    sample=12,
    rate=0.05,
    steps=32,
    large_rate=0.5,
    most_steps=200,
    short_steps=8,
    left_out=True,
)
QUICK_LENGTH = 16

# What the published run had (toy-model, 5), to say what is smaller here.
PUBLISHED = {"vocab_size": 3000, "length": 200, "sequences": 65_536, "batch": 2048}

# The published run itself: the same command goes on from its last checkpoint when it was killed.
FULL_SIZE = (
    "leadterms train tinystories.txt --vocab 3000 --length 200 --layout stream --layers 3 --rate 0.005 "
    "--epochs 10 --batch 256 --accumulate 8 --statistics-sample 2048 --device cuda --out full --resume"
)
