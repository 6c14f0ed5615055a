"""What the benchmarks compare with is right, and a missed target shows."""

import json

import numpy as np
import pytest
import torch
from gpu_corpora import SHAPES, corpus

from benchmarks.dense_statistics import dense_statistics
from benchmarks.measuring import Record, Target
from benchmarks.synthetic_text import following_tokens, zipf_tokens
from properties.statistics_bounds import statistics_magnitudes
from reference.statistics import statistics


@pytest.mark.parametrize("shape", SHAPES)
def test_the_dense_algorithm_computes_the_statistics(shape):
    tokens, V = corpus(*shape), shape[2]
    found, magnitudes = dense_statistics(torch.tensor(tokens), V), statistics_magnitudes(tokens, V)
    for name, value in statistics(tokens, V).items():
        bound = magnitudes[name].bound("float32") + magnitudes[name].bound("float64")
        assert (np.abs(found[name].numpy() - value) <= bound).all(), name


@pytest.mark.parametrize("made", [zipf_tokens, following_tokens])
def test_synthetic_tokens_are_frequent_first_and_reproducible(made):
    tokens = made(50, 200, 300, seed=1)
    count = np.bincount(tokens.ravel(), minlength=300)
    assert count[:10].sum() > count[10:100].sum() / 2 > count[200:].sum() / 2
    np.testing.assert_array_equal(tokens, made(50, 200, 300, seed=1))


@pytest.mark.parametrize(("value", "status"), [(0.5, 1), (1.0, 0), (1.5, 0), (2.5, 1), (float("nan"), 1)])
def test_a_record_says_whether_its_targets_are_met(value, status, tmp_path, capsys):
    record = Record("example", targets=[Target("ratio", value, at_least=1.0, at_most=2.0)])
    assert record.finish(tmp_path / "record.json") == status
    written = json.loads((tmp_path / "record.json").read_text())
    assert [target["met"] for target in written["targets"]] == [status == 0]
    assert ("MISSED" in capsys.readouterr().out) == (status == 1)


def test_a_record_without_targets_is_a_failure():
    assert Record("example").finish(None) == 1
