"""The case that every law is always tried on is in general position: it hides no slip by being special."""

from itertools import combinations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from properties import cases
from properties.cases import CORPORA, MATRICES, MODELS
from theory.statistics import exact_statistics, leading_directions

TOKENS, V = CORPORA.ordinary.tokens, CORPORA.ordinary.vocab_size
N, T = TOKENS.shape[0], TOKENS.shape[1] - 1
TABLES = ("B_bar", "Phi_bar", "Sigma_B", "G_bar", "Q_bar")


@pytest.fixture(scope="module")
def exact():
    return exact_statistics(TOKENS.tolist(), V)


def test_no_two_sizes_are_equal_and_every_word_is_read_and_predicted_its_own_number_of_times():
    assert len({N, T, V}) == 3
    assert N > 1
    read, predicted = (np.bincount(part.ravel(), minlength=V) for part in (TOKENS[:, :-1], TOKENS[:, 1:]))
    assert min(read) > 0
    assert len(set(predicted)) == V
    assert (read != predicted).any()
    assert len({tuple(row) for row in TOKENS.tolist()}) == N


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_full_centred_rank_no_zero_and_no_symmetry(exact, name):
    table = exact[name]
    assert table.rank() == V - 1
    entries = table.tolist()
    assert all(entry != 0 for row in entries for entry in row)
    for one, other in combinations(range(V), 2):
        assert entries[one] != entries[other]
        assert [row[one] for row in entries] != [row[other] for row in entries]
    assert (table == table.transpose()) == (name == "Sigma_B")
    assert table != -table.transpose()


def test_the_statistics_are_no_multiples_of_one_another_or_of_their_transposes(exact):
    tables = [exact[name] for name in TABLES]
    for one, other in combinations([*tables, *(table.transpose() for table in tables[:2])], 2):
        pairs = fmpq_mat(2, V * V, [*one.entries(), *other.entries()])
        assert pairs.rank() == 2


def test_no_distance_is_without_evidence(exact):
    found = exact["Delta_bar"].entries()
    assert len(found) == T
    assert all(value != fmpq(0) for value in found)
    assert len(set(found)) == T


def test_every_leading_direction_has_full_rank(exact):
    directions = leading_directions(exact)
    assert all(directions[group].rank() == V - 1 for group in ("W_O", "V", "W"))


def test_every_kind_of_case_over_four_words_is_of_this_corpus():
    kinds = {name: value.ordinary for name, value in vars(cases).items() if isinstance(value, cases.Cases)}
    others = {
        name
        for name, case in kinds.items()
        if isinstance(case, cases.CorpusCase) and not np.array_equal(case.tokens, TOKENS)
    }
    # At 150 digits a run is dear: two words.
    assert others == {"THIRD_ROUTE"}


def test_the_parameters_and_matrices_have_full_rank_and_their_layers_differ():
    model = MODELS.ordinary
    assert model.layers > 1
    for weights in (model.V, model.W):
        assert all(np.linalg.matrix_rank(one) == V for one in weights)
        assert all((one != other).any() for one, other in combinations(weights, 2))
    assert np.linalg.matrix_rank(model.W_O) == V
    assert all(len(set(row)) == T for row in model.P)
    pair = MATRICES.ordinary
    assert np.linalg.matrix_rank(pair.first) == np.linalg.matrix_rank(pair.second) == len(pair.first)
    assert (pair.first @ pair.second != pair.second @ pair.first).any()
