"""What untrained heads score: logits that are independent Gaussians, expanded in their variance.

At the usual initialisation a head's logits q.k / sqrt(d_head) are small. Treat the n = t+1 logits of row t as
independent with mean 0 and variance v. Weights are exchangeable, so E p_k = 1/n at every v; to second order
the variance of a weight is v (n-1)/n^3, and log n - H = s^2/2 + ... with s^2 the variance of the logits as
they are, of mean v (n-1)/n (derived in `theory.softmax_moments`, here to the second order in v).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from reference.attention_rows import Numbers
from reference.errors import InputError


@dataclass(frozen=True)
class Expected:
    """The mean of a score over random heads, and its standard deviation from head to head (order v)."""

    mean: float
    deviation: float


def expected_profile(length: int, variance: float) -> dict[str, Expected]:
    """Return what `head_profile` gives a random head on T = `length` positions, by name.

    Args:
        length: T >= 1.
        variance: v of the logits, in 0..1; the expansion leaves out terms of order v^3.

    Raises:
        InputError: an argument is out of its range.
    """
    if length < 1 or not 0 <= variance <= 1:
        raise InputError(f"Give a length of 1 or more and a variance in 0..1, not {length} and {variance}.")
    n = np.arange(1, length + 1, dtype=np.float64)
    spread = variance * (n - 1) / n**3  # of one weight
    # Weights of a row are correlated by -1/(n-1): a weighted sum has (spread n/(n-1)) times the sum of
    # squares of its centred coefficients, which are the distances 0..n-1 here, n (n^2 - 1) / 12.
    distance_spread = variance * (n**2 - 1) / 12 / n
    deficit = np.zeros(length)
    deficit_spread = np.zeros(length)
    later = n[1:]
    nats = variance * (later - 1) / (2 * later) - 3 * variance**2 * (later - 1) / (4 * later**2)
    deficit[1:] = nats / np.log(later)
    # s^2/2 has the variance of a chi-squared sum over n-1 degrees of freedom, (v/n)^2 2 (n-1) / 4.
    deficit_spread[1:] = variance**2 * (later - 1) / (2 * later**2) / np.log(later) ** 2
    return {
        "entropy": _over_rows(np.where(n > 1, 1 - deficit, 0.0), deficit_spread),
        "diagonal": _over_rows(1 / n, spread),
        "previous": _over_rows(np.where(n > 1, 1 / n, 0.0), np.where(n > 1, spread, 0.0)),
        "distance": _over_rows((n - 1) / 2, distance_spread),
        "relative_diagonal": _over_rows(np.ones(length), spread * n**2),
    }


def initial_logit_variance(width: int, deviation: float) -> float:
    """Return the variance of q.k / sqrt(d_head) at initialisation: (d_model * deviation^2)^2.

    The stream is normalised to unit variance per coordinate and W_Q, W_K have entries of standard deviation
    `deviation`: each coordinate of q and k has the variance d_model deviation^2, their product that squared,
    and the d_head products are summed and divided by sqrt(d_head). At d_model = 128 and .02 it is .0026.
    """
    return (width * deviation**2) ** 2


def entropy_on_streams(read: Float64[np.ndarray, "*heads T d"], variance: float) -> Numbers:
    """Return the mean normalised entropy of a random head that reads these streams, over its W_Q and W_K.

    In 0..1; row 0 counts as 0. Uniform attention: (T-1)/T, from which a random head falls. For Gaussian W_Q
    and W_K the logits of row t over its n = t+1 keys have the covariance v (|h_t|^2/d) h_j.h_k/d, so that
    their own variance has the mean v (|h_t|^2/d) s_t, with s_t the mean of |h_j|^2/d less |mean of h_j|^2/d:
    how far the streams seen lie from their mean. The entropy falls by half of that in nats, to first order in
    v. Unrelated streams of unit variance have s_t = (n-1)/n, which `expected_profile` takes; those that share
    tokens, or a part as after a perceptron, have less: their heads are closer to uniform attention.

    Source: derived here.

    Args:
        read: the streams as the head reads them, normalised where the model is.
        variance: v, of the logits of streams of unit variance, as `initial_logit_variance` gives it.
    """
    T, d = read.shape[-2:]
    n = np.arange(1, T + 1, dtype=np.float64)
    square = (read**2).sum(axis=-1) / d
    mean = read.cumsum(axis=-2) / n[:, None]
    apart = square.cumsum(axis=-1) / n - (mean**2).sum(axis=-1) / d
    nats = variance * square * apart / 2
    mean_entropy: Numbers = (1 - nats[..., 1:] / np.log(n[1:])).sum(axis=-1) / T
    return mean_entropy


def _over_rows(means: np.ndarray, variances: np.ndarray) -> Expected:
    """Rows are independent: the mean over rows has the mean of the means and the variances summed."""
    return Expected(float(means.mean()), math.sqrt(variances.sum()) / len(means))
