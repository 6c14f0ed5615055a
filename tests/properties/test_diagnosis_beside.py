"""A slip in what is answered alone, from which nothing follows, is named in all that compares it."""

from functools import partial

import numpy as np
import pytest
from breaking import With

from properties.cases import CorpusCase
from properties.catalogue import select
from properties.diagnosis import diagnose
from properties.explaining import as_target, is_zero, until_failure
from properties.mutants import suspects
from properties.mutants.factors import DECAY, MOMENTUM, Factor, solved
from properties.mutants.suspects import Suspect
from properties.runner import run_check
from properties.sizes import powers
from properties.target import Target
from reference.descent import train
from reference.gradients import gradients
from reference.model import logits, loss
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
    """Centred twice Phi_bar has rows of sum zero, as G_bar in the other order has; which is no known slip."""

    def twice(tokens, vocab_size):
        right = statistics(tokens, vocab_size)
        Phi_bar = right["Phi_bar"] - right["Phi_bar"].mean(axis=1, keepdims=True)
        G_bar = right["Sigma_B"] @ Phi_bar
        return {"B_bar": right["B_bar"], "Phi_bar": Phi_bar, "Sigma_B": right["Sigma_B"], "G_bar": G_bar}

    (law,) = select(["statistics.G_bar_rows"])
    sums = until_failure(law, Target(With("twice", statistics=twice)), law.cases.ordinary)[-1]
    assert np.any(sums.got)
    assert is_zero(sums)
    assert told("statistics.G_bar_rows", statistics=twice) == (None, "")


def test_another_length_is_told_of_what_is_along_the_right_answer_and_of_more_than_one_number():
    def backwards(tokens, vocab_size):
        return {"B_bar": -(1 + vocab_size) * len(tokens) * statistics(tokens, vocab_size)["B_bar"]}

    for target, check in (
        (With("backwards", statistics=backwards), "statistics.B_bar"),
        (With("squared", loss=lambda *given: loss(*given) ** 2), "model.loss"),
    ):
        (law,) = select([check])
        result = run_check(law, Target(target), profile="quick", seed=0)
        assert result.result == "failed"
        assert result.counterexample.get("looks_like") != "of another length"


def test_a_number_that_fits_one_step_is_none_of_a_place_where_more_steps_refute_it():
    """Of one step a running mean of the parameters is a rate of a tenth; of more it is not."""

    def averaged(tokens, vocab_size, layers, rate, steps):
        found = train(tokens, vocab_size, layers, rate, 0)
        for step in range(1, steps + 1):
            after = train(tokens, vocab_size, layers, rate, step)
            found = {name: 0.9 * value + 0.1 * after[name] for name, value in found.items()}
        return found

    descent = {"train": averaged, "gradients": gradients}
    assert told("first_step.W_O", **descent)[0] == "multiplied by 1/10"
    assert told("descent.parameters", **descent)[0] is None


def with_momentum(kept):
    """Descent along u, where u is kept in part from step to step and the gradient is added."""

    def moved(tokens, vocab_size, layers, rate, steps):
        found = train(tokens, vocab_size, layers, rate, 0)
        way = found
        for _ in range(steps):
            slope = gradients(found, tokens)
            way = {name: kept * way[name] + slope[name] for name in found}
            found = {name: found[name] - rate * way[name] for name in found}
        return found

    return moved


def test_a_momentum_of_one_is_gradients_that_are_added_up():
    (name, _) = told("descent.parameters", train=with_momentum(1), gradients=gradients)
    assert "not set to zero between steps" in name


def test_a_first_step_that_is_always_made_is_not_called_one_too_many():
    def first(tokens, vocab_size, layers, rate, steps):
        return train(tokens, vocab_size, layers, rate, max(steps, 1))

    assert (
        told("first_step.start", train=first, gradients=gradients)[0]
        == "one step is made even where none is asked for"
    )


def drawn_start(tokens, vocab_size, layers, rate, steps):
    found = train(tokens, vocab_size, layers, rate, steps)
    return {name: value + np.random.default_rng(0).normal(0, 1, value.shape) for name, value in found.items()}


@pytest.mark.parametrize("group", ["W_O", "V", "W", "P"])
def test_each_weight_that_does_not_start_from_zero_is_told(group):
    def moved(*given):
        found = train(*given)
        return {**found, group: found[group] + 1}

    assert told("first_step.start", train=moved)[0] == "not from zero"


def test_a_start_that_is_drawn_is_not_blamed_for_what_is_no_descent():
    wrong = {"logits": lambda *given: 3 * logits(*given), "train": drawn_start}
    assert told("model.logits", **wrong)[0] != "not from zero"
    assert told("first_step.W_O", **wrong)[0] == "not from zero"


def test_what_is_changed_in_one_case_alone_is_told_by_that_case():
    """There need be no failure on the ordinary case where a failure can be only one slip."""

    def sorts_one(tokens, vocab_size):
        if len(tokens) == 1:
            tokens.sort()
        return statistics(tokens, vocab_size)

    (law,) = select(["statistics.given"])
    failed = CorpusCase(np.array([[1, 0, 1]]), 2)
    slip = diagnose(law, Target(With("sorts one", statistics=sorts_one)), failed)
    assert slip is not None
    assert slip.name == "changed in place"


@pytest.mark.parametrize("check", ["gradients.W_O", "descent.parameters"])
@pytest.mark.parametrize("offset", [0.0, 0.5, 1.0])
def test_a_slip_of_the_model_is_behind_gradients_and_descent_whose_loss_it_answers(
    check, offset, monkeypatch
):
    """Not behind those whose loss is right, or wrong in another way."""
    asked = []
    wrong = {
        "gradients": lambda *given: {name: value + 1 for name, value in gradients(*given).items()},
        "train": lambda *given: {name: value + (given[4] > 0) for name, value in train(*given).items()},
    }

    def off_by(offset):
        return lambda *given: loss(*given) + offset

    def make():
        training = {name: lambda *given, f=f: (asked.append(1), f(*given))[1] for name, f in wrong.items()}
        return With("of the model", **training, loss=off_by(1.0))

    slipped = Suspect("of the model", frozenset(), make, in_the_loss=True)
    monkeypatch.setattr(suspects, "suspects", lambda needs: (slipped,))
    name, _ = told(check, **wrong, loss=off_by(offset))
    assert (name == "of the model", bool(asked)) == (offset == 1.0, offset == 1.0)


def test_momentum_is_named_where_there_are_no_gradients_to_ask_for():
    assert told("descent.parameters", train=with_momentum(1 / 4), loss=loss)[0] == "there is momentum of 1/4"


@pytest.mark.parametrize(
    ("place", "size", "solves"),
    [
        (MOMENTUM, -0.5, False),
        (MOMENTUM, 0.5, True),
        (MOMENTUM, 1 - 2.0**-30, False),
        (MOMENTUM, 1.5, False),
        (DECAY, -0.5, False),
        (DECAY, 1.5, True),
    ],
)
def test_no_momentum_is_negative_or_one_and_no_decay_negative(place, size, solves):
    found = solved(place, lambda factor: np.array([factor.size - size]), CorpusCase(np.array([[0, 1, 1]]), 2))
    assert bool(list(found)) == solves


def test_a_momentum_that_is_a_size_of_the_case_is_that_number_there():
    (law,) = select(["descent.parameters"])
    case = law.cases.ordinary
    given = (case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
    for power in powers(case):
        of_size, number = (Factor(MOMENTUM, size).make().train(*given) for size in (power, power.value(case)))
        assert all(np.array_equal(of_size[name], number[name]) for name in number)
