"""The cosine that a sample of the sequences alone would give: `theory.laws.sampling` in float64.

For B_bar, a mean over sequences, the noise rho(n) = S_a^2 / (n |x|^2) is a closed form. The other statistics
are products of such means, and their noise is measured (`properties.predictions.random_groups`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from properties.predictions.bigram import Bigram
from properties.predictions.variance_ratio import VarianceRatio
from reference.statistics import bigram

Statistics = Callable[[np.ndarray, int], Mapping[str, np.ndarray]]
Tokens = Int64[np.ndarray, "N T_plus_1"]


@dataclass(frozen=True)
class Noise:
    """The noise of a sample, and the interval that one draw of it falls in at the stated confidence.

    Attributes:
        rho: |noise|^2 / |x|^2, on average.
        low: the lower end; nan where the interval is not known.
        high: the upper one.
        ratio: the distribution of a draw's rho over this one, whose quantiles the ends are.
    """

    rho: float
    low: float
    high: float
    ratio: VarianceRatio

    def cosine(self, sample: int, whole: int, *, nested: bool) -> tuple[float, float, float]:
        """Return 1 - cos (expected, least, most) of a sample with another of `whole` sequences.

        The sample is the first of those sequences, or has none of them.
        """
        one, least, most = (
            cosine_loss(r, sample, whole, nested=nested) for r in (self.rho, self.low, self.high)
        )
        return one, least, most


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

    S_a^2 is the mean square of a sequence's own B_bar, less |B_bar|^2 and what is along B_bar, with N - 1 for
    N: unbiased but for B_bar's own noise. A sequence's square is (sum of its squared pair counts - sum of its
    squared token counts / V) / T^2, and its product with B_bar the mean of B_bar over its pairs.
    """
    N, T = tokens.shape[0], tokens.shape[1] - 1
    B_bar = bigram(tokens, vocab_size)
    square = float((B_bar**2).sum())
    if square == 0:
        return BigramNoise(math.nan, math.nan)
    of_one = np.array([_square_of(sequence, vocab_size) for sequence in tokens])
    of_pairs = B_bar[tokens[:, :-1], tokens[:, 1:]]
    across = of_one.mean() - float((of_pairs.mean(axis=1) ** 2).mean()) / square
    by_sequences = across * N / (N - 1) if N > 1 else math.nan
    by_positions = (1 - 1 / vocab_size - float((of_pairs**2).mean()) / square) / T
    return BigramNoise(by_positions / (sample * square), by_sequences / (sample * square))


def entry_deviation(tokens: Tokens, current: int, following: int, vocab_size: int) -> float:
    """Return the standard deviation over sequences of their own B_bar[current, following]."""
    x, y = tokens[:, :-1], tokens[:, 1:]
    own = ((x == current) * ((y == following) - 1 / vocab_size)).mean(axis=1)
    return float(own.std(ddof=1)) if len(own) > 1 else math.nan


def leading_directions(tokens: Tokens, statistics: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return what each parameter is proportional to (paper, Thm. 4.1), from the statistics of `tokens`."""
    Phi_bar = statistics["Phi_bar"]
    return {
        "W_O": statistics["B_bar"],
        "V": Bigram.of(tokens, len(Phi_bar)).times(Phi_bar).T,
        "W": statistics["Q_bar"],
        "P": statistics["Delta_bar"],
    }


def _square_of(sequence: Int64[np.ndarray, " T_plus_1"], vocab_size: int) -> float:
    x = sequence[:-1]
    pairs = np.unique(x * vocab_size + sequence[1:], return_counts=True)[1]
    alone = np.unique(x, return_counts=True)[1]
    return float((pairs**2).sum() - (alone**2).sum() / vocab_size) / len(x) ** 2
