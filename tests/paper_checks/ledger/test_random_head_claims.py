"""Decisions on untrained heads change their verdict with the table, the rule or the head that they see."""

import numpy as np
import pytest
from planted import finding, plant_in_table, verdict

from paper_checks.ledger.constructions.implied_settings import implied
from paper_checks.ledger.decisions import random_comparisons, random_heads
from reference.model import softmax


def test_a_printed_head_that_no_initialisation_draws_is_found(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "random", entropy_range=["0.9578", "0.9601"])
    assert verdict("random-model-table") == "refuted"
    assert verdict("random-entropy-deficit") == "holds"


@pytest.mark.parametrize("spread", ["0.01", "0.03"])
def test_other_initial_weights_have_another_entropy(monkeypatch, spread):
    plant_in_table(monkeypatch, "poem-model", "model", spread=spread)
    assert verdict("random-entropy-deficit") == "refuted"


def test_the_second_order_of_the_entropy_is_that_of_small_scores():
    """The deficit of rows with random scores of a known variance, over four standard errors of their mean."""
    T, variance, draws = 24, 0.01, 400
    scores = np.random.default_rng(0).normal(0, np.sqrt(variance), (draws, T, T))
    entropies = []
    for matrix in scores:
        rows = [softmax(matrix[i, : i + 1]) for i in range(1, T)]
        entropies.append(sum(-(row * np.log(row)).sum() / np.log(len(row)) for row in rows) / T)
    deficit = (T - 1) / T - np.array(entropies)
    expected = variance * random_heads.deficit_per_variance(T)
    # Of order four in the scores, the next term is smaller by about the variance.
    allowed = 4 * deficit.std() / np.sqrt(draws) + 4 * variance * expected
    assert abs(deficit.mean() - expected) < allowed < expected / 4


def test_previous_weights_away_from_the_closed_form_are_refuted(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "random", previous=["0.118", "0.119"])
    assert verdict("random-previous-baseline") == "refuted"


def test_a_measure_at_one_length_is_insensitive_to_it():
    assert verdict("relative-diagonal", lengths=["24", "24"]) == "holds"
    assert verdict("relative-diagonal", lengths=["24", "25"]) == "refuted"


def test_rules_in_another_order_give_another_label():
    rules = [["diagonal", "0.1", "itself and the previous token"]]
    assert verdict("random-diag-label", rules=rules) == "holds"
    assert verdict("random-diag-label", rules=[]) == "refuted"


def test_a_narrower_range_of_trained_diagonals_is_not_hundreds_of_times_wider(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "profile", diagonal=["0.150", "0.169"])
    assert verdict("diagonal-range-ratio") == "refuted"


@pytest.mark.parametrize(
    ("untrained", "told"),
    [
        (["0.9578", "0.9579"], "at least 2,880 as they are rounded, which leaves 5,000 open."),
        (["0.9578", "0.9598"], "at least 274 and at most 304 as they are rounded, which excludes 5,000."),
        (
            ["0.957800", "0.957802"],
            "at least 192,000 and at most 578,000 as they are rounded, which excludes 5,000.",
        ),
    ],
)
def test_what_the_spans_of_entropies_leave_open_is_what_their_rounding_does(monkeypatch, untrained, told):
    plant_in_table(monkeypatch, "poem-model", "random", entropy_range=untrained)
    assert finding("entropy-range-ratio").convention.endswith(told)


def test_small_entropies_at_early_positions_would_bear_the_cause_out(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "entropy_by_position", L0H0=["-9", "0", "0", "0", "0"])
    assert verdict("early-positions-low-entropy") == "holds"


def test_rows_masked_after_the_softmax_change_when_renormalised(monkeypatch):
    monkeypatch.setattr(random_comparisons, "causal_softmax", lambda scores: np.tril(softmax(scores)))
    assert verdict("row-renormalisation") == "refuted"


@pytest.mark.parametrize(
    ("metric", "printed", "told"),
    [
        ("entropy", "0.958", "at T = 24 only"),
        ("diagonal", "0.157", "at T = 24 only"),
        ("previous", "0.116", "at T = 24 only"),
        ("previous", "0.115", "No length to 256 gives"),
        ("distance", "6", "at T = 23 to 27 or T = 22 to 26 without row 0 only"),
        ("induction", "0.0284", "at T = 64, period 16 only"),
    ],
)
def test_a_printed_value_tells_which_length_period_and_row_0_it_has(metric, printed, told):
    assert told in implied(metric, printed)


@pytest.mark.parametrize(
    ("claim_id", "told"),
    [
        ("random-entropy-baseline", "at T = 24 only"),
        ("random-diagonal-baseline", "at T = 24 only"),
        ("random-previous-baseline", "at T = 24 only"),
        ("uniform-mean-distance", "at T = 23 to 27 or"),
        ("induction-random-baseline", "at T = 64, period 16 only"),
    ],
)
def test_decisions_on_printed_values_say_so(claim_id, told):
    assert told in finding(claim_id).derivation
