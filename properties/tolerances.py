"""Every tolerance of the suite, each with its derivation.

Rationals are compared by equality. A floating-point result is compared with its exact value within
gamma(n) * magnitude, where n counts the operations on the longest path to an entry and the magnitude is the
sum of the absolute values of its terms: the standard bound of rounding-error analysis, valid for any order
of summation (Higham, Accuracy and Stability of Numerical Algorithms, ch. 3). A scaling law is compared by
its exponent, within an interval that the data themselves give. Nothing here depends on the device.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

UNIT_ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24}
SMALLEST_NORMAL = {"float64": 2.0**-1022, "float32": 2.0**-126}

# Library exp and log are not correctly rounded; the ones in use stay below four units in the last place.
ELEMENTARY_ULPS = 4

# An exponent is told from its neighbours when its interval is narrower than this on each side: half the
# distance to the middle between two integers.
EXPONENT_RESOLUTION = 0.25


def unit_roundoff(dtype: str) -> float:
    """Return u for float64 (2^-53) or float32 (2^-24), plus that of the suite's own float64 value."""
    return UNIT_ROUNDOFF[dtype] + UNIT_ROUNDOFF["float64"]


def gamma(operations: int, unit: float) -> float:
    """Return gamma_n = n u / (1 - n u), the relative error that n operations can add up to.

    It is infinite from n u = 1 on: then nothing is known.
    """
    return operations * unit / (1 - operations * unit) if operations * unit < 1 else math.inf


def rounding(magnitude: np.ndarray | float, operations: int, dtype: str) -> np.ndarray:
    """Return the bound gamma(operations) * magnitude on the rounding error of results in `dtype`.

    The magnitude is a number or an array of any shape. A term that underflows loses at most the smallest
    normal number; so does each operation on it. What has no terms is exactly 0, however many operations
    others take.
    """
    terms = np.asarray(magnitude, dtype=np.float64)
    relative = gamma(operations, unit_roundoff(dtype))
    if math.isinf(relative):  # times 0 it is no number
        return terms * np.where(terms == 0, 1.0, relative)
    return relative * terms + operations * SMALLEST_NORMAL[dtype] * (terms > 0)


def gaussian_cosine(noise_over_signal: float, entries: int) -> tuple[float, float]:
    """Return the expected cosine of signal plus Gaussian noise with the signal, and a band of five sigma.

    With |noise|^2 = r |signal|^2 the cosine is 1 / sqrt(1 + r) in the mean. Along the signal the noise has
    the standard deviation |noise| / sqrt(n), which moves the cosine by at most sqrt(r / (1 + r) / n); the
    length of the noise varies by 1 / sqrt(2 n), relative, which moves it by less.
    """
    r = noise_over_signal
    return 1 / math.sqrt(1 + r), 5 * 2 * math.sqrt(r / (1 + r) / entries)


@dataclass(frozen=True)
class Exponent:
    """A fitted order, r(eta) ~ eta^value as eta goes to 0, with the half-width of its interval."""

    value: float
    half_width: float


def exponent(remainders: Sequence[float], relative_noise: float) -> Exponent:
    """Fit the order of remainders measured at eta, eta/2, eta/4, eta/8.

    If r(eta) = a eta^m (1 + b eta + c eta^2 + ...), the slopes p_i = log2 r(eta_i) / r(eta_i / 2) are
    m + (b eta_i + ...) / (2 ln 2): they approach m, halving their distance each time. So 2 p_3 - p_2 has the
    error O(eta^2), and the movements |p_2 - p_1| + |p_3 - p_2| bound it once the series is in its regime.
    Before that, where a later term is the larger one, the slopes lie between two orders. They are never below
    m for terms of one sign, since each halving of eta then divides r by 2^m at least; so m is at most the
    value plus the half-width at every rate, and that is the side on which a law is held.
    `relative_noise` is the largest relative error of a remainder; it moves a slope by 2 noise / ln 2, and
    the extrapolation by three times that. What vanishes at some rate has an infinite order.
    """
    if min(remainders) == 0:
        return Exponent(value=math.inf, half_width=0.0)
    slopes = [math.log2(coarse / fine) for coarse, fine in itertools.pairwise(remainders)]
    movement = sum(abs(late - early) for early, late in itertools.pairwise(slopes))
    noise = 3 * 2 * relative_noise / math.log(2)
    return Exponent(value=2 * slopes[-1] - slopes[-2], half_width=movement + noise)


