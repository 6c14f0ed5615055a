"""Each slip in a metric turns the check red that is meant for it."""

import pytest
from breaking import With
from metric_slips import ABLATION, COMPOSITION, INDUCTION, PROFILES, SEQUENCE_INDUCTION, SPLITS

from properties import check_implementation
from properties.catalogue import select
from reference.probe_split import probe_split


def states(implementation, check):
    return {
        result.check: result.result for result in check_implementation(implementation, checks=select([check]))
    }


@pytest.mark.parametrize("slip", PROFILES)
def test_a_slip_in_the_profile_is_caught(slip):
    profile, check = PROFILES[slip]
    assert states(With(slip, head_profile=profile), check) == {check: "failed"}


@pytest.mark.parametrize("slip", INDUCTION)
def test_a_slip_in_the_induction_score_is_caught(slip):
    score, check = INDUCTION[slip]
    assert states(With(slip, induction_score=score), check) == {check: "failed"}


@pytest.mark.parametrize("slip", COMPOSITION)
def test_a_slip_in_the_composition_score_is_caught(slip):
    score, check = COMPOSITION[slip]
    assert states(With(slip, composition_score=score), check) == {check: "failed"}


@pytest.mark.parametrize("slip", SEQUENCE_INDUCTION)
def test_a_slip_in_the_score_of_a_sequence_is_caught(slip):
    score, check = SEQUENCE_INDUCTION[slip]
    assert states(With(slip, sequence_induction_score=score), check) == {check: "failed"}


@pytest.mark.parametrize("slip", ABLATION)
def test_a_slip_in_removing_a_head_is_caught(slip):
    output, check = ABLATION[slip]
    assert states(With(slip, multi_head_output=output), check) == {check: "failed"}


def test_a_split_may_be_a_list_of_truth_values_as_json_has_them():
    answers = {"whole": lambda *arguments: probe_split(*arguments).tolist(), "none": lambda *arguments: None}
    assert set(states(With("json", probe_split=answers["whole"]), "probe").values()) == {"passed"}
    assert set(states(With("json", probe_split=answers["none"]), "probe").values()) == {"failed"}


@pytest.mark.parametrize("slip", SPLITS)
def test_a_slip_in_a_split_is_caught(slip):
    split, check = SPLITS[slip]
    assert states(With(slip, probe_split=split), check) == {check: "failed"}
