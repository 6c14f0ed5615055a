"""Decisions on induction change their verdict with the rule, the weights or the sequences that they see."""

import numpy as np
import pytest
from planted import plant_in_table, verdict

from paper_checks.ledger.constructions import induction
from paper_checks.ledger.decisions import induction_mechanism, induction_scores
from properties.tolerances import rounding


@pytest.fixture
def no_previous_token_head(monkeypatch):
    """Let the construction lose its first head, which then attends uniformly."""
    built = induction.two_layers

    def without(symbols, length, latest):
        model = built(symbols, length, latest)
        return {**model, "P": model["P"] * np.array([[0.0], [1.0]])}

    monkeypatch.setattr(induction, "two_layers", without)


@pytest.mark.usefixtures("no_previous_token_head")
@pytest.mark.parametrize(
    "claim",
    ["induction-definition", "two-layer-construction", "ideal-induction-score", "j-versus-jplus1"],
)
def test_without_its_first_head_the_construction_holds_nothing(claim):
    assert verdict(claim) == "refuted"


@pytest.mark.parametrize("claim", ["induction-extra-offset", "induction-key-xi-minus-1"])
def test_the_right_key_and_offset_hold(claim):
    assert verdict(claim, key="current", offset="0") == "holds"


def test_right_walkthroughs_hold():
    assert verdict("induction-walkthrough", output="B") == "holds"
    right = {"tokens": {"7": "D", "6": "C"}, "position": "4"}
    assert verdict("induction-walkthrough-neighbours", **right) == "holds"
    assert verdict("induction-walkthrough-neighbours", **{**right, "position": "3"}) == "refuted"


@pytest.mark.parametrize("other", [("acdba", "dbacc"), ("abdca", "dcaba")])
def test_sequences_that_one_head_can_tell_apart_prove_nothing(monkeypatch, other):
    monkeypatch.setattr(induction_mechanism, "WANT_C", other)
    assert verdict("induction-two-layers") == "refuted"


@pytest.mark.parametrize("seed", range(3))
def test_one_layer_of_many_heads_predicts_every_position(seed):
    tokens = induction.unrelated(seed, symbols=4, length=20)
    right = induction.wanted(tokens)
    assert induction.accuracy(induction.many_heads(tokens, symbols=4), right) == 1
    assert induction.accuracy(induction.many_heads(tokens, symbols=4)[:, ::-1], right) < 1


def test_models_reported_of_enough_layers_only_hold_with_no_construction(monkeypatch):
    reported = [["24", "a large model"]]
    assert verdict("induction-needs-large-model", reported=reported) == "refuted"
    monkeypatch.setattr(induction, "two_layers", lambda s, t, latest: induction.at_distance(s, t, 1))
    assert verdict("induction-needs-large-model", reported=reported) == "holds"


@pytest.fixture
def wrong_distance(monkeypatch):
    """Let the head at a fixed distance look one further back than the period asks for."""
    built = induction.at_distance
    monkeypatch.setattr(induction, "at_distance", lambda s, t, d: built(s, t, d + 1))


@pytest.mark.usefixtures("wrong_distance")
def test_without_a_head_that_copies_by_position_the_claims_would_stand():
    assert verdict("cyclic-forces-induction") == "holds"
    assert verdict("one-layer-stuck-at-logV") == "holds_to_rounding"


def test_a_measured_baseline_off_the_closed_form_could_not_be_told_beforehand():
    assert verdict("induction-baseline-guessable", measured="0.0301") == "holds"


def test_measured_heads_nearer_to_one_over_i_would_bear_it_out(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "induction", random=["0.0294"] * 8)
    assert verdict("induction-uniform-1-over-i") == "holds"


def test_a_trained_head_above_the_baseline_is_seen(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "induction", trained=["0.0007", "0.0286"])
    assert verdict("no-induction-head") == "refuted"


def test_the_score_of_even_attention_is_the_closed_form():
    tokens = induction.repeated(0, symbols=8, period=6, repeats=4)
    model = induction.two_layers(8, tokens.shape[1] - 1, latest=False)
    score = induction_scores.induction_score(induction.last_map(model, tokens), 6)
    assert abs(score - (1 + 1 / 2 + 1 / 3) / 3) <= rounding(1.0, len(tokens[0]), "float64")


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([0.02, 0.6], "holds"), ([0.02, 0.04], "inconclusive"), ([0.03, 0.29], "inconclusive")],
)
def test_trained_scores_decide(scores, expected):
    runs = [{"layers": 1, "scores": [0.9]}, {"layers": 2, "scores": scores}, {"layers": 4, "scores": [0.7]}]
    assert verdict("trained-cyclic-score", {"induction.random_period": {"runs": runs}}) == expected
