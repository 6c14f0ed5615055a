"""The cosine that a sample of the sequences alone would give: `theory.laws.sampling` in float64.

For B_bar, a mean over sequences, the noise rho(n) = S^2 / (n |x|^2) is a closed form. The other statistics
are products of such means, and their noise is measured with *random groups* (Wolter, Introduction to Variance
Estimation, ch. 2): the sequences are dealt out at random into groups of the sample's size g, or of N over the
number of groups where there are fewer, and each group's statistics are compared with those of all N. By the
law of a sample inside its whole,

    tan^2 = rho (1 - g/N) / (1 + rho g/N),    so    rho(g) = tan^2 / (1 - (g/N) (1 + tan^2)),

a value a group; rho(n) = rho(g) g/n. Dealing out, unlike a bootstrap, never puts a sequence next to itself,
which would add to products of two statistics what no sample has. The interval is for one draw of a sample:
log rho is taken as normal over the groups, with Student's t for their number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64
from scipy import special

from properties.predictions.bigram import Bigram
from properties.tolerances import CONFIDENCE
from reference.errors import InputError
from reference.statistics import bigram

Statistics = Callable[[np.ndarray, int], Mapping[str, np.ndarray]]
Tokens = Int64[np.ndarray, "N T_plus_1"]


@dataclass(frozen=True)
class Noise:
    """rho at the size of a sample, and the interval that one draw falls in at the stated confidence."""

    rho: float
    low: float
    high: float

    def scaled(self, factor: float) -> Noise:
        """Return the noise of a sample whose size is divided by `factor`."""
        return Noise(self.rho * factor, self.low * factor, self.high * factor)

    def cosine(self, sample: int, whole: int, *, nested: bool) -> tuple[float, float, float]:
        """Return 1 - cos (expected, least, most) of a sample with another of `whole` sequences.

        The sample is the first of those sequences, or has none of them.
        """
        one, least, most = (
            cosine_loss(r, sample, whole, nested=nested) for r in (self.rho, self.low, self.high)
        )
        return one, least, most


@dataclass(frozen=True)
class Dealt:
    """What the random groups gave, for each parameter's statistic x, and how it was measured.

    Attributes:
        noise: of a sample's x.
        square_deviation: relative standard deviation of the whole corpus's |x|^2, itself a sample.
        groups: how many.
        group_size: sequences in each.
        seed: of the order in which they were dealt.
    """

    noise: Mapping[str, Noise]
    square_deviation: Mapping[str, float]
    groups: int
    group_size: int
    seed: int


@dataclass(frozen=True)
class BigramNoise:
    """rho of B_bar for a sample of n sequences, as if positions were independent, and by sequences."""

    positions: float
    sequences: float

    @property
    def design_effect(self) -> float:
        """How many times noisier whole sequences are than as many independent positions; nan for no noise."""
        return self.sequences / self.positions if self.positions > 0 else math.nan


def cosine_loss(rho: float, sample: int, whole: int, *, nested: bool) -> float:
    """Return 1 - cos between statistics of `sample` sequences with noise `rho` and of `whole` sequences.

    nested: the sample is part of the whole, cos = sqrt((1 + rho n/M) / (1 + rho)); else the two share no
    sequence, cos = 1 / sqrt((1 + rho) (1 + rho n/M)).
    """
    other = math.log1p(rho * sample / whole)
    return -math.expm1(((other if nested else -other) - math.log1p(rho)) / 2)


def bigram_noise(tokens: Tokens, vocab_size: int, sample: int) -> BigramNoise:
    """Return the closed forms of rho for B_bar; nan for a corpus whose B_bar vanishes.

    S^2 is the mean square of a sequence's own B_bar, less |B_bar|^2, with N - 1 for N: unbiased. A sequence's
    square is (sum of its squared pair counts - sum of its squared token counts / V) / T^2.
    """
    N, T = tokens.shape[0], tokens.shape[1] - 1
    square = float((bigram(tokens, vocab_size) ** 2).sum())
    if square == 0:
        return BigramNoise(math.nan, math.nan)
    of_one = np.array([_square_of(sequence, vocab_size) for sequence in tokens])
    by_sequences = (of_one.mean() - square) * N / (N - 1) if N > 1 else math.nan
    by_positions = (1 - 1 / vocab_size - square) / T
    return BigramNoise(by_positions / (sample * square), by_sequences / (sample * square))


def entry_deviation(tokens: Tokens, current: int, following: int, vocab_size: int) -> float:
    """Return the standard deviation over sequences of their own B_bar[current, following]."""
    x, y = tokens[:, :-1], tokens[:, 1:]
    own = ((x == current) * ((y == following) - 1 / vocab_size)).mean(axis=1)
    return float(own.std(ddof=1)) if len(own) > 1 else math.nan


def deal(
    tokens: Tokens,
    vocab_size: int,
    whole: Mapping[str, np.ndarray],
    *,
    sample: int,
    groups: int,
    seed: int,
    statistics: Statistics,
    told: Callable[[int, int], None] = lambda done, total: None,
) -> Dealt:
    """Measure the noise of a sample of `sample` sequences with random groups.

    `whole` holds the leading directions of all of `tokens`; `statistics` computes a group's statistics;
    `told` hears of each group.

    Raises:
        InputError: there are fewer than two groups, or fewer sequences than groups.
    """
    N = len(tokens)
    if groups < 2 or groups > N:
        raise InputError(f"{groups} random groups of {N} sequences say nothing; give 2 to {N} groups.")
    size = min(sample, N // groups)
    order = np.random.default_rng(seed).permutation(N)
    rho: dict[str, list[float]] = {group: [] for group in whole}
    squares: dict[str, list[float]] = {group: [] for group in whole}
    for n in range(groups):
        part = tokens[order[n * size : (n + 1) * size]]
        for group, direction in leading_directions(part, statistics(part, vocab_size)).items():
            rho[group].append(_rho(direction, whole[group], size / N) * size / sample)
            squares[group].append(float((direction * direction).sum()))
        told(n + 1, groups)
    return Dealt(
        noise={group: _noise(np.array(values)) for group, values in rho.items()},
        square_deviation={
            group: _relative_deviation(np.array(values)) * math.sqrt(size / N)
            for group, values in squares.items()
        },
        groups=groups,
        group_size=size,
        seed=seed,
    )


def leading_directions(tokens: Tokens, statistics: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return what each parameter is proportional to (paper, Thm. 4.1), from the statistics of `tokens`."""
    Phi_bar = statistics["Phi_bar"]
    return {
        "W_O": statistics["B_bar"],
        "V": Bigram.of(tokens, len(Phi_bar)).times(Phi_bar).T,
        "W": statistics["Q_bar"],
        "P": statistics["Delta_bar"],
    }


