"""A slip in what is answered alone, from which nothing follows, is named in all that compares it."""

from functools import partial

import numpy as np
import pytest
from breaking import With

from properties.cases import CorpusCase
from properties.catalogue import select
from properties.diagnosis import diagnose
from properties.explaining import as_target, until_failure
from properties.runner import run_check
from properties.target import Target
from reference.descent import train
from reference.gradients import gradients
from reference.model import logits
from reference.statistics import statistics


def told(check, **methods):
    """What the failure of a check on its ordinary case is called, and its sentence."""
    (law,) = select([check])
    slip = diagnose(law, Target(With("wrong", **methods)), law.cases.ordinary)
    return (slip.name, slip.sentence) if slip else (None, "")


def answering(**changes):
    """Statistics of which some are answered otherwise, while what follows from them is right."""

    def answered(tokens, vocab_size):
        right = statistics(tokens, vocab_size)
        return {**right, **{name: change(right[name]) for name, change in changes.items()}}

    return answered


@pytest.mark.parametrize("check", ["statistics.B_bar_columns", "statistics.Sigma_B_is_DCD"])
def test_a_statistic_that_is_wrong_only_as_it_is_answered_is_named_in_what_compares_it(check):
    name, sentence = told(check, statistics=answering(B_bar=np.transpose))
    assert name == "transposed"
    assert ("It is made in B_bar" in sentence) == ("B_bar" not in check)


def test_one_slip_in_the_answers_of_two_statistics_is_named_where_neither_alone_explains_it():
    """A law that compares the row sums of both then holds, as it does of neither alone."""
    both = answering(B_bar=np.transpose, Phi_bar=np.transpose)
    name, sentence = told("statistics.Sigma_B_is_DCD", statistics=both)
    assert name == "transposed"
    assert "It is made in B_bar and Phi_bar" in sentence


def test_a_slip_in_one_answer_is_not_blamed_for_another_that_it_does_not_explain():
    wrong = answering(B_bar=np.transpose, Sigma_B=lambda Sigma_B: Sigma_B + np.eye(len(Sigma_B)))
    assert told("statistics.B_bar", statistics=wrong)[0] == "transposed"
    assert told("statistics.Sigma_B_is_DCD", statistics=wrong)[0] is None


def test_what_is_off_by_float32_between_two_answers_is_told_as_that():
    def rounded(G_bar):
        return G_bar.astype(np.float32)

    assert told("statistics.G_bar_composes", statistics=answering(G_bar=rounded))[0] == "float32"


def test_float32_is_named_where_a_law_asks_for_statistics_that_are_not_answered():
    def two(tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        return {name: np.float32(found[name]) for name in ("B_bar", "Phi_bar")}

    case = CorpusCase(np.array([[0, 0]]), 3)
    (law,) = select(["statistics.repeated_word"])
    wrong = Target(With("wrong", statistics=two))
    assert until_failure(law, wrong, case)
    declared = as_target(wrong.implementation, "float32")
    assert [one.name for one in until_failure(law, declared, case)] == ["B_bar", "Phi_bar"]
    assert told("statistics.B_bar", statistics=two)[0] == "float32"


def test_an_answer_that_is_right_when_it_is_asked_again_is_not_taken_for_float32():
    """As with dropout that drops seldom: whatever it was, it was no rounding."""
    calls = []

    def seldom(parameters, tokens):
        calls.append(tokens)
        return logits(parameters, tokens) + (len(calls) <= 2)  # looked at, and once more

    assert told("model.logits", logits=seldom)[0] == "not repeatable"


def test_zeros_are_not_called_a_slip_that_another_law_refutes():
    """Of one step, a rate that starts at zero and a step that is not made are the same; of more they part."""

    def warm(*arguments, first):
        tokens, vocab_size, layers, rate, steps = arguments
        found = train(tokens, vocab_size, layers, rate, 0)
        for step in range(steps):
            slope = gradients(found, tokens)
            share = min(1, (step + 1 - first) / 3) if first else step < steps - 1
            found = {name: found[name] - rate * share * slope[name] for name in found}
        return found

    for first, slip in ((0, "the last step is not made"), (1, "all zero")):
        descent = {"train": partial(warm, first=first), "gradients": gradients}
        assert told("first_step.W_O", **descent)[0] == slip


def clipped(parameters, tokens, most=0.03):
    found = gradients(parameters, tokens)
    length = np.sqrt(sum((value**2).sum() for value in found.values()))
    return {name: value * min(1.0, most / length) if length else value for name, value in found.items()}


@pytest.mark.parametrize("check", ["gradients.V", "gradients.P", "zero.gradients"])
def test_gradients_that_are_clipped_at_any_length_are_told_as_that(check):
    (law,) = select([check])
    result = run_check(law, Target(With("wrong", gradients=clipped)), profile="quick", seed=0)
    assert result.counterexample["looks_like"] == "of another length"
    assert "clipped or normalised" in result.counterexample["diagnosis"]


def test_what_is_turned_as_well_is_not_of_another_length():
    def turned(parameters, tokens):
        found = clipped(parameters, tokens)
        return {**found, "V": found["V"] + 0.01 * found["W"]}

    assert told("gradients.V", gradients=turned) == (None, "")


def test_what_is_zero_by_rounding_refutes_a_slip_that_is_zero_too():
    """Less P(target) times the mean share Phi_bar has rows of sum zero, as G_bar in the other order has."""

    def independent(tokens, vocab_size):
        right = statistics(tokens, vocab_size)
        x = np.eye(vocab_size)[tokens]
        shares = np.cumsum(x[:, :-1], axis=1) / np.arange(1, tokens.shape[1])[:, None]
        Phi = np.einsum("nty,ntw->yw", x[:, 1:], shares) / tokens[:, 1:].size
        Phi_bar = Phi - np.outer(Phi.sum(axis=1), Phi.sum(axis=0))
        of_two = {"B_bar": right["B_bar"], "Sigma_B": right["Sigma_B"]}
        return {**of_two, "Phi_bar": Phi_bar, "G_bar": right["Sigma_B"] @ Phi_bar}

    assert told("statistics.Phi_bar", statistics=independent)[0].startswith("from Phi_bar is taken")
    assert "G_bar" not in (told("statistics.G_bar_rows", statistics=independent)[0] or "")
