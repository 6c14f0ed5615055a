"""A worked example by hand, and the literal one-hot definitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from properties.cases import CORPORA
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics, strength_and_similarity

# a b b over {a, b}, T = 2: transitions a->b and b->b.
TOKENS = np.array([[0, 1, 1]])


def test_a_worked_example():
    found = statistics(TOKENS, 2)
    quarter = Fraction(1, 4)
    # B_bar[i, j] = P(i) P(j|i) - P(i)/2, and P(a) = P(b) = 1/2.
    assert found["B_bar"].tolist() == [[-quarter, quarter], [-quarter, quarter]]
    # Targets are b, b with prefixes (a) and (a, b): shares a 1 + 1/2, b 1/2, over NT = 2, centred over V = 2.
    assert found["Phi_bar"].tolist() == [[-3 / 8, -1 / 8], [3 / 8, 1 / 8]]
    assert found["Sigma_B"].tolist() == [[1 / 8, -1 / 8], [-1 / 8, 1 / 8]]
    assert found["G_bar"].tolist() == [[-3 / 32, -1 / 32], [3 / 32, 1 / 32]]
    # Row 1 of M is (3/32, 1/32): mean 1/16, departures +-1/32, over t = 2; row 0 has one entry and none.
    assert found["Q_bar"].tolist() == [[0, 0], [1 / 128, -1 / 128]]
    assert found["Delta_bar"].tolist() == [-1 / 128, 1 / 128]


@given(CORPORA.strategy)
def test_gathers_are_the_one_hot_products(case):
    V, T = case.vocab_size, case.tokens.shape[1] - 1
    found = statistics(case.tokens, V)
    bound = {name: m.bound("float64") for name, m in statistics_magnitudes(case.tokens, V).items()}
    A0 = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    B = np.zeros((V, V))
    Phi = np.zeros((V, V))
    Q = np.zeros((V, V))
    Delta = np.zeros(T)
    for sequence in case.tokens:
        X, R = np.eye(V)[sequence[:-1]], np.eye(V)[sequence[1:]] - 1 / V
        B += X.T @ R
        Phi += R.T @ A0 @ X
        M = R @ found["G_bar"] @ X.T
        Q_i = np.zeros((T, T))
        for t in range(T):
            Q_i[t, : t + 1] = (M[t, : t + 1] - M[t, : t + 1].mean()) / (t + 1)
        Q += X.T @ Q_i @ X
        Delta += [np.trace(Q_i, -d) for d in range(T)]
    count = case.tokens[:, 1:].size
    for name, literal in (("B_bar", B), ("Phi_bar", Phi), ("Q_bar", Q), ("Delta_bar", Delta)):
        assert (np.abs(found[name] - literal / count) <= bound[name]).all(), name


@given(CORPORA.strategy)
def test_strength_and_similarity_factor_sigma(case):
    found = statistics(case.tokens, case.vocab_size)
    d, C = strength_and_similarity(found["B_bar"])
    bound = 2 * statistics_magnitudes(case.tokens, case.vocab_size)["Sigma_B"].bound("float64")
    assert (np.abs(d[:, None] * C * d - found["Sigma_B"]) <= bound).all()
    assert (np.diag(C)[d == 0] == 0).all()


def test_bad_tokens_are_refused():
    with pytest.raises(InputError, match="outside the vocabulary"):
        statistics(np.array([[0, 2]]), 2)
    with pytest.raises(InputError, match="predict nothing"):
        statistics(np.zeros((1, 1), dtype=np.int64), 2)
