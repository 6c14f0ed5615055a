"""The torch statistics against reference, against their own identities, and in their treatment of numbers."""

import numpy as np
import pytest
import torch
from gpu_corpora import SHAPES, corpus

import gpu.statistics as torch_statistics
from gpu.implementation import Gpu
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES)
def test_equal_to_reference_within_the_rounding_bound(shape, dtype):
    tokens, V = corpus(*shape), shape[2]
    found, expected = Gpu(dtype).statistics(tokens, V), statistics(tokens, V)
    magnitudes = statistics_magnitudes(tokens, V)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name].dtype == dtype
        assert found[name].shape == value.shape
        # Both sides round: the reference in float64, the other in its own type.
        allowed = magnitudes[name].bound(dtype) + magnitudes[name].bound("float64")
        assert (np.abs(found[name] - value) <= allowed).all(), name


def test_float32_output_is_the_float64_sum_rounded_once():
    tokens = corpus(40, 30, 6)
    wide, narrow = Gpu("float64").statistics(tokens, 6), Gpu("float32").statistics(tokens, 6)
    for name, value in wide.items():
        np.testing.assert_array_equal(narrow[name], value.astype(np.float32))


@pytest.mark.parametrize("run", [1, 4, 7])
def test_batches_change_nothing_but_rounding(monkeypatch, run):
    tokens = corpus(30, 9, 7)
    whole = Gpu().statistics(tokens, 7)
    monkeypatch.setattr(torch_statistics, "PAIRS_AT_ONCE", run * 9 * 10 // 2)
    parts = list(torch_statistics.batches(torch.tensor(tokens)))
    assert len(parts) == -(-30 // run)
    np.testing.assert_array_equal(torch.cat(parts).numpy(), tokens)
    for name, magnitude in statistics_magnitudes(tokens, 7).items():
        difference = np.abs(Gpu().statistics(tokens, 7)[name] - whole[name])
        assert (difference <= 2 * magnitude.bound("float64")).all(), name


def test_a_second_call_returns_the_same_bits():
    tokens = corpus(50, 40, 9)
    once, again = Gpu().statistics(tokens, 9), Gpu().statistics(tokens, 9)
    for name, value in once.items():
        np.testing.assert_array_equal(value, again[name])


def test_counts_are_whole_until_the_last_rounding():
    tokens = corpus(20, 10, 4)
    N, T, V = 20, 10, 4
    count = np.zeros((V, V), dtype=int)
    for here, after in zip(tokens[:, :-1].ravel(), tokens[:, 1:].ravel(), strict=True):
        count[here, after] += 1
    exact = (V * count - count.sum(axis=1, keepdims=True)) / (V * N * T)
    np.testing.assert_array_equal(Gpu().statistics(tokens, V)["B_bar"], exact)


def test_unseen_tokens_have_empty_rows_and_columns():
    tokens, V = corpus(3, 8, 4), 9
    found = Gpu().statistics(tokens, V)
    unseen = np.setdiff1d(np.arange(V), tokens)
    assert unseen.size
    assert not found["B_bar"][unseen].any()
    assert not found["Phi_bar"][:, unseen].any()
    assert not found["Q_bar"][unseen].any()
    assert not found["Q_bar"][:, unseen].any()


@pytest.mark.parametrize("as_given", [lambda t: t.tolist(), lambda t: t.astype(np.uint16)])
def test_takes_what_numpy_takes(as_given):
    tokens = corpus(4, 6, 5)
    found, expected = Gpu().statistics(as_given(tokens), 5), Gpu().statistics(tokens, 5)
    np.testing.assert_array_equal(found["Q_bar"], expected["Q_bar"])


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (np.zeros((2, 3)), "whole numbers"),
        (np.zeros(3, dtype=np.int64), "axes"),
        (np.zeros((2, 1), dtype=np.int64), "predict nothing"),
        (np.zeros((0, 5), dtype=np.int64), "predict nothing"),
        (np.array([[0, 5]]), "outside the vocabulary"),
        (np.array([[0, -1]]), "outside the vocabulary"),
    ],
)
def test_bad_tokens_are_named(tokens, words):
    with pytest.raises(InputError, match=words):
        Gpu().statistics(tokens, 5)


def test_tokens_are_not_written_to():
    tokens = corpus(4, 6, 5)
    tokens.flags.writeable = False
    Gpu().statistics(tokens, 5)