def _rho(part: np.ndarray, whole: np.ndarray, share: float) -> float:
    """Return rho from the angle between a part's statistic and the whole's.

    nan where one of them is zero, and where the part is turned further than any noise turns it.
    """
    square, product = float((whole * whole).sum()), float((part * whole).sum())
    if square == 0 or product <= 0:
        return math.nan
    across = part - product / square * whole
    tan_squared = float((across * across).sum()) * square / product**2
    left = 1 - share * (1 + tan_squared)
    return tan_squared / left if left > 0 else math.nan


def _relative_deviation(values: Float64[np.ndarray, " groups"]) -> float:
    return float(values.std(ddof=1) / values.mean()) if values.mean() > 0 else math.nan


def _noise(values: Float64[np.ndarray, " groups"]) -> Noise:
    if not (np.isfinite(values) & (values > 0)).all():
        return Noise(math.nan, math.nan, math.nan)
    logs = np.log(values)
    reach = special.stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)
    half = reach * logs.std(ddof=1) * math.sqrt(1 + 1 / len(values))
    middle = math.exp(logs.mean())
    return Noise(float(values.mean()), middle * math.exp(-half), middle * math.exp(half))


def _square_of(sequence: Int64[np.ndarray, " T_plus_1"], vocab_size: int) -> float:
    x = sequence[:-1]
    pairs = np.unique(x * vocab_size + sequence[1:], return_counts=True)[1]
    alone = np.unique(x, return_counts=True)[1]
    return float((pairs**2).sum() - (alone**2).sum() / vocab_size) / len(x) ** 2
