"""Experiments on repeated blocks and circuits, shortened: what they must find, whatever the seed."""

import pytest

pytest.importorskip("torch", reason="experiments train models")

from paper_checks.experiments.registry import run_experiments
from paper_checks.experiments.result import assessments, read_outcomes, write_outcomes


def by_name(outcome):
    return {one.name: one.value for one in outcome.quantities}


@pytest.mark.deep
def test_one_period_is_solved_by_position_and_many_not_by_one_layer():
    found = {
        one.experiment: one
        for one in run_experiments("quick", 0, ["induction.fixed_period", "induction.one_layer"])
    }
    for one in found.values():
        assert one.met, f"{one.experiment}: {one.verdict}"
    one_layer = by_name(found["induction.one_layer"])
    assert one_layer["floor, no positions"] < one_layer["loss, no positions"]
    assert one_layer["floor, one head"] < one_layer["loss, one head"]


def test_blocks_and_circuits(tmp_path):
    """Many periods are solved by matching; the circuit is cut at its keys and nowhere else."""
    names = ["induction.random_period", "induction.emergence"]
    outcomes = run_experiments("quick", 0, [*names, "circuits"])
    found = {outcome.experiment: outcome for outcome in outcomes}
    assert [*found][:2] == names
    for name in (names[0], "circuits.composition", "circuits.removal"):
        assert found[name].met, f"{name}: {found[name].verdict}"

    cuts = found["circuits.composition"].tables["paths"]
    assert {cut["role"] for cut in cuts} == {"query", "key", "value"}
    # What a value side does not read cannot move the pattern.
    assert max(abs(cut["score lost"]) for cut in cuts if cut["role"] == "value") == 0
    assert all(row["interaction"] < 0 for row in found["circuits.removal"].tables["models"])
    training = found["induction.emergence"].tables["training"]
    assert training[0]["step"] == 0
    assert training[-1]["loss"] < training[0]["loss"] / 2

    strength = {about: one.strength for about, one in assessments(outcomes).items()}
    assert strength["a two-layer model has an induction head"] == "a mechanism"
    path = tmp_path / "outcomes.jsonl"
    write_outcomes(path, {"seed": 0}, outcomes)
    header, again = read_outcomes(path)
    assert header == {"seed": 0}
    assert [outcome.verdict for outcome in again] == [outcome.verdict for outcome in outcomes]
    assert assessments(again) == assessments(outcomes)
