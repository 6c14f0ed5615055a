"""Statistics for a large vocabulary: the same numbers as the dense ones, kept where words have met."""

from itertools import pairwise

import numpy as np
import pytest
from gpu_corpora import SHAPES, corpus

from gpu import compiled, positions
from gpu.sparse_statistics import met_entries_of_G_bar, sparse_statistics
from gpu.tokens import Parts
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics

needs_numba = pytest.mark.skipif(not compiled.available(), reason="numba is not installed")


@needs_numba
@pytest.mark.parametrize("shape", SHAPES)
def test_equal_to_reference_within_the_rounding_bound(shape):
    tokens, V = corpus(*shape), shape[2]
    expected = statistics(tokens, V)
    # Both sides round.
    bound = {name: 2 * m.bound("float64") for name, m in statistics_magnitudes(tokens, V).items()}
    for positions_at_once in (1, 1000):
        found = sparse_statistics(Parts(tokens, positions_at_once), V, threads=2)
        got = {
            "Q_bar": found.Q_bar.toarray(),
            "Delta_bar": found.Delta_bar,
            "B_bar": np.array([found.B_bar_row(current) for current in range(V)]),
            "Phi_bar": np.array([found.Phi_bar_column(context) for context in range(V)]).T,
        }
        for name, value in got.items():
            assert (np.abs(value - expected[name]) <= bound[name]).all(), name
        met = met_entries_of_G_bar(found.count, found.share, found.positions, threads=2)
        where = found.share.toarray() > 0
        difference = np.abs(met.toarray() - np.where(where, expected["G_bar"], 0))
        assert (difference <= bound["G_bar"]).all()


@needs_numba
def test_entries_are_where_words_have_met():
    tokens, V = corpus(4, 6, 40), 40
    found = sparse_statistics([tokens], V)
    pairs = {(s[t], s[k]) for s in tokens for t in range(6) for k in range(t + 1)}
    targets = {(s[t + 1], s[k]) for s in tokens for t in range(6) for k in range(t + 1)}
    assert set(zip(*found.share.nonzero(), strict=True)) == targets
    assert set(zip(*found.Q_bar.nonzero(), strict=True)) <= pairs
    assert found.count.sum() == 4 * 6
    assert found.sequences == 4


@needs_numba
@pytest.mark.parametrize("threads", [2, 5])
def test_any_number_of_threads_gives_the_same_bits(threads):
    tokens = corpus(40, 30, 50)
    one, many = (sparse_statistics([tokens], 50, threads=n) for n in (1, threads))
    np.testing.assert_array_equal(many.Delta_bar, one.Delta_bar)
    for ours, theirs in ((one.Q_bar, many.Q_bar), (one.share, many.share)):
        np.testing.assert_array_equal(ours.data, theirs.data)
        np.testing.assert_array_equal(ours.indices, theirs.indices)
        np.testing.assert_array_equal(ours.indptr, theirs.indptr)


@needs_numba
@pytest.mark.parametrize("shape", SHAPES)
def test_positions_of_equal_keys_stay_in_the_order_in_which_they_come(shape):
    tokens, V = corpus(*shape).astype(np.uint32), shape[2]
    order = positions.all_positions(tokens)
    for sort, keys in ((positions.by_target, tokens[:, 1:]), (positions.by_current, tokens[:, :-1])):
        stable = order[np.argsort(keys, axis=None, kind="stable")]
        np.testing.assert_array_equal(sort(tokens, order, V).positions, stable)


@needs_numba
def test_shares_are_added_in_the_order_of_the_corpus():
    """In another order their last bits differ, by any threads and processes alike: these do not show it."""
    tokens, V = corpus(40, 30, 50), 50
    plain = np.zeros((V, V))
    for s in tokens:
        for t in range(30):
            np.add.at(plain[s[t + 1]], s[: t + 1], 1 / (t + 1))
    np.testing.assert_array_equal(sparse_statistics([tokens], V).share.toarray(), plain)


@needs_numba
@pytest.mark.parametrize("positions_at_once", [1, 60, 1200])
def test_a_row_has_each_column_once_and_they_rise(positions_at_once):
    found = sparse_statistics(Parts(corpus(40, 30, 50), positions_at_once), 50)
    for matrix in (found.count, found.share, found.Q_bar):
        for first, end in pairwise(matrix.indptr):
            assert (np.diff(matrix.indices[first:end]) > 0).all()


@needs_numba
def test_more_columns_than_are_made_dense_at_once(monkeypatch):
    tokens, V = corpus(6, 9, 30), 30
    whole = sparse_statistics([tokens], V)
    monkeypatch.setattr("gpu.sparse_statistics.COLUMNS_AT_ONCE", 7)
    bound = statistics_magnitudes(tokens, V)["Q_bar"].bound("float64")
    difference = np.abs(sparse_statistics([tokens], V).Q_bar.toarray() - whole.Q_bar.toarray())
    assert (difference <= 2 * bound).all()


@needs_numba
@pytest.mark.parametrize("stopped_at", [1, 2, 4, 5, 8])
def test_a_run_stopped_after_any_part_resumes_to_the_same_bits(stopped_at, tmp_path):
    parts, saved = Parts(corpus(8, 7, 9), 14), tmp_path / "progress.safetensors"
    expected, seen = sparse_statistics(parts, 9), []

    def stop(which, sequences):
        seen.append((which, sequences))
        if len(seen) == stopped_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sparse_statistics(parts, 9, saved=saved, seconds_between_saves=0.0, told=stop)
    assert saved.exists() == (stopped_at > 1)
    found = sparse_statistics(parts, 9, saved=saved, told=lambda *told: seen.append(told))
    # The part that was being told about was not saved yet.
    assert len(seen) == 4 * 2 + 1
    np.testing.assert_array_equal(found.Delta_bar, expected.Delta_bar)
    for name in ("count", "share", "Q_bar"):
        ours, theirs = getattr(found, name), getattr(expected, name)
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(ours, part), getattr(theirs, part))


@needs_numba
def test_progress_is_told():
    told = []
    sparse_statistics(Parts(corpus(5, 3, 4), 6), 4, told=lambda *one: told.append(one))
    assert told == [(1, 2), (1, 4), (1, 5), (2, 2), (2, 4), (2, 5)]


@needs_numba
@pytest.mark.parametrize(
    ("parts", "words"),
    [([], "no part"), (iter([corpus(2, 3, 5)]), "only once"), ([corpus(2, 3, 9) + 5], "outside")],
)
def test_parts_that_cannot_be_counted_are_named(parts, words):
    with pytest.raises(InputError, match=words):
        sparse_statistics(parts, 5)


def test_without_numba_there_is_a_sentence(monkeypatch):
    monkeypatch.setattr(compiled, "available", lambda: False)
    with pytest.raises(InputError, match="numba"):
        sparse_statistics([corpus(2, 3, 5)], 5)
