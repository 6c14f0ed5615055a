"""`leadterms sampling`: what its table counts, and how it ends where an interval fails or none is known."""

import json
import math
import re

import pytest
from calling import called

from properties.predictions import sampling_trial
from properties.predictions.random_groups import noise_of_part
from properties.predictions.sampling import Noise
from properties.predictions.sampling_trial import Outcome, Trial
from properties.predictions.variance_ratio import UNKNOWN
from reference.statistics import statistics

FEW = ("--length", "2", "--sample", "1", "--training-sample", "1", "--groups", "4")


def told(trials, distance, monkeypatch, tmp_path):
    """Return the ended command where every weight has these trials."""

    def tried(*arguments, **named):
        return {group: Outcome(tuple(trials), distance, 0.2) for group in ("W_O", "V")}

    monkeypatch.setattr(sampling_trial, "tried", tried)
    return called("sampling", "--length", "6", "--json", "s.json", cwd=tmp_path)


GOOD = [Trial(0.5, 0.25, 0.75, 0.5, 0.5), Trial(0.25, 0.125, 0.5, 0.75, 0.99)]
NONE = Trial(math.nan, math.nan, math.nan, 0.5, math.nan)


def test_the_table_counts_the_draws_in_their_intervals(monkeypatch, tmp_path):
    done = told(GOOD, 0.1, monkeypatch, tmp_path)
    assert done.returncode == 0
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("V "))
    assert row.split() == ["V", "3.750e-01", "6.250e-01", "1", "of", "2", "0", "0.100", "0.200", "holds"]
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert json.loads((tmp_path / "s.json").read_text())["weights"]["V"]["holds"]


def test_intervals_that_are_not_those_of_the_draws_end_with_one(monkeypatch, tmp_path):
    done = told(GOOD, 0.3, monkeypatch, tmp_path)
    assert done.returncode == 1
    assert "DOES NOT HOLD" in done.stdout


def test_trials_without_an_interval_are_not_counted_as_missed(monkeypatch, tmp_path):
    """Where no weight has all of them nothing was tried, which is the call's fault and no success."""
    done = told([*GOOD, NONE], math.nan, monkeypatch, tmp_path)
    assert done.returncode == 2
    (row,) = (line for line in done.stdout.splitlines() if line.startswith("V "))
    assert row.split() == ["V", "3.750e-01", "6.250e-01", "1", "of", "2", "0", "0.200", "not", "known"]
    assert "too small to have a direction" in " ".join(done.stderr.split())
    assert json.loads((tmp_path / "s.json").read_text())["weights"]["V"]["trials"][2]["place"] is None


def test_samples_may_be_disjoint_from_what_is_trained_on(monkeypatch, tmp_path):
    asked = []

    def tried(*arguments, nested, **named):
        asked.append(nested)
        return {"V": Outcome(tuple(GOOD), 0.1, 0.2)}

    monkeypatch.setattr(sampling_trial, "tried", tried)
    assert "part of 16" in " ".join(called("sampling", cwd=tmp_path).stdout.split())
    assert "none of them 16" in " ".join(called("sampling", "--disjoint", cwd=tmp_path).stdout.split())
    assert asked == [True, False]


def test_samples_of_two_words_end_with_a_sentence(tmp_path):
    done = called("sampling", *FEW, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search("Give a larger --sample", " ".join(done.stderr.split()))


def test_a_part_that_no_noise_turns_so_far_has_none():
    """Of a share q of the whole a part is turned by less than tan^2 = 1/q - 1, whatever the noise."""
    import numpy as np

    whole = np.array([1.0, 0.0])
    assert noise_of_part(np.array([1.0, 0.5]), whole, 0.5) == pytest.approx(0.25 / (1 - 0.5 * 1.25))
    assert math.isnan(noise_of_part(np.array([1.0, 1.0]), whole, 0.5))
    assert math.isnan(noise_of_part(np.array([1.0, 2.0]), whole, 0.5))
    assert math.isnan(Noise(math.nan, math.nan, math.nan, UNKNOWN).cosine(2, 4, nested=True)[0])
    tokens = np.array([[0, 1], [1, 0], [0, 0], [1, 1]] * 4)
    sampling_trial.tried(
        tokens, 2, sample=1, whole=1, groups=4, group_size=1, nested=True, seed=0, statistics=statistics
    )


@pytest.mark.parametrize("command", ["sampling", "probe", "alignment", "behaviour", "story", "reproduce"])
def test_a_seed_below_zero_is_refused(command, tmp_path):
    done = called(command, "--seed", "-1", cwd=tmp_path)
    assert done.returncode == 2
    told = " ".join(done.stderr.split())
    assert "--seed" in told
    assert "greater than or equal to 0" in told


def test_a_text_of_one_word_has_empty_cells(tmp_path):
    """Its statistics vanish: there is no direction, and no cosine, and that is no number."""
    (tmp_path / "a.txt").write_text("a " * 12)
    few = ("a.txt", "--length", "2", "--layout", "stream")
    for call in (
        ("alignment", *few, "--samples", "2"),
        ("behaviour", *few, "--sequences", "2", "--steps", "3"),
    ):
        done = called(*call, cwd=tmp_path)
        assert done.returncode == 0
        assert "nan" not in done.stdout
