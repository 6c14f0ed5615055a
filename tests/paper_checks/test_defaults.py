"""A default is never an error: of a short text as many sequences are taken as there are, and it is said."""

import json

import pytest
from calling import called

from paper_checks.commands.sampling import sizes
from paper_checks.reproduction.plan import LEAST_SAMPLE, Plan, sized
from properties.predictions.random_groups import FEWEST_GROUPS
from reference.errors import InputError
from reference.stories import stories


@pytest.fixture
def short(tmp_path):
    """A folder with a text of five sequences."""
    (tmp_path / "five.txt").write_text("\n<|endoftext|>\n".join(stories(5, seed=1)), encoding="utf-8")
    return tmp_path


def told(folder, *arguments):
    done = called(*arguments, "--length", "6", "--json", "out.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split()), json.loads((folder / "out.json").read_text())


def test_behaviour_measures_on_all_sequences_of_a_short_text(short):
    text, made = told(short, "behaviour", "five.txt", "--steps", "3", "--layers", "1")
    assert "loss on 5 of 5 sequences" in text
    assert made["sequences"] == 5


def test_alignment_draws_as_many_samples_as_there_are_sequences(short):
    text, made = told(short, "alignment", "five.txt")
    assert "5 samples, dealt out at random" in text
    assert made["samples"] == 5


@pytest.mark.parametrize(
    ("given", "statistics", "training"),
    [
        ([], "2,048", "65,536"),
        (["--training-sample", "100"], "100", "100"),
        (["--statistics-sample", "100000"], "100,000", "100,000"),
    ],
)
def test_a_sample_that_is_given_moves_the_one_that_is_not(short, given, statistics, training):
    text, _ = told(short, "predict", "five.txt", *given)
    assert f"trained on {training} sequences with statistics of {statistics}," in text


@pytest.mark.parametrize("disjoint", [False, True])
@pytest.mark.parametrize("there_are", [14, 27, 60, 223, 224, 240, 1000])
def test_two_trials_of_samples_fit_in_a_text(there_are, disjoint):
    sample, training, groups, size = sizes(there_are, None, None, None, None, disjoint=disjoint)
    assert 1 <= size <= sample <= training
    assert groups >= FEWEST_GROUPS
    assert 2 * (groups * size + training + sample * disjoint) <= there_are


def test_a_long_text_has_the_samples_that_the_help_names():
    assert sizes(1000, None, None, None, None, disjoint=False) == (8, 16, 12, 8)
    assert sizes(1000, 32, None, None, None, disjoint=False) == (32, 64, 12, 32)
    assert sizes(1000, None, None, None, 20, disjoint=False) == (20, 40, 12, 20)
    assert sizes(1000, None, 4, None, None, disjoint=False) == (4, 4, 12, 4)
    assert sizes(1000, 9, 10, 11, 5, disjoint=True) == (9, 10, 11, 5)


def test_a_plan_takes_as_many_sequences_as_there_are():
    whole = Plan()
    assert sized(whole, None, None, 1000) == whole
    assert (sized(whole, None, None, 40).sequences, sized(whole, None, None, 40).sample) == (40, 10)
    assert sized(whole, None, 100, 1000).sequences == 400
    assert sized(whole, 100, None, 1000).sample == 25
    assert sized(whole, None, None, 4 * LEAST_SAMPLE).sample == LEAST_SAMPLE
    with pytest.raises(InputError, match=r"There are 31 sequences, and 32 or more are needed; give a longer"):
        sized(whole, None, None, 4 * LEAST_SAMPLE - 1)
