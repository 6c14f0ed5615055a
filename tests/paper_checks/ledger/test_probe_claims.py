"""Decisions on probes change their verdict with the shares, the labels or the cases that they see."""

import numpy as np
import pytest
from planted import finding, of_poems, plant_in_table, verdict

from paper_checks.ledger.constructions import probes
from paper_checks.ledger.decisions import probe_methods, probe_results


def run(embedding):
    shares = {"embedding": embedding, "layer1": 0.94, "layer2": 0.88, "majority": 0.84 + embedding / 190}
    return {**shares, "loss": 4.1489 + embedding % 0.1}


def test_retrained_probes_decide():
    good, bad = [run(0.717), run(0.721)], [run(0.2), run(0.205)]
    for one in good:
        one.update(layer1=0.92 + one["embedding"] / 40, layer2=0.8 + one["embedding"] / 10)
    assert verdict("probe-table", of_poems("poems.probe", good)) == "holds_to_rounding"
    assert verdict("probe-table", of_poems("poems.probe", bad)) == "refuted"


def test_shares_of_more_positions_would_be_clear(monkeypatch):
    assert verdict("probe-significance") == "refuted"
    plant_in_table(monkeypatch, "poem-probes", "accuracy", embedding="0.7109")
    assert probe_results.smallest_positions() == 128
    assert verdict("probe-significance") == "holds"


def test_an_accuracy_that_is_not_below_the_majority_is_refuted():
    assert verdict("probe-five-percent", accuracy="96%") == "refuted"


def test_where_every_prediction_is_blind_the_inference_would_stand(monkeypatch):
    monkeypatch.setattr(probe_results, "information", lambda table: 0.0)
    assert verdict("probe-below-baseline-inference") == "holds"


def test_information_is_none_for_a_blind_and_all_for_a_perfect_prediction():
    assert probe_results.information(((1, 3), (3, 9))) == 0
    assert probe_results.information(((4, 0), (0, 4))) == 1


def test_every_confusion_of_an_accuracy_is_listed_once():
    tables = probe_results.confusions(right=23, positive=5, total=32)
    assert len(set(tables)) == len(tables) == 6
    assert all(hits + rejected == 23 for (hits, _), (_, rejected) in tables)


def test_positions_that_are_not_in_the_input_cannot_be_read(monkeypatch):
    read = probes.readable_positions
    monkeypatch.setattr(probes, "readable_positions", lambda seed, with_positions: read(seed, False))
    assert verdict("probe-position-not-cheating") == "holds"


def test_a_control_against_which_everything_stands_out_is_no_method(monkeypatch):
    monkeypatch.setattr(probe_methods, "CONTROLS", 1)
    real = probes.effect_of_removal
    calls = iter(range(10**6))
    # Blind directions are measured first; let the controls that follow have no effect.
    monkeypatch.setattr(
        probes,
        "effect_of_removal",
        lambda readout, w: real(readout, w) if next(calls) < probe_methods.DIRECTIONS else 0.0,
    )
    assert verdict("projection-control") == "refuted"


@pytest.mark.parametrize(
    ("blind", "low", "used", "counts", "expected"),
    [
        ([1.0] * 100, 49, 3.0, (100, 49), "method"),
        ([1.0] * 100, 50, 3.0, (100, 50), "refuted"),  # no fewer than half are let through
        ([1.0] * 100, 0, 2.0, (100, 0), "refuted"),  # the used one does no more than the best of the random
        (
            [1.0] * 99 + [0.0],
            49,
            3.0,
            (99, 49),
            "refuted",
        ),  # one that changes nothing does not raise the loss
        ([2.0] * 100, 49, 3.0, (100, 49), "method"),  # as much as the best of the random is not more
    ],
)
def test_directions_are_counted_that_do_more_than_each_random_one(
    monkeypatch, blind, low, used, counts, expected
):
    """Of 100 directions so many are compared with weak controls; the others have one of 2."""
    strong, weak = [0.5] * 18 + [2.0], [0.5] * 19
    effects = iter([*blind, *(one for k in range(100) for one in (weak if k < low else strong)), used])
    monkeypatch.setattr(probes, "effect_of_removal", lambda readout, direction: next(effects))
    found = finding("projection-control")
    told = (
        f"of 100 directions drawn blindly, {counts[0]} raise the loss and {counts[1]} raise it more than 19"
    )
    assert (found.verdict, found.computed[: len(told)]) == (expected, told)
    assert found.computed.endswith("does") == (used > 2)
    assert "once in 20." in found.derivation


def test_the_effect_of_a_removal_is_its_mean_over_activations():
    random = np.random.default_rng(0)
    readout, w = random.normal(size=(2, 8))
    h = random.normal(size=(4000, 8))
    changes = (h @ w / (w @ w) * (w @ readout)) ** 2
    error = 4 * changes.std() / np.sqrt(len(changes))
    assert abs(changes.mean() - probes.effect_of_removal(readout, w)) < error


@pytest.mark.parametrize(("year", "expected"), [("2019", "holds"), ("2020", "refuted")])
def test_the_year_and_the_labels_decide_on_the_control_task(monkeypatch, year, expected):
    assert verdict("probe-control-task", year=year) == "refuted"
    monkeypatch.setattr(probes, "accuracies", lambda seed, labels, representation: 0.5)
    assert verdict("probe-control-task", year=year) == expected


def test_selectivity_that_does_not_tell_the_cases_apart_defines_nothing(monkeypatch):
    monkeypatch.setattr(probes, "accuracies", lambda seed, labels, representation: 0.5)
    assert verdict("selectivity") == "refuted"


@pytest.mark.parametrize("both", [True, False])
def test_one_split_for_both_shows_no_inflation(monkeypatch, both):
    split = probes.split_accuracy
    monkeypatch.setattr(probes, "split_accuracy", lambda seed, by_sequence: split(seed, both))
    assert verdict("sequence-level-split") == "refuted"
