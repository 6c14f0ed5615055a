"""What a softmax of independent Gaussian logits scores, to the second order in their variance.

A random head has small logits: take n of them independent with mean 0 and variance v. Because they are
exchangeable each key's expected weight is 1/n exactly, at every v, so the diagonal, the previous-token
weight, the mean distance and the induction score have the expectation of uniform attention: only their
spread grows. What departs in the mean are entropy and collision, sum p^2. With K(x) = log mean exp(x z),
whose derivatives at 0 are the cumulants k_j of the n logits as they are,

    log n - H  = K'(1) - K(1)    = k_2/2 + k_3/3 + k_4/8 + ...
    n sum p^2  = exp(K(2) - 2 K(1)) = 1 + k_2 + k_3 + 7 k_4/12 + k_2^2/2 + ...

and for Gaussian logits E k_2 = v (n-1)/n, E k_3 = 0, E k_4 = -6 v^2 (n-1)/n^2, E k_2^2 = v^2 (n^2-1)/n^2.
`theory.softmax_moments_symbolic` expands both functions of n symbols directly and takes the expectations by
Isserlis' theorem. Derived here. Each function returns the coefficients of v and v^2, in nats where it is an
entropy; ValueError unless n >= 1.
"""

from __future__ import annotations

from flint import fmpq


def entropy_deficit(keys: int) -> tuple[fmpq, fmpq]:
    """E[log n - H] in nats: (n-1)/(2n) v - 3 (n-1)/(4 n^2) v^2."""
    n = _keys(keys)
    return fmpq(n - 1, 2 * n), fmpq(-3 * (n - 1), 4 * n * n)


def excess_collision(keys: int) -> tuple[fmpq, fmpq]:
    """E[n sum p^2] - 1: (n-1)/n v + (n-1)(n-6)/(2 n^2) v^2."""
    n = _keys(keys)
    return fmpq(n - 1, n), fmpq((n - 1) * (n - 6), 2 * n * n)


def weight_variance(keys: int) -> tuple[fmpq, fmpq]:
    """The variance of one key's weight: E[sum p^2]/n - 1/n^2, which is the excess collision over n^2."""
    first, second = excess_collision(keys)
    return first / (keys * keys), second / (keys * keys)


def _keys(keys: int) -> int:
    if keys < 1:
        raise ValueError(f"a softmax needs at least one key, not {keys}")
    return keys
