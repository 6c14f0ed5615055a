"""The cosine of covariances of tokens, by factors and without first directions, against plain matrices."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gpu.pretrained.covariances import REMOVED, Compared, row_centred, token_covariance
from properties.tolerances import gamma, unit_roundoff

WHOLE = st.integers(-4, 4)


def whole_matrix(rows, columns):
    return st.lists(st.lists(WHOLE, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


# Rows of whole length, which are rational when they are divided by it.
WHOLE_LENGTHS = [(3, 4, 0, 0, 0), (1, 2, 2, 0, 0), (2, 3, 6, 0, 0), (1, 1, 1, 1, 0), (4, 4, 7, 0, 0)]


def whole_rows(rows):
    one = st.sampled_from(WHOLE_LENGTHS).flatmap(st.permutations)
    signed = st.tuples(one, st.lists(st.sampled_from([-1, 1]), min_size=5, max_size=5))
    return st.lists(
        signed.map(lambda pair: [a * b for a, b in zip(*pair, strict=True)]), min_size=rows, max_size=rows
    )


def rational(rows):
    return [[Fraction(one) for one in row] for row in rows]


def product(a, b):
    return [
        [sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a
    ]


def covariance(rows):
    """Return M_c M_c^T in fractions, by its definition."""
    centred = [[one - sum(row, Fraction(0)) / len(row) for one in row] for row in rows]
    return product(centred, [list(column) for column in zip(*centred, strict=True)])


def inner(a, b):
    return sum(
        (x * y for one, other in zip(a, b, strict=True) for x, y in zip(one, other, strict=True)), Fraction(0)
    )


def relative_error(X, W, S, T):
    """Return how far rounding may move the cosine, relatively: each of its sums by gamma times its terms.

    A sum of the trace is of d products of five factors of d or n terms; the square root halves the error of
    |C|^2, and that of |T|^2 is one of n^2 sums of m terms.
    """
    A, B, Q, R = (np.abs(one) for one in (X, W, S, T))
    value, most = (
        (np.trace(s @ w.T @ x.T @ t @ x @ w), np.linalg.norm(s @ w.T @ x.T @ x @ w))
        for x, w, s, t in ((X, W, S, T), (A, B, Q, R))
    )
    operations = 6 * sum(X.shape) + 6 * sum(W.shape) + len(T) ** 2 + 16
    lost = most[0] / abs(value[0]) + (most[1] / value[1]) ** 2 + len(T)
    return gamma(operations, unit_roundoff("float64")) * lost


@settings(max_examples=40)
@given(whole_rows(4), whole_matrix(4, 3), whole_matrix(3, 2), whole_matrix(4, 2))
def test_the_cosine_of_factors_is_that_of_the_matrices(values, x, w, keys):
    """C = X W S W^T X^T with S = K_c^T K_c is the row covariance of X W K^T, exactly."""
    unit = [[Fraction(one, math.isqrt(sum(k * k for k in row))) for one in row] for row in values]
    T = covariance(unit)
    X, W, K = (rational(one) for one in (x, w, keys))
    A = product(product(X, W), [list(column) for column in zip(*K, strict=True)])
    C = covariance(A)
    own, size = inner(C, C), inner(T, T)
    numeric = [np.array(one, dtype=float) for one in (x, w, keys, values)]
    X_, W_, K_, values_ = numeric
    centred = K_ - K_.mean(axis=0)
    S = centred.T @ centred
    found = Compared.of(torch.tensor(X_), {"map": token_covariance(torch.tensor(values_))}).cosine(
        "map", torch.tensor(W_), torch.tensor(S)
    )
    if own == 0 or size == 0:
        assert found is None
        return
    expected = float(inner(C, T)) / (float(own) * float(size)) ** 0.5
    if inner(C, T) == 0:
        return
    bound = relative_error(X_, W_, S, np.array(T, dtype=float)) * abs(expected)
    assert abs(found - expected) <= bound


@pytest.mark.parametrize("removed", REMOVED)
def test_directions_are_taken_out_of_both(removed):
    random = np.random.default_rng(0)
    n, d = 14, 6
    rows, X, W = random.normal(size=(n, 20)), random.normal(size=(n, d)), random.normal(size=(d, 3))
    factor = random.normal(size=(3, 3))
    S = factor @ factor.T
    theory = token_covariance(torch.tensor(rows))
    T = theory.matrix.numpy()
    _, vectors = np.linalg.eigh(T)
    U = vectors[:, ::-1][:, :removed]
    P = np.eye(n) - U @ U.T
    C, left = P @ X @ W @ S @ W.T @ X.T @ P, P @ T @ P
    expected = np.sum(C * left) / (np.linalg.norm(C) * np.linalg.norm(left))
    found = Compared.of(torch.tensor(X), {"map": theory}).cosine(
        "map", torch.tensor(W), torch.tensor(S), removed
    )
    # Eigenvectors are known to n roundings over the gap to the next eigenvalue.
    values = np.linalg.eigvalsh(T)[::-1]
    gap = 1.0 if removed == 0 else (values[removed - 1] - values[removed]) / values[0]
    bound = n * relative_error(X, W, S, T) / gap
    assert abs(found - expected) <= bound
    other = Compared.of(torch.tensor(X), {"map": theory}).cosine(
        "map", torch.tensor(W), torch.tensor(S), REMOVED[REMOVED.index(removed) - 1]
    )
    assert abs(other - expected) > bound, "another number of directions gives another cosine"


def test_the_best_rank_one_is_reached_and_not_passed():
    random = np.random.default_rng(1)
    theory = token_covariance(torch.tensor(random.normal(size=(12, 9))))
    compared = Compared.of(torch.eye(12, dtype=torch.float64), {"map": theory})
    one = torch.ones(1, 1, dtype=torch.float64)
    best = compared.cosine("map", theory.directions[:, :1].clone(), one)
    bound = gamma(12**3, unit_roundoff("float64"))
    assert abs(best - theory.best_rank_one) <= bound
    for _ in range(20):
        other = compared.cosine("map", torch.tensor(random.normal(size=(12, 1))), one)
        assert other < theory.best_rank_one


def test_a_map_without_directions_has_no_cosine():
    """Equal entries in each row are nothing once centred; a map of rank one is nothing without its first."""
    flat = token_covariance(torch.ones(4, 3, dtype=torch.float64) * torch.arange(4.0)[:, None].double())
    assert flat.norms[0] == 0
    assert flat.best_rank_one is None
    line = torch.outer(torch.tensor([1.0, -2.0, 3.0, 1.0]), torch.tensor([1.0, 0.0, -1.0])).double()
    theory = token_covariance(line)
    assert theory.norms[1] == 0
    identity = torch.eye(3, dtype=torch.float64)
    compared = Compared.of(row_centred(line), {"map": theory, "flat": flat})
    assert compared.cosine("map", identity, identity, 1) is None
    assert compared.cosine("flat", identity, identity) is None
    assert theory.cosine(flat) is None


def test_rows_are_compared_whatever_their_lengths():
    random = np.random.default_rng(2)
    rows = torch.tensor(random.normal(size=(6, 5)))
    # Powers of two scale without rounding.
    scaled = token_covariance(rows * torch.tensor([1.0, 2, 4, 0.5, 8, 16]).double()[:, None])
    assert torch.equal(scaled.matrix, token_covariance(rows).matrix)
