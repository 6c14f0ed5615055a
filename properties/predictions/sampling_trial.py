"""Do the intervals for a sample's cosine hold what samples show? Tried by brute force on blocks of a corpus.

The sequences are dealt at random into blocks, and no sequence is in two of them. In each block

1. some groups of n sequences or fewer give the noise of a sample of n, as `random_groups.deal` does;
2. further samples of n and of M sequences, none in common or one part of the other, give a cosine.

The cosine is turned into the noise rho that would give it exactly. With q = n/M,

    part of it:        cos^2 = (1 + q rho) / (1 + rho),          rho = (1 - cos^2) / (cos^2 - q);
    none in common:    1 / cos^2 = (1 + rho) (1 + q rho),        rho the positive root of this.

The interval takes rho of a draw, over the expected one, as a ratio of variances
(`properties.predictions.variance_ratio`), which has a value of Student's t for each rho, and at the ends the
quantiles of t. The place of the draw in that distribution is
uniform in 0..1: a share of 0.95 of the draws is inside. The blocks are independent, and how far the
distribution of the places may be from the uniform one is `properties.tolerances.empirical_distribution`. An
interval that is too wide, off its middle or for another kind of sample shows; one that is too narrow shows
in how many draws are inside, too. Derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Int64

from properties.predictions.random_groups import FEWEST_GROUPS, deal
from properties.predictions.sampling import Noise, Statistics, leading_directions
from properties.tolerances import CONFIDENCE, empirical_distribution, fewest_inside
from reference.errors import InputError


@dataclass(frozen=True)
class Trial:
    """One block: what was predicted of a weight's cosine and what the samples in it showed.

    Attributes:
        expected: 1 - cos, predicted.
        least: the lower end of its interval.
        most: the upper one.
        measured: 1 - cos of the two samples.
        place: in 0..1, where the draw lies in the predicted distribution; nan where there is no noise.
    """

    expected: float
    least: float
    most: float
    measured: float
    place: float

    @property
    def inside(self) -> bool:
        """Whether the draw is in its interval."""
        return self.least <= self.measured <= self.most


@dataclass(frozen=True)
class Outcome:
    """The trials of one weight, all together.

    Attributes:
        trials: one a block.
        distance: the largest distance of the distribution of the places from the uniform one.
        bound: what chance admits.
    """

    trials: tuple[Trial, ...]
    distance: float
    bound: float

    @property
    def unknown(self) -> bool:
        """Whether some trial has no interval, for samples too small to have a direction."""
        return math.isnan(self.distance)

    @property
    def inside(self) -> int:
        """How many of the draws are in their intervals."""
        return sum(trial.inside for trial in self.trials)

    @property
    def holds(self) -> bool:
        """Whether the intervals are those of the draws, as far as so many trials tell."""
        return self.distance <= self.bound and self.inside >= fewest_inside(len(self.trials))


def noise_of(cosine_loss: float, sample: int, whole: int, *, nested: bool) -> float:
    """Return the rho that gives this 1 - cos exactly; infinite where none is large enough."""
    q, square = sample / whole, (1 - cosine_loss) ** 2
    lost = cosine_loss * (2 - cosine_loss)  # 1 - cos^2 without cancelling
    if nested:
        return lost / (square - q) if square > q else math.inf
    if square == 0:
        return math.inf
    return 2 * lost / square / (1 + q + math.sqrt((1 + q) ** 2 + 4 * q * lost / square))


def place(noise: Noise, rho: float) -> float:
    """Return where rho lies in the distribution whose middle interval is low..high; nan for no interval."""
    if not 0 < noise.low < noise.high < math.inf:
        return math.nan
    f = noise.ratio.freedom
    reach = float(scipy.special.stdtrit(f, (1 + CONFIDENCE) / 2))
    low, high, drawn = (noise.ratio.score(one / noise.rho) for one in (noise.low, noise.high, rho))
    # By the ends that were told: where these are not the distribution's own, the place shows it.
    return float(scipy.special.stdtr(f, (2 * drawn - low - high) / (high - low) * reach))


def blocks(
    tokens: Int64[np.ndarray, "N T_plus_1"], size: int, seed: int
) -> Iterator[Int64[np.ndarray, "size T_plus_1"]]:
    """Yield disjoint blocks of `size` sequences, dealt at random, as many as there are."""
    order = np.random.default_rng(seed).permutation(len(tokens))
    for first in range(0, len(tokens) - size + 1, size):
        yield tokens[order[first : first + size]]


def tried(
    tokens: Int64[np.ndarray, "N T_plus_1"],
    vocab_size: int,
    *,
    sample: int,
    whole: int,
    groups: int,
    group_size: int,
    nested: bool,
    seed: int,
    statistics: Statistics,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Outcome]:
    """Try the intervals of each weight's cosine on every block of a corpus.

    Raises:
        InputError: there is no whole block, or the sizes make none.
    """
    if not 1 <= group_size <= sample <= whole or groups < FEWEST_GROUPS:
        raise InputError(
            f"A sample of {sample}, {whole} sequences trained on and {groups} groups of {group_size} make no "
            "trial; give a --group-size of 1 or more, a --sample and a --training-sample no smaller, "
            f"and {FEWEST_GROUPS} --groups or more."
        )
    own = groups * group_size
    size = own + whole + (0 if nested else sample)
    count = len(tokens) // size
    if count < 2:
        raise InputError(
            f"A trial takes {size:,} sequences, and two trials are more than the {len(tokens):,} there are; "
            "give a smaller --sample, --training-sample or --group-size, fewer --groups, or a longer text."
        )
    found: dict[str, list[Trial]] = {}
    for n, block in enumerate(blocks(tokens, size, seed)):
        told(n, count)
        estimated = leading_directions(block[:own], statistics(block[:own], vocab_size))
        dealt = deal(
            block[:own],
            vocab_size,
            estimated,
            sample=sample,
            groups=groups,
            seed=seed + 1 + n,
            statistics=statistics,
        )
        rest = block[own:]
        small, large = (rest[:sample], rest) if nested else (rest[:sample], rest[sample:])
        drawn = [leading_directions(part, statistics(part, vocab_size)) for part in (small, large)]
        for group, scatter in dealt.scatter.items():
            noise = scatter.noise(sample)
            lost = _cosine_loss(drawn[0][group], drawn[1][group])
            expected, least, most = noise.cosine(sample, whole, nested=nested)
            # From the cosines that were told, so that the law which made them is tried with them.
            middle, low, high, rho = (
                noise_of(one, sample, whole, nested=nested) for one in (expected, least, most, lost)
            )
            trial = Trial(expected, least, most, lost, place(Noise(middle, low, high, noise.ratio), rho))
            found.setdefault(group, []).append(trial)
    return {group: outcome(tuple(trials)) for group, trials in found.items()}


def outcome(trials: tuple[Trial, ...]) -> Outcome:
    """Return the trials of one weight with the distance of their places from the uniform distribution."""
    places = np.sort([trial.place for trial in trials])
    steps = np.arange(1, len(places) + 1) / len(places)
    distance = float(max((steps - places).max(), (places - steps + 1 / len(places)).max()))
    return Outcome(trials, distance, empirical_distribution(len(trials)))


def _cosine_loss(one: np.ndarray, other: np.ndarray) -> float:
    """Return 1 - cos as half the square of the distance of unit vectors; nan where one is zero."""
    sizes = float(np.linalg.norm(one)), float(np.linalg.norm(other))
    if not all(sizes):
        return math.nan
    return float(np.linalg.norm(one / sizes[0] - other / sizes[1]) ** 2 / 2)
