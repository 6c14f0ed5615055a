"""What is said of a checkpoint of a few words: its numbers, and what explains the verdict or does not."""

import numpy as np
import pytest

from properties.checkpoint import MOST_RATE, Training, judge
from properties.checkpoint_bands import FEWEST_SEQUENCES, known_terms, sampling_errors
from properties.predictions.alignment import MOST_STEPS
from properties.predictions.expansion import expansion
from properties.tolerances import rounding
from reference import pair_sums
from reference.alignment import singular_directions
from reference.corpus import Corpus
from reference.descent import train
from reference.errors import InputError

WORDS, LAYERS, STEPS, RATE = 30, 2, 6, 0.3
TOKENS = np.random.default_rng(0).integers(WORDS, size=(FEWEST_SEQUENCES, 13))


def of(tokens, words=WORDS):
    return Corpus(tokens, tuple(map(str, range(words))), "a few words")


def verdicts(folder, weights, corpus=None, seed=0, sums=pair_sums, **changes):
    """The results for these weights by the name of each weight and layer."""
    np.savez(folder / "weights.npz", **weights)
    training = Training(**{"rate": RATE, "steps": STEPS, **changes})
    found = judge(folder / "weights.npz", corpus or of(TOKENS), training, seed=seed, sums=sums)
    return {result.check.removeprefix("checkpoint."): result for result in found}


def slips(found):
    return {name: result.counterexample.get("looks_like") for name, result in found.items()}


def trained(rate=RATE, steps=STEPS):
    return train(TOKENS, WORDS, LAYERS, rate, steps)


def cosine(first, second):
    return (first * second).sum() / np.linalg.norm(first) / np.linalg.norm(second)


def test_what_is_measured_of_each_layer_is_about_its_leading_term(tmp_path):
    weights, terms = trained(), expansion(TOKENS, WORDS)
    found = verdicts(tmp_path, weights)
    assert {result.result for result in found.values()} == {"passed"}
    for layer in range(LAYERS):
        weight = weights["W"][layer]
        leading, following = known_terms("W", terms["W"], RATE, STEPS, layer, LAYERS)
        size = np.linalg.norm(leading)
        expected = {
            "relative error to the leading term": np.linalg.norm(weight - leading) / size,
            "cosine with the leading term": cosine(weight, leading),
            "cosine of a rank-one matrix": singular_directions(leading, 1).best_rank_one,
        }
        told = found[f"W_{layer}"].measurements[f"W of layer {layer}"]
        exactly = rounding(1.0, WORDS**2, "float64")
        assert {name: told[name] for name in expected} == pytest.approx(expected, rel=exactly, abs=0)
        assert abs(cosine(weight, leading + following) - told["cosine with the leading term"]) > exactly
        band = sum(told["band"].values())
        error = np.linalg.norm(weight - leading - following) / size
        assert found[f"W_{layer}"].error_over_bound == pytest.approx(error / band, rel=exactly / band, abs=0)
    assert found["P_0"].measurements["P of layer 0"]["cosine of a rank-one matrix"] is None


def test_only_what_failed_is_explained(tmp_path):
    """Six steps told as seven: of some weights nothing can be said any more, and others are within."""
    found = verdicts(tmp_path, trained(rate=4.5), rate=4.5, steps=STEPS + 1)
    assert {result.result for result in found.values()} == {"failed", "passed", "not_applicable"}
    for result in found.values():
        assert (result.counterexample is not None) == (result.result == "failed")
        assert result.cases == (result.result != "not_applicable")
    (failed,) = (result for result in found.values() if result.result == "failed")
    assert f"for the rate 4.5 and {STEPS} steps" in failed.counterexample["diagnosis"]


def test_a_band_that_only_the_sampling_widens_says_nothing_either(tmp_path):
    found = verdicts(tmp_path, trained(), trained_on=10**6)
    assert {result.result for result in found.values()} == {"not_applicable"}
    assert all("too wide to say anything" in result.note for result in found.values())


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"rate": 2 * MOST_RATE}, "--rate is 2e"), ({"steps": MOST_STEPS + 1}, "--steps is 10,000,001")],
)
def test_a_training_that_nobody_makes_is_refused(tmp_path, changes, told):
    with pytest.raises(InputError, match=told):
        verdicts(tmp_path, trained(), **changes)


def test_the_rate_that_explains_a_checkpoint_is_told_to_two_digits(tmp_path):
    found = verdicts(tmp_path, trained(rate=0.32))
    assert {result.result for result in found.values()} == {"failed"}
    told = {result.counterexample["diagnosis"] for result in found.values()}
    assert told == {f"It is what is predicted for the rate 0.32 and {STEPS} steps: check --rate and --steps."}


def test_the_command_that_shows_a_verdict_again_has_every_digit_of_the_rate(tmp_path):
    rate = RATE + rounding(RATE, 1, "float64")
    found = verdicts(tmp_path, trained(), rate=rate)
    assert all(result.command.endswith(f" --rate {rate!r} --steps {STEPS}") for result in found.values())


def test_what_has_not_moved_after_so_few_steps_is_told_by_its_largest_entry(tmp_path):
    weights = trained(steps=1)
    weights["W"][0, 1, 2] = -0.5
    found = verdicts(tmp_path, weights, steps=1)
    assert {name for name, result in found.items() if result.result == "failed"} == {"W_0"}
    assert found["W_0"].counterexample["got"] == 0.5


def test_weights_that_are_zero_are_those_of_no_rate(tmp_path):
    found = verdicts(tmp_path, {name: 0 * weight for name, weight in trained().items()})
    assert set(slips(found).values()) == {"all zero"}


@pytest.mark.parametrize(
    ("group", "name", "slip"),
    [
        ("P", "P_0", lambda P: P[:, ::-1]),
        ("W", "W_0", lambda W: -W.swapaxes(1, 2)),
        ("V", "V_0", lambda V: V / 2),
        ("W_O", "W_O", lambda W_O: 1e100 * W_O),
    ],
)
def test_how_a_weight_alone_would_be_right_is_told(tmp_path, group, name, slip):
    weights = trained()
    found = verdicts(tmp_path, {**weights, group: slip(weights[group])})
    told = {"P": "reversed", "W": "transposed and negated", "V": "scaled", "W_O": "scaled"}
    assert {one for one, result in found.items() if result.result == "failed"} >= {name}
    assert found[name].counterexample["looks_like"] == told[group]


def test_a_corpus_without_leading_terms_says_nothing(tmp_path):
    tokens = np.zeros_like(TOKENS)
    found = verdicts(tmp_path, train(tokens, 1, LAYERS, RATE, STEPS), of(tokens, 1))
    assert {result.result for result in found.values()} == {"not_applicable"}
    assert found["V_1"].note == "the corpus has no leading term of V"


def test_the_seed_is_that_of_the_sample_and_the_sums_are_those_given(tmp_path):
    asked = []

    class Counted:
        def __getattr__(self, name):
            asked.append(name)
            return getattr(pair_sums, name)

    trained_on = FEWEST_SEQUENCES + 1
    found = verdicts(tmp_path, trained(), seed=5, sums=Counted(), trained_on=trained_on)
    band = found["W_O"].measurements["W_O"]["band"]
    assert band["sampling"] == sampling_errors(of(TOKENS), trained_on, 5)["W_O"]
    assert {"shares", "evidence"} <= {*asked}
