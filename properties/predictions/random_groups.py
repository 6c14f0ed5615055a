"""The noise of a sample of sequences, measured with random groups of them, and how far it scatters.

B_bar is a mean over sequences, and its noise is a closed form (`properties.predictions.sampling`). The other
statistics are products of such means, and their noise is measured (Wolter, Introduction to Variance
Estimation, ch. 2 and 4). The N sequences are dealt out at random into k groups of g. Where there are enough,
g is the sample's size n, and each group's own statistic is compared with that of all N. Else a group of
g = N/k is smaller than the sample, and would show what products of two noises do at its size and not at n;
so it is what is *left without* each group that is compared. By the law of a part of s sequences in its whole

    tan^2 = rho(s) (1 - s/N) / (1 + rho(s) s/N),    so    rho(s) = tan^2 / (1 - (s/N) (1 + tan^2)),

a value a group, with s = g or N - g, and rho(n) = rho(s) s/n. Dealing out, unlike a bootstrap, never puts a
sequence next to itself, which would add to products of two statistics what no sample has.

One draw of a sample scatters about its rho. Relative to its square, the variance of |noise|^2 at size n is
(`theory.laws.sampling_spread`, with a group as the unit)

    r(n) = (1 - g/n) nu + (g/n) v,      nu = 2 tr Sigma^2 / (tr Sigma)^2,

v that of the groups' own rho. nu follows without bias from the products of *pairs* of groups, k(k-1)/2 of
them, where v has only k values to go by: so a sample that is larger than the groups has an interval that
hardly depends on how these were dealt. Leaving a group out moves a statistic by its part of the noise times
-g/(N - g), to first order. Products of what is left therefore give the same nu; v is that of
|across|^2 / along^2, with the part's length along the whole, to first order: the variance of

    |across_k|^2 / (mean of it) + 2 (N - g)/g (along_k - 1).

Products are taken of the sketches (`reference.sketch`), which need no room; on c cells they add to each
squared product about |x_i|^2 |x_j|^2 / c, and so 2/c to nu, 1.5e-5.

The interval takes rho of a draw, over the estimate, as F of 2/r(n) and 2 k/v degrees of freedom, v/k being
the relative variance of the estimate (`properties.predictions.variance_ratio`). How well r(n) and v/k are
known is told by Satterthwaite's degrees of freedom of their sum.

The square |x_n|^2 of a statistic of n sequences holds their noise too: to first order in it

    E |x_n|^2 = |x|^2 (1 + beta / n),

exact for B_bar, where beta = S^2 / |x|^2 (`theory.laws.sampling`); for products of means it has what their
noises do together. With r the mean square of the parts, of s sequences each, over that of the whole,

    r (1 + beta / N) = 1 + beta / s,    so    beta = (r - 1) / (1/s - r/N).

It is read from what is left without each group. Groups of the sample's own size are so much noisier than the
whole that they say little of it; and then N is k samples or more, and |x_N|^2 nearly |x|^2.

All of this is to first order in the noise of the sample and of the whole. Where rho(N) is not small, the
whole is longer than the mean that it stands for by 1 + rho(N), what lies along it counts less than it should,
and the interval is too narrow: `leadterms sampling` tells whether it is for a text and its sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Float64

from properties.predictions.sampling import Noise, Statistics, Tokens, leading_directions
from properties.predictions.variance_ratio import UNKNOWN, VarianceRatio
from properties.tolerances import CONFIDENCE, UNIT_ROUNDOFF
from reference.errors import InputError
from reference.sketch import Sketch

# The trace of Sigma^2 needs the products of four different groups.
FEWEST_GROUPS = 4


@dataclass(frozen=True)
class Scatter:
    """What the groups showed of one statistic's noise.

    Attributes:
        rho: of a group, the mean over them; nan where some group has no direction, or none has any noise.
        normal: nu, what is left of its relative variance for large samples.
        own: v, the relative variance of the groups' rho.
        square_deviation: relative standard deviation of a group's |x|^2, to first order in its noise.
        excess: beta, in sequences: how much larger squares are for being of few; nan where it is not known.
        groups: k.
        group_size: g.
    """

    rho: float
    normal: float
    own: float
    square_deviation: float
    excess: float
    groups: int
    group_size: int

    def noise(self, sample: int) -> Noise:
        """Return the noise of a sample of so many sequences; nan where the groups do not tell."""
        k, share = self.groups, self.group_size / sample
        of_draw, of_groups = parts_of_variance(share, self.normal, self.own)
        relative, error = of_draw + of_groups, self.own / k
        # A scatter below the rounding of rho is none.
        if not (self.rho > 0 and relative > UNIT_ROUNDOFF["float64"]):
            return Noise(math.nan, math.nan, math.nan, UNKNOWN)
        freedom = (relative + error) ** 2 / (
            of_draw**2 / (k * (k - 1) / 2) + (of_groups + error) ** 2 / (k - 1)
        )
        ratio = VarianceRatio(2 / relative, 2 / error if error > 0 else math.inf, freedom)
        low, high = (ratio.quantile((1 + sign * CONFIDENCE) / 2) for sign in (-1, 1))
        rho = self.rho * share
        return Noise(rho, rho * low, rho * high, ratio)

    def half_width_of_square(self, sequences: float) -> float:
        """Return the relative half-width of the interval for |x|^2, x from so many sequences."""
        reach = float(scipy.special.stdtrit(self.groups - 1, (1 + CONFIDENCE) / 2))
        return reach * self.square_deviation * math.sqrt(self.group_size / sequences)

    def square_ratio(self, trained: float, known: int) -> float:
        """Return the |x|^2 to expect of so many sequences over the |x|^2 to expect of those that are known.

        1 where the excess is not known.
        """
        found = (1 + self.excess / trained) / (1 + self.excess / known)
        return found if found > 0 else 1.0


@dataclass(frozen=True)
class Dealt:
    """What the random groups showed of each parameter's statistic, and how they were dealt.

    Attributes:
        scatter: by parameter.
        groups: how many.
        group_size: sequences in each.
        left_out: whether it is what is left without a group that was compared with the whole.
        seed: of the order in which they were dealt.
    """

    scatter: Mapping[str, Scatter]
    groups: int
    group_size: int
    left_out: bool
    seed: int


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
    """Measure the noise of a sample of `sample` sequences, or of less where there are not so many.

    `whole` holds the leading directions of all of `tokens`; `statistics` computes a group's statistics;
    `told` hears of each group.

    Raises:
        InputError: there are fewer than four groups, or fewer sequences than groups.
    """
    N = len(tokens)
    if groups < FEWEST_GROUPS or groups > N:
        raise InputError(
            f"{groups} random groups of {N} sequences say nothing of a sample's noise; give {FEWEST_GROUPS} "
            f"to {N} groups."
        )
    size, left_out = min(sample, N // groups), N // groups < sample
    compared = N - size if left_out else size
    order = np.random.default_rng(seed).permutation(N)
    seen = {name: _Seen(direction, compared / N, seed) for name, direction in whole.items()}
    for n in range(groups):
        group = slice(n * size, (n + 1) * size)
        part = tokens[np.delete(order, group) if left_out else order[group]]
        for name, direction in leading_directions(part, statistics(part, vocab_size)).items():
            seen[name].add(direction)
        told(n + 1, groups)
    scatter = {name: one.scatter(compared / size, size) for name, one in seen.items()}
    return Dealt(scatter, groups, size, left_out, seed)


class _Seen:
    """One statistic's parts so far: how each is turned and how far it goes along the whole, and a sketch."""

    def __init__(self, whole: np.ndarray, share: float, seed: int) -> None:
        self.whole, self.share = whole, share
        self.square = float((whole * whole).sum())
        self.sketch = Sketch.drawn(whole.shape, seed)
        self.of_whole = self.sketch.of(whole)
        self.rho: list[float] = []
        self.along: list[float] = []
        self.squares: list[float] = []
        self.across: list[np.ndarray] = []

    def add(self, part: np.ndarray) -> None:
        self.rho.append(noise_of_part(part, self.whole, self.share))
        along = float((part * self.whole).sum()) / self.square if self.square > 0 else math.nan
        self.along.append(along)
        self.squares.append(float((part * part).sum()))
        # As long as the whole along it, so that a group's size does not count, only where it points.
        scaled = self.sketch.of(part) / along if along > 0 else math.nan
        self.across.append(scaled - self.of_whole)

    def scatter(self, times: float, size: int) -> Scatter:
        """Return what was seen, of groups of `size`; the parts compared have `times` as many sequences."""
        rho, across = np.array(self.rho), np.array(self.across)
        known = bool(np.isfinite(rho).all() and rho.any())
        return Scatter(
            rho=float(rho.mean()) * times if known else math.nan,
            normal=relative_variance(across @ across.T) if known else math.nan,
            own=self._own(rho, times) if known else math.nan,
            # |x|^2 moves by twice the part along x. A part's own |noise|^2, of which |x|^2 of a few sequences
            # is mostly made, scatters too little, and fades faster than the sequences grow in number.
            square_deviation=2 * _relative_deviation(np.array(self.along)) * times,
            excess=self._excess(times, size),
            groups=len(rho),
            group_size=size,
        )

    def _excess(self, times: float, size: int) -> float:
        """Return beta from what is left without the groups; nan from the groups, and where noise is all."""
        if times == 1:
            return math.nan
        r = float(np.mean(self.squares)) / self.square if self.square > 0 else math.nan
        room = (1 - r * self.share) / (times * size)
        return (r - 1) / room if room > 0 else math.nan

    def _own(self, rho: np.ndarray, times: float) -> float:
        if times == 1:
            return _relative_deviation(rho) ** 2
        longer = -times * (np.array(self.along) - 1)
        return float((rho / rho.mean() - 2 * longer).var(ddof=1))


