"""Nonsense is the implementation's fault and told as such: no check answers it with an error of its own."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from breaking import With
from hypothesis import strategies as st

from properties.cases import Cases
from properties.catalogue import CHECKS, select
from properties.explaining import DEAREST
from properties.mutants.mutant import Implementation, plain
from properties.runner import first_failure
from properties.target import METHODS, Target

NONSENSE = {
    "zeros": lambda answer: np.zeros(answer.shape),
    "NaN": lambda answer: np.full(answer.shape, np.nan),
    "huge numbers": lambda answer: np.full(answer.shape, 1e300),
}
CHEAP = [check for check in CHECKS if check.needs and check.cost <= DEAREST]
# The dear laws follow orders in eta; one of each kind that can run out of numbers to fit.
DEAR = select(
    ["scaling.P", "next_order.P", "next_order.cosine", "layers.W", "spectrum.V", "gradients.series"]
)


def answers(change, *methods):
    """A right implementation, each answer of some methods changed."""

    def changed(method):
        def answer(*arguments):
            found = method(*arguments)
            if isinstance(found, dict):
                return {name: change(np.asarray(value)) for name, value in found.items()}
            return change(np.asarray(found))

        return answer

    right = plain().methods
    return Implementation("nonsense", {**right, **{name: changed(right[name]) for name in methods}})


def on_the_ordinary_case(check):
    return replace(check, cases=Cases(st.just(check.cases.ordinary), check.cases.ordinary))


def outcome(check, implementation):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return first_failure(on_the_ordinary_case(check), Target(implementation), profile="quick", seed=0)


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense_makes_no_check_err(kind):
    wrong = answers(NONSENSE[kind], *METHODS)
    found = {check.id: outcome(check, wrong) for check in [*CHEAP, *DEAR]}
    assert {id: result.note for id, result in found.items() if result.result == "errored"} == {}
    failed = {id for id, result in found.items() if result.result == "failed"}
    of_what_is_given = {id for id in found if id.endswith("given")}  # whatever is answered
    assert not failed & of_what_is_given
    assert len(failed) > (len(found) - len(of_what_is_given)) / 2
    assert all(found[id].counterexample for id in failed)


@pytest.mark.parametrize("group", ["W_O", "V", "W", "P"])
def test_a_weight_that_never_moves_fails_the_laws_of_its_direction(group):
    right = plain().train

    def without(*arguments):
        found = right(*arguments)
        return {**found, group: np.zeros_like(found[group])}

    for check in select(["next_order.cosine", "next_order.lost_step"]):
        result = outcome(check, With("still", train=without))
        assert result.result == "failed"
        assert result.counterexample["comparison"] == f"{group} has left zero, by layer"


def test_a_law_that_no_answer_of_the_target_admits_is_the_targets_failure():
    """But not in float32, where rounding may hide a law, and not where a right answer is refused too."""
    nan = answers(NONSENSE["NaN"], "gradients")
    (check,) = select(["gradients.series"])
    result = outcome(check, nan)
    assert result.result == "failed"
    assert result.note.startswith("its answers leave nothing to compare: ")
    assert result.counterexample["comparison"] == "the law"
    result = outcome(check, Implementation("narrow", nan.methods, "float32"))
    assert result.result == "not_applicable"
    assert result.note.startswith("no case was admitted: ")


class Unreadable:
    """As a tensor of torch that is on another device or asks for its gradient."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("use detach()\nfirst")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Unreadable(), "is an Unreadable that NumPy cannot read: use detach() first"),
        ([Unreadable()], "is a list that NumPy cannot read: use detach() first"),
        ([[1.0], []], "is a list whose rows differ in length"),
        (None, "or a return is missing"),
    ],
)
def test_an_answer_that_cannot_be_read_is_the_implementations_failure_and_says_why(answer, told):
    for check, method in (("statistics.B_bar", "statistics"), ("model.loss", "loss")):
        found = {"B_bar": answer} if method == "statistics" else answer
        (law,) = select([check])
        result = outcome(law, With("wrong", **{method: lambda *arguments, found=found: found}))
        assert result.result == "failed"
        assert told in result.counterexample["error"]
    (law,) = select(["descent.parameters"])
    assert "a return is missing" in outcome(law, With("wrong", train=lambda *_: None)).note


def test_a_call_that_breaks_off_has_no_error_over_bound_of_the_cases_before_it():
    (law,) = select(["statistics.B_bar"])
    right = plain().statistics

    def breaks(tokens, vocab_size):
        if vocab_size > 2:
            raise ValueError("many words")
        return right(tokens, vocab_size)

    result = first_failure(law, Target(With("wrong", statistics=breaks)), profile="ci", seed=0)
    assert result.result == "failed"
    assert result.error_over_bound is None


def test_what_else_statistics_answers_concerns_no_law():
    def more(tokens, vocab_size):
        return {**plain().statistics(tokens, vocab_size), "counts": np.bincount(tokens.ravel())}

    for check in select(["statistics"]):
        assert outcome(check, With("more", statistics=more)).result == "passed", check.id


def test_a_gradient_under_another_name_is_the_implementations_failure():
    """Also in laws that descend by gradients alone."""

    def misnamed(parameters, tokens):
        found = plain().gradients(parameters, tokens)
        return {"W_o" if name == "W_O" else name: value for name, value in found.items()}

    for check in select(["zero.gradients", "bounds.D13"]):
        result = outcome(check, With("misnamed", gradients=misnamed))
        assert result.result == "failed", check.id
        assert "gradients answered no 'W_O'" in result.note


def test_an_error_says_where_in_ones_own_file_it_was_raised():
    """Not in the package that raised it, and without a colon where it says nothing."""

    def statistics(tokens, vocab_size):
        return np.linalg.inv(np.zeros((2, 2)))

    def loss(parameters, tokens):
        raise AssertionError

    for method, function, told in (
        ("statistics", statistics, "LinAlgError: "),
        ("loss", loss, "AssertionError ("),
    ):
        (law,) = select(["statistics.B_bar" if method == "statistics" else "model.loss"])
        note = outcome(law, With("raises", **{method: function})).note
        line = function.__code__.co_firstlineno + 1
        assert f"{method} raised {told}" in note
        assert note.endswith(f"(test_nonsense.py, line {line})")