# A sum of n rounded terms stays within DEVIATIONS sqrt(n) u of its magnitude but with a probability of
# 2 exp(-DEVIATIONS^2 / 2) = 7e-4, when the single roundings are independent with mean zero (Higham and Mary,
# SIAM J. Sci. Comput. 41, 2019, Thm. 2.4). A training is measured, not proved: this is its rounding. The same
# number of standard deviations bounds what sampling does: by Cantelli's inequality at most one in
# 1 + DEVIATIONS^2 = 17 lies above, whatever the distribution.
DEVIATIONS = 4


def empirical_distribution(draws: int) -> float:
    """Return how far the distribution of independent draws may be from the one that they come from.

    By the inequality of Dvoretzky, Kiefer and Wolfowitz, with Massart's constant (Ann. Probab. 18, 1990), the
    largest distance is above e with a probability of at most 2 exp(-2 draws e^2). At e = DEVIATIONS / (2
    sqrt(draws)) this is 2 exp(-DEVIATIONS^2 / 2) = 7e-4, as for rounding.
    """
    return DEVIATIONS / (2 * math.sqrt(draws))


def fewest_inside(draws: int) -> int:
    """Return how many of independent draws their intervals hold, but for chance.

    Each holds its draw with the probability CONFIDENCE: fewer than this many are inside with a probability of
    at most 2 exp(-DEVIATIONS^2 / 2) = 7e-4, by the binomial distribution.
    """
    rare = 2 * math.exp(-(DEVIATIONS**2) / 2)
    return next(k for k in range(draws + 1) if scipy.special.bdtr(k, draws, CONFIDENCE) > rare)


# An interval of a prediction holds one draw in so many: the field's usual 95%. It is stated beside each one.
CONFIDENCE = 0.95

# The series of a weight has terms that shrink by a ratio below one half: what is left after the terms that
# are known is at most twice the first term of the rest. A wider band could not tell a weight from its half.
WIDEST_BAND = 0.5
GEOMETRIC = 2


def likely_rounding(operations: int, dtype: str) -> float:
    """Return the relative error that a sum of so many terms in `dtype` stays within, but for rare chance."""
    return DEVIATIONS * math.sqrt(operations) * unit_roundoff(dtype)


# What is alike by chance may not be called a fault: in a billion cases that happens with a chance of 1e-9.
CHANCE = 2.0**-60


def draws_to_differ(choices: int) -> int:
    """Return how many draws out of so many equally likely choices are all alike by CHANCE at most.

    Draws after the first agree with it with the probability 1 / choices each, so n of them are all alike with
    choices^-(n - 1).
    """
    return 1 + math.ceil(-math.log(CHANCE) / math.log(choices))


def between_two(got: np.ndarray, expected: np.ndarray, bound: np.ndarray, dtype: str) -> np.ndarray:
    """Return how far apart two implementations of one formula may lie, which is not the formula expected.

    All arrays are of one shape. Each lies within its rounding of the formula's value. Where that is larger
    than what is expected, so is its rounding, in proportion; where the law asks for equality, its bound says
    nothing of the operations that made a value that should not be, and those of a sum over all entries are
    taken.
    """
    largest = float(np.abs(got).max(initial=0.0))
    against = float(np.abs(expected).max(initial=0.0))
    growth = max(1.0, largest / against) if against else 1.0
    own = rounding(largest, got.size + 2 * ELEMENTARY_ULPS, dtype)
    return 2 * (growth * bound + own)