def parts_of_variance(share: float, normal: float, own: float) -> tuple[float, float]:
    """Return both parts of r(n), n being 1/share units: (1 - share) nu and share v.

    Of one unit only the second counts, and nu need not be known.
    """
    return (1 - share) * normal if share < 1 else 0.0, share * own


def noise_of_part(part: np.ndarray, whole: np.ndarray, share: float) -> float:
    """Return rho from the angle between a part's statistic and the whole's, of one shape.

    nan where one of them is zero, and where the part is turned further than any noise turns it.
    """
    square, product = float((whole * whole).sum()), float((part * whole).sum())
    if square == 0 or product <= 0:
        return math.nan
    across = part - product / square * whole
    tan_squared = float((across * across).sum()) * square / product**2
    left = 1 - share * (1 + tan_squared)
    return tan_squared / left if left > 0 else math.nan


def traces(products: Float64[np.ndarray, "k k"]) -> tuple[float, float]:
    """Return tr Sigma and tr Sigma^2 without bias, from the products <x_i, x_j> of k >= 4 units.

    The mean of the units is not known, and drops out (`theory.laws.sampling_spread`).
    """
    k = len(products)
    between = products - np.diag(np.diag(products))
    rows = between.sum(axis=1)
    both = float((between**2).sum())
    one = float((rows**2).sum()) - both
    none = float(rows.sum()) ** 2 - 4 * one - 2 * both
    pairs = k * (k - 1)
    trace = float(np.trace(products)) / k - float(rows.sum()) / pairs
    return trace, both / pairs - 2 * one / (pairs * (k - 2)) + none / (pairs * (k - 2) * (k - 3))


def relative_variance(products: Float64[np.ndarray, "k k"]) -> float:
    """Return nu = 2 tr Sigma^2 / (tr Sigma)^2, the relative variance of a normal noise's square.

    nan where chance has left no trace of either to see.
    """
    trace, of_square = traces(products)
    return 2 * of_square / trace**2 if trace > 0 and of_square > 0 else math.nan


def _relative_deviation(values: Float64[np.ndarray, " groups"]) -> float:
    return float(values.std(ddof=1) / values.mean()) if values.mean() > 0 else math.nan
