"""Exact statistics against the definitions written out as scalar sums of fractions, and against counting."""

from fractions import Fraction
from itertools import permutations

import pytest
from flint import fmpq, fmpq_mat
from theory_cases import Tokens, corpus

from theory.statistics import B_bar_row, Phi_bar_row, exact_statistics, leading_directions


def fractions(M: fmpq_mat) -> list[list[Fraction]]:
    return [[Fraction(int(x.p), int(x.q)) for x in row] for row in M.tolist()]


def scalar_statistics(tokens: Tokens, V: int) -> dict[str, list[list[Fraction]]]:
    """The same statistics entry by entry: no matrix product, and the uniform part of Y dropped from M."""
    N, T = len(tokens), len(tokens[0]) - 1
    B = [[Fraction(0)] * V for _ in range(V)]
    Phi = [[Fraction(0)] * V for _ in range(V)]
    for row in tokens:
        for t in range(T):
            for j in range(V):
                residual = Fraction(int(row[t + 1] == j)) - Fraction(1, V)
                B[row[t]][j] += residual / (N * T)
                for k in range(t + 1):
                    Phi[j][row[k]] += residual / (t + 1) / (N * T)
    G = [
        [
            sum((B[c][i] * B[c][j] * Phi[j][k] for c in range(V) for j in range(V)), Fraction(0))
            for k in range(V)
        ]
        for i in range(V)
    ]
    Q = [[Fraction(0)] * V for _ in range(V)]
    Delta = [[Fraction(0)] for _ in range(T)]
    for row in tokens:
        for t in range(T):
            scores = [G[row[t + 1]][row[k]] for k in range(t + 1)]
            for k, score in enumerate(scores):
                evidence = (score - sum(scores, Fraction(0)) / (t + 1)) / (t + 1) / (N * T)
                Q[row[t]][row[k]] += evidence
                Delta[t - k][0] += evidence
    return {"B_bar": B, "Phi_bar": Phi, "G_bar": G, "Q_bar": Q, "Delta_bar": Delta}


@pytest.mark.parametrize(("seed", "N", "T", "V"), [(0, 3, 5, 4), (1, 1, 1, 2), (2, 4, 3, 3), (3, 1, 6, 5)])
def test_matrix_route_against_scalar_sums(seed: int, N: int, T: int, V: int) -> None:
    tokens = corpus(seed, N, T, V)
    exact = exact_statistics(tokens, V)
    for name, expected in scalar_statistics(tokens, V).items():
        assert fractions(exact[name]) == expected, name


def test_a_corpus_small_enough_to_do_by_hand() -> None:
    """One sequence 0 1 1 of two positions: each pair has frequency 1/2 and prefixes are (0) and (0, 1)."""
    exact = exact_statistics([[0, 1, 1]], 2)
    quarter = fmpq(1, 4)
    assert exact["B_bar"] == fmpq_mat([[-quarter, quarter], [-quarter, quarter]])
    assert exact["Phi_bar"] == fmpq_mat([[fmpq(-3, 8), fmpq(-1, 8)], [fmpq(3, 8), fmpq(1, 8)]])


def test_statistics_are_not_symmetric_here() -> None:
    """Guards the test corpora: a symmetric matrix could not tell an orientation from its transpose."""
    exact = exact_statistics(corpus(0, 3, 5, 4), 4)
    for name in ("B_bar", "Phi_bar", "G_bar", "Q_bar"):
        assert exact[name] != exact[name].transpose(), name


def test_statistics_are_symmetric_where_every_renaming_leaves_the_corpus() -> None:
    """There a transpose would be right; where one renaming does, it need not be."""
    rows = [[names[word] for word in (0, 1, 1, 0, 2)] for names in permutations(range(3))]
    exact = exact_statistics(rows, 3)
    for name in ("B_bar", "Phi_bar", "G_bar", "Q_bar"):
        assert exact[name] == exact[name].transpose() != fmpq_mat(3, 3), name
    turned = exact_statistics([[(n + word) % 3 for word in (0, 1, 1, 2)] for n in range(3)], 3)
    assert turned["B_bar"] != turned["B_bar"].transpose()


def test_rows_of_B_bar_and_columns_of_Phi_bar_sum_to_zero() -> None:
    exact = exact_statistics(corpus(5, 3, 6, 4), 4)
    ones = fmpq_mat(4, 1, [1] * 4)
    assert exact["B_bar"] * ones == fmpq_mat(4, 1)
    assert exact["Phi_bar"].transpose() * ones == fmpq_mat(4, 1)


@pytest.mark.parametrize("seed", range(3))
def test_counting_rows_against_the_matrices(seed: int) -> None:
    tokens = corpus(seed, 4, 7, 5)
    exact = exact_statistics(tokens, 5)
    for i in range(5):
        assert B_bar_row(tokens, 5, i) == exact["B_bar"].tolist()[i]
        assert Phi_bar_row(tokens, 5, i) == exact["Phi_bar"].tolist()[i]


def test_weights_stand_for_repeated_sequences() -> None:
    first, second = corpus(7, 2, 4, 3)
    repeated = exact_statistics([first, second, second], 3)
    weighted = exact_statistics([first, second], 3, [fmpq(1, 3), fmpq(2, 3)])
    assert repeated == weighted


def test_leading_directions_use_the_transposes_of_the_theorem() -> None:
    exact = exact_statistics(corpus(0, 3, 5, 4), 4)
    directions = leading_directions(exact)
    assert directions["V"] == (exact["B_bar"] * exact["Phi_bar"]).transpose()
    assert directions["W_O"] == exact["B_bar"]
    assert directions["W"] == exact["Q_bar"]


@pytest.mark.parametrize(
    ("tokens", "vocab_size", "message"),
    [
        ([], 3, "at least one sequence"),
        ([[0, 1], [0, 1, 2]], 3, "sequence 1 has 3"),
        ([[0]], 3, "at least 2 tokens"),
        ([[0, 3]], 3, "sequence 0 has 3"),
        ([[0, -1]], 3, "sequence 0 has -1"),
        ([[0, 1]], 0, "1 or more"),
        ([[0, 0.5]], 3, "integer ids"),
        ([[0, 1]], 2.0, "must be an integer"),
    ],
)
def test_bad_corpora_are_refused_in_one_sentence(tokens: Tokens, vocab_size: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        exact_statistics(tokens, vocab_size)


def test_a_row_outside_the_vocabulary_is_refused() -> None:
    with pytest.raises(ValueError, match="current must be a token id"):
        B_bar_row([[0, 1]], 3, 3)


def test_weights_must_match_the_sequences() -> None:
    with pytest.raises(ValueError, match="2 sequences but 1 weights"):
        exact_statistics([[0, 1], [1, 1]], 2, [1])
