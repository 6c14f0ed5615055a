"""Intervals over whole sequences and whole models, and corrections for many comparisons.

Positions of a sequence hang together, so a sequence is the unit that is drawn again; where several models
were trained, a model is one too, and few of them are no sample to draw from again: theirs is Student's
interval. Values have the unit as their first axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from jaxtyping import Float64

from reference.errors import InputError

DRAWS = 2000
LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate and the ends of its interval at LEVEL, arrays of one shape."""

    value: Float64[np.ndarray, "*shape"]
    low: Float64[np.ndarray, "*shape"]
    high: Float64[np.ndarray, "*shape"]


def over_sequences(values: Float64[np.ndarray, n * shape], seed: int) -> Interval:
    """Return the mean over n sequences with its percentile interval over DRAWS resamplings of them.

    The interval covers the mean of the sequences' population with a probability that nears LEVEL as n grows;
    with few sequences it is too narrow, by a factor of about sqrt((n-1)/n).

    Raises:
        InputError: there are fewer than two.
    """
    _at_least_two(values, "sequences")
    rng = np.random.default_rng(seed)
    n = len(values)
    weights = rng.multinomial(n, np.full(n, 1 / n), DRAWS) / n
    return _interval(np.asarray(values.mean(axis=0)), np.tensordot(weights, values, axes=1))


def over_models(values: Float64[np.ndarray, "M n *shape"]) -> Interval:
    """Return the mean over M models, all tried on the same n sequences, with Student's interval for it.

    The interval is about models trained like these and sequences like these. With one model it is about that
    model alone, over sequences.

    Derived here. Where a model and a sequence each add something of their own, x = mu + a_m + b_n + e_mn, the
    mean has the variance var(a)/M + var(b)/n + var(e)/(M n). The variance A of the M means of models, over M,
    has the first and the last term as its expectation; that B of the n means of sequences, over n, the second
    and the last. So A/M + B/n is never too small on average, and at most twice what it should be. It has the
    degrees of freedom (A/M + B/n)^2 / ((A/M)^2 / (M-1) + (B/n)^2 / (n-1)) of Satterthwaite. Drawing three
    models again would not do: their mean lies between the least and the largest of them, which the mean of
    all models does three times in four only where models scatter alike to both sides, however far apart.

    Raises:
        InputError: there are fewer than two sequences.
    """
    _at_least_two(values[0], "sequences")
    value, error, freedom = _over_both(values)
    reach = error * scipy.special.stdtrit(freedom, (1 + LEVEL) / 2)
    return Interval(value, np.asarray(value - reach), np.asarray(value + reach))


def _over_both(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the mean over models and sequences [M, n, ...], its standard error and degrees of freedom."""
    M, n = values.shape[:2]
    of_sequences = values.mean(axis=0).var(axis=0, ddof=1) / n
    of_models = values.mean(axis=1).var(axis=0, ddof=1) / M if M > 1 else np.zeros_like(of_sequences)
    total = of_models + of_sequences
    parts = of_models**2 / max(M - 1, 1) + of_sequences**2 / (n - 1)
    # Where nothing differs there is no error, whatever the degrees of freedom.
    freedom = np.divide(total**2, parts, out=np.ones_like(total), where=parts > 0)
    return np.asarray(values.mean(axis=(0, 1))), np.asarray(np.sqrt(total)), freedom


def ratio_of_means(
    values: Float64[np.ndarray, "*shape n"], of: Float64[np.ndarray, " n"]
) -> Float64[np.ndarray, "*shape n"]:
    """Return what each of n sequences says of mean(values) / mean(of): numbers whose mean is that ratio.

    To first order the ratio r changes with a sequence by (x - r s) / mean(s) over n, for values x of s; these
    are r plus that, so that an interval for their mean is one for the ratio.
    """
    r = values.mean(axis=-1, keepdims=True) / of.mean(axis=-1, keepdims=True)
    return np.asarray(r + (values - r * of) / of.mean(axis=-1, keepdims=True))


def two_sided_p(values: Float64[np.ndarray, n * shape]) -> Float64[np.ndarray, "*shape"]:
    """Return the p-value of Student's t-test that the mean over n sequences is 0; 1 where all values are 0.

    Raises:
        InputError: there are fewer than two.
    """
    _at_least_two(values, "sequences")
    n = len(values)
    error = values.std(axis=0, ddof=1) / np.sqrt(n)
    mean = values.mean(axis=0)
    t = np.divide(mean, error, out=np.where(mean != 0, np.inf, 0.0), where=error > 0)
    return np.asarray(2 * scipy.special.stdtr(n - 1, -np.abs(t)))


def holm(p: Float64[np.ndarray, " k"]) -> Float64[np.ndarray, " k"]:
    """Return p-values adjusted so that the chance of any false finding stays below a threshold (Holm 1979).

    The i-th smallest of k is multiplied by k - i + 1, and no adjusted value is below an earlier one.
    """
    order = np.argsort(p)
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def benjamini_hochberg(p: Float64[np.ndarray, " k"]) -> Float64[np.ndarray, " k"]:
    """Return p-values adjusted so that of the findings below a threshold that share is false on average."""
    from scipy.stats import false_discovery_control  # takes most of a second to import

    return np.asarray(false_discovery_control(p, method="bh"))


def _interval(value: np.ndarray, resampled: np.ndarray) -> Interval:
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return Interval(value, np.asarray(low), np.asarray(high))


def _at_least_two(values: np.ndarray, what: str) -> None:
    if len(values) < 2:
        raise InputError(f"An interval needs two {what} or more to draw from, not {len(values)}.")
