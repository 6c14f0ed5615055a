"""The strength of evidence: no step counts above a gap, and a finding never helps the wrong side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.evidence_ladder import STRENGTHS, Finding, Step, assess
from reference.errors import InputError

FINDINGS = st.lists(st.builds(Finding, st.sampled_from(Step), st.booleans(), st.just("a run")), max_size=10)


def shown(*steps):
    return [Finding(Step(step), True, "a run") for step in steps]


def test_nothing_is_an_assumption_and_all_six_a_mechanism():
    assert assess([]).strength == "an assumption"
    assert assess(shown(1, 2, 3, 4, 5, 6)).strength == "a mechanism"
    assert len(STRENGTHS) == len(Step) + 1


def test_an_effect_of_ablation_waits_for_what_is_missing_below_it():
    """The chapter's previous-token head: steps 1, 2, 3 and 5."""
    found = assess(shown(1, 2, 3, 5))
    assert found.strength == "a learned pattern"
    assert found.ahead == (Step.ablation,)
    assert found.missing == (Step.in_the_data, Step.targeted)
    assert str(found) == (
        "a learned pattern (3 of 6 steps); shown ahead of a gap: changes under ablation; "
        "missing: present in the data, changes under a targeted intervention"
    )


def test_what_random_models_do_too_is_only_a_pattern():
    found = assess([*shown(1, 2, 4, 5), Finding(Step.absent_in_random, False, "ten random models")])
    assert found.strength == "a pattern"
    assert "not absent in random models (ten random models)" in str(found)


def test_what_speaks_against_is_told_in_words():
    found = assess([Finding(step, False, "a run") for step in Step])
    assert str(found) == (
        "an assumption (0 of 6 steps); against it: not seen on one input (a run), not seen on many inputs "
        "(a run), not absent in random models (a run), not present in the data (a run), no change under "
        "ablation (a run), no change under a targeted intervention (a run)"
    )


@pytest.mark.parametrize(
    ("step", "holds"), [(7, True), ("ablation", False), (Step.ablation, "no"), (0, True)]
)
def test_a_finding_on_no_step_is_refused_and_not_lost(step, holds):
    with pytest.raises(
        InputError, match=r"A finding of a run has the step .*, holds .*; give one of Step\.one_input"
    ):
        Finding(step, holds, "a run")


def test_a_number_is_taken_for_its_step():
    assert Finding(3, np.bool_(False), "a run") == Finding(Step.absent_in_random, False, "a run")


@given(FINDINGS)
def test_every_step_is_somewhere(findings):
    found = assess(findings)
    against = {one.step for one in found.against}
    parts = [set(found.climbed), set(found.ahead), against, set(found.missing)]
    assert set().union(*parts) == set(Step)
    assert sum(map(len, parts)) == len(Step)


@given(FINDINGS, st.sampled_from(Step))
def test_support_never_lowers_the_strength_and_a_counterexample_never_raises_it(findings, step):
    before = len(assess(findings).climbed)
    assert len(assess([*findings, Finding(step, True, "")]).climbed) >= before
    assert len(assess([*findings, Finding(step, False, "")]).climbed) <= min(before, step - 1)
