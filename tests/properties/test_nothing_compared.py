"""A law that has compared nothing of an implementation does not pass."""

import pytest
from breaking import With

from properties import check_implementation
from properties.cases import CORPORA
from properties.catalogue import CHECKS
from properties.check import Check
from properties.runner import NOT_COMPARED, run_check
from properties.slips import STATISTICS
from properties.target import Target
from reference.statistics import statistics


def test_a_law_that_compares_nothing_is_an_error_not_a_pass():
    def law(target, case):
        yield from ()

    for dtype in ("float64", "float32"):
        check = Check("a.law", "A law.", "derived here", CORPORA, law)
        result = run_check(check, Target(With("right", dtype=dtype)), profile="quick", seed=0)
        assert result.result == "errored"
        assert result.note == "no case was admitted: it compares nothing"


@pytest.mark.parametrize("name", [*STATISTICS, "Bbar"])
def test_a_law_that_compares_none_of_what_is_answered_does_not_apply(name):
    """Of one statistic alone some laws say nothing: these do not pass."""

    def alone(tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        return {name: found[name] if name in found else found["B_bar"]}

    of_one = [check for check in CHECKS if check.needs == ("statistics",)]
    results = check_implementation(With("alone", statistics=alone), checks=of_one, profile="quick")
    assert {result.result for result in results} <= {"passed", "not_applicable"}
    passed = [result.check for result in results if result.result == "passed"]
    assert (f"statistics.{name}" in passed) == (name in STATISTICS)
    for check in of_one:
        if check.id in passed:
            law = check.law(Target(With("alone", statistics=alone)), check.cases.ordinary)
            assert next(law, None) is not None, check.id
    assert {r.note for r in results if r.check == "statistics.sequence_by_sequence"} <= {
        None,
        NOT_COMPARED,
        "statistics answers no 'B_bar' (it has Bbar)",
    }
