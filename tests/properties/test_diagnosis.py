"""A wrong answer is told by the name of its slip, and never by that of another."""

from dataclasses import replace

import numpy as np
import pytest
from breaking import With, broken

from properties import check_implementation
from properties.cases import CORPORA, MATRICES, MODELS
from properties.catalogue import CHECKS, select
from properties.check import Check, Comparison
from properties.diagnosis import diagnose
from properties.explaining import tells_slips
from properties.mutants.catalogue import MUTANTS
from properties.mutants.factors import as_text
from properties.mutants.mutant import Mutant, implementation, plain
from properties.mutants.plain_model import loss
from properties.mutants.plain_training import gradients
from properties.mutants.slope import slope_of
from properties.runner import run_check
from properties.slips import KINDS, either, known
from properties.target import Target
from properties.tolerances import rounding, unit_roundoff
from reference.statistics import statistics


def named(method, check):
    """What the failure of a check on an implementation with this method is called, and its sentence."""
    (result,) = check_implementation(With("wrong", **method), checks=select([check]))
    assert result.result == "failed"
    shown = result.counterexample
    return shown.get("looks_like"), shown.get("diagnosis")


# Slips in another implementation than that of the mutants: module, method, right, wrong, check, the slip.
REFERENCE = [
    ("statistics", "return B_bar.T @ B_bar", "return B_bar @ B_bar.T", "Sigma_B", "Sigma_B is B_bar B_bar^T"),
    ("statistics", "G_bar = Sigma_B @ Phi_bar", "G_bar = (Sigma_B @ Phi_bar).T", "G_bar", "transposed"),
    (
        "statistics",
        "np.add.at(Q_bar, (x[:, None], x[None, :]), Q_i)",
        "np.add.at(Q_bar, (x[None, :], x[:, None]), Q_i)",
        "Q_bar",
        "transposed",
    ),
    ("statistics", " / current.size", "", "B_bar", "not divided by NT"),
    ("statistics", "Delta_bar / (N * T)", "Delta_bar", "Delta_bar", "not divided by NT"),
    ("statistics", "(joint - frequency / vocab_size)", "joint", "B_bar", "uniform part not subtracted"),
    ("statistics", "(share - baseline)", "share", "Phi_bar_columns", "uniform part not subtracted"),
    (
        "statistics",
        "(y[:, None], x[None, :]), A0)",
        "(y[:, None], x[None, :]), (A0 > 0) * 1.0)",
        "Phi_bar",
        "1/t missing",
    ),
    ("statistics", "(M - mean) * visible / seen", "(M - mean) * visible", "Q_bar", "1/t missing"),
    (
        "statistics",
        "(y[:, None], x[None, :]), A0)",
        "(y[:, None], x[None, :]), A0 * (1 - np.eye(len(x))))",
        "Phi_bar",
        "position t excluded",
    ),
    ("statistics", "(y[:, None], x[None, :]), A0)", "(x[:, None], x[None, :]), A0)", "Phi_bar", "target off"),
    (
        "statistics",
        "current, following = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()",
        "size = tokens[:, 1:].size; tokens = np.pad(tokens, ((0, 0), (0, 1)));"
        "current, following = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()",
        "B_bar_columns",
        None,
    ),
    (
        "statistics",
        "(joint - frequency / vocab_size)",
        "(frequency / vocab_size - joint)",
        "B_bar",
        "negated",
    ),
    (
        "statistics",
        "joint = np.zeros((vocab_size, vocab_size))",
        "joint = np.zeros((vocab_size, vocab_size), dtype=np.float32)",
        "B_bar",
        "float32",
    ),
    ("statistics", "(M - mean) * visible / seen", "M * visible / seen", "Q_bar", "the mean over the prefix"),
    ("statistics", "return B_bar.T @ B_bar", "return 3 * B_bar.T @ B_bar", "Sigma_B", "multiplied by 3"),
    ("statistics", "return B_bar.T @ B_bar", "return B_bar.T @ B_bar / 7", "Sigma_B", "multiplied by 1/7"),
    ("statistics", "return B_bar.T @ B_bar", "return 0 * B_bar", "Sigma_B", "all zero"),
]


@pytest.mark.parametrize(("method", "right", "wrong", "check", "slip"), REFERENCE)
def test_a_slip_in_another_implementation_is_named(method, right, wrong, check, slip):
    slipped = broken(f"reference.{method}", right, wrong)
    found, sentence = named({method: getattr(slipped, method)}, f"{method}.{check}")
    if slip is None:
        assert found is None
    else:
        assert slip in found
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_padding_that_is_counted_is_named():
    def padded(tokens, vocab_size):
        found = statistics(np.pad(tokens, ((0, 0), (0, 1))), vocab_size)["B_bar"]
        return {"B_bar": found * (tokens.shape[1] / (tokens.shape[1] - 1))}

    name, sentence = named({"statistics": padded}, "statistics.B_bar")
    assert name == "padding counted"
    assert "N sequences of T + 1 words have NT targets" in sentence


def test_a_loss_in_bits_is_named():
    from reference.model import loss

    name, sentence = named({"loss": lambda p, tokens: loss(p, tokens) / np.log(2)}, "model.loss")
    assert "bits" in name + sentence


@pytest.mark.parametrize("scale", [1 + 2.0**-22, 0.7])
def test_an_inexact_answer_is_not_said_to_be_float32(scale):
    """Within float32's rounding, but no float32 numbers: a step of it at most."""
    name, _ = named(
        {"statistics": lambda t, v: {"B_bar": scale * statistics(t, v)["B_bar"]}}, "statistics.B_bar"
    )
    assert name == ("multiplied by 0.7" if scale == 0.7 else "float32 inside")


def test_an_unknown_slip_has_no_name():
    def shifted(tokens, vocab_size):
        return {"B_bar": statistics(tokens, vocab_size)["B_bar"] + np.arange(vocab_size)}

    assert named({"statistics": shifted}, "statistics.B_bar") == (None, None)


def test_a_factor_that_differs_from_case_to_case_is_another_length_and_no_factor():
    def scaled(tokens, vocab_size):
        return {"B_bar": (2 + vocab_size) * statistics(tokens, vocab_size)["B_bar"]}

    assert named({"statistics": scaled}, "statistics.B_bar")[0] == "of another length"


def test_what_is_compared_with_an_answer_of_the_targets_own_is_not_called_transposed():
    """Any matrix that is not symmetric is its own transpose transposed."""

    def skewed(tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        return {**found, "Sigma_B": found["Sigma_B"] + np.triu(np.ones((vocab_size,) * 2), 1)}

    assert named({"statistics": skewed}, "statistics.Sigma_B_symmetric") == (None, None)


def test_two_slips_are_told_apart_and_each_is_named_where_it_shows():
    """B_bar is wrong in one way and Q_bar in another: the mutant of each explains its own check."""

    def twice(tokens, vocab_size):
        slipped = broken("reference.statistics", "(joint - frequency / vocab_size)", "joint")
        right = statistics(tokens, vocab_size)
        return {**right, "B_bar": slipped.bigram(tokens, vocab_size), "Q_bar": right["Q_bar"].T}

    assert named({"statistics": twice}, "statistics.B_bar")[0] == "uniform part not subtracted"
    assert named({"statistics": twice}, "statistics.Q_bar")[0] == "transposed"


def slipped_twice(phi_bar):
    """Statistics whose B_bar has the uniform part left in, and whose Phi_bar is that of a mutant."""
    second = implementation(next(mutant for mutant in MUTANTS if mutant.id == phi_bar))
    first = implementation(next(mutant for mutant in MUTANTS if mutant.id == "B_bar_uniform_part"))

    def answered(tokens, vocab_size):
        return {
            "B_bar": first.statistics(tokens, vocab_size)["B_bar"],
            "Phi_bar": second.statistics(tokens, vocab_size)["Phi_bar"],
        }

    return With("wrong", statistics=answered)


def test_an_earlier_law_that_fails_by_a_slip_of_its_own_does_not_refute_another():
    check = CHEAP["statistics.Phi_bar"]
    slip = diagnose(check, Target(slipped_twice("Phi_bar_without_1_over_t")), check.cases.ordinary)
    assert slip.name == "1/t missing"


def test_a_law_that_neither_of_two_slips_explains_leaves_the_next_to_decide():
    """At one position half of Phi_bar may be either slip: B_bar is of neither, and the whole table tells."""

    def law(target, case):
        tokens = np.array([[0, 1]])
        right = statistics(tokens, 2)["Phi_bar"]
        yield Comparison(
            "Phi_bar", target.statistic("Phi_bar", tokens, 2), right, rounding(1.0, 64, "float64")
        )

    # In the place of the law of Phi_bar: only that of B_bar comes before it, and tells nothing of it.
    only = replace(CHEAP["statistics.Phi_bar"], law=law)
    names = {
        mutant: diagnose(only, Target(slipped_twice(mutant)), CORPORA.ordinary).name
        for mutant in ("Phi_bar_prefix_length_off_by_one", "Phi_bar_divided_by_all_words")
    }
    assert names == {
        "Phi_bar_prefix_length_off_by_one": "a prefix of t words is divided by t + 1",
        "Phi_bar_divided_by_all_words": "padding counted",
    }


def test_a_single_number_is_not_called_a_multiple_of_another():
    def law(target, case):
        yield Comparison("anything", 3.0, 2.0, unit_roundoff("float64"))

    only = Check("test.law", "A law.", "derived here", MATRICES, law, needs=("remove_projection",))
    assert diagnose(only, Target(plain()), MATRICES.ordinary) is None


def test_what_two_slips_explain_is_decided_by_the_other_laws():
    """The skew part of a table changes its sign when it is transposed; that of the whole table tells."""

    def skew(table):
        return table - table.T

    def law(target, case):
        got = skew(target.statistic("B_bar", case.tokens, case.vocab_size))
        right = skew(statistics(case.tokens, case.vocab_size)["B_bar"])
        yield Comparison("skew part", got, right, rounding(1.0, 64, "float64"))

    only = Check("test.law", "A law.", "derived here", CORPORA, law, needs=("statistics",))
    wrong = With("wrong", statistics=lambda t, v: {"B_bar": statistics(t, v)["B_bar"].T})
    slip = diagnose(only, Target(wrong), CORPORA.ordinary)
    assert slip.name == "transposed"


def test_what_nothing_decides_is_said_to_be_either_and_many_explain_nothing():
    few = either({name: known(name) for name in ("P does not move", "P is left out of the scores")})
    assert few.name == "P does not move or P is left out of the scores"
    assert few.sentence == (
        "It is right but for one slip: either P does not move, or P is left out of the scores."
    )
    assert either({name: known(name) for name in KINDS}) is None


def test_what_follows_from_a_slip_says_where_it_is_made():
    slip = known("not divided by NT")
    assert slip.made_in({"Phi_bar"}, "Phi_bar") == slip
    assert slip.made_in({"Phi_bar", "B_bar"}, "G_bar").sentence.endswith(
        "It is made in B_bar and Phi_bar, from which this follows."
    )


@pytest.mark.parametrize(
    ("size", "text"), [(-1, "-1"), (2, "2"), (0.125, "1/8"), (8**-0.5, "1/sqrt(8)"), (0.7, "0.7")]
)
def test_a_factor_is_written_as_a_person_would(size, text):
    assert as_text(size) == text


def test_the_slope_by_the_complex_step_is_the_gradient_by_hand():
    case = MODELS.ordinary
    by_hand = gradients(case.parameters, case.tokens)
    found = slope_of(loss, case.parameters, case.tokens)
    for name, value in by_hand.items():
        assert np.abs(found[name] - value).max() <= rounding(1.0, 64, "float64"), name


def test_a_wrong_shape_has_no_name():
    def law(target, case):
        yield Comparison("anything", np.zeros(3), np.zeros((3, 3)), 0.0)

    only = Check("test.law", "A law.", "derived here", CORPORA, law, needs=("statistics",))
    assert diagnose(only, Target(plain()), CORPORA.ordinary) is None


CHEAP = {check.id: check for check in CHECKS if check.needs and tells_slips(check)}
DIAGNOSED = [
    (mutant, next(check for check in mutant.caught_by if check in CHEAP))
    for mutant in MUTANTS
    if any(check in CHEAP for check in mutant.caught_by)
]
# What the ordinary case does not show: every word occurs in it, no sequence twice; its map has a whole last
# copy; its inner product is positive, its direction not zero; it has eight sequences to split,
# of which two may be drawn twice and still be within one of their share.
RARE = {
    "B_bar_uniform_over_seen_words",
    "B_bar_repeats_dropped",
    "induction_whole_copies_only",
    "projection_of_its_size",
    "projection_of_zero",
    "projection_zeroed",
    "split_without_a_test",
    "split_with_replacement",
}


# Two slips answer the same infinity, one no number at all; one remembers what it was asked before.
UNTOLD = {"loss_overflows", "loss_of_probability", "logits_excludes_t", "heads_stay_removed"}


@pytest.mark.parametrize("method", sorted({mutant.method for mutant in MUTANTS}))
def test_a_mutant_is_told_by_its_own_name_and_by_no_other(method):
    untold = set()
    for mutant, check in DIAGNOSED:
        if mutant.method == method:
            slip = diagnose(CHEAP[check], Target(implementation(mutant)), CHEAP[check].cases.ordinary)
            # A slip of the loss and one of its gradients can be the same slip: then either is said.
            assert slip is None or mutant.name in slip.name, (mutant.id, slip.name)
            untold |= {mutant.id} if slip is None else set()
    assert untold <= RARE | UNTOLD


@pytest.mark.deep
@pytest.mark.parametrize(("mutant", "first"), DIAGNOSED, ids=lambda value: getattr(value, "id", ""))
def test_every_check_named_for_a_mutant_tells_it_by_its_own_name_and_by_no_other(mutant, first):
    for check in mutant.caught_by:
        if check in CHEAP:
            result = run_check(CHEAP[check], Target(implementation(mutant)), profile="ci", seed=0)
            found = result.counterexample.get("looks_like")
            assert found is None or mutant.name in found, check
            assert found or mutant.id in UNTOLD, check


def test_every_kind_of_slip_is_made_by_a_mutant_or_an_answer_that_is_wrong_all_over():
    made = {mutant.kind for mutant in MUTANTS if mutant.kind}
    assert set(KINDS) - made == {
        "all zero",
        "float32 inside",
        "transposed and negated",
    }
    assert all(sentence[0].isupper() and sentence.endswith(".") for sentence in KINDS.values())


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_an_answer_that_does_not_repeat_is_a_failure_and_told_as_such(share):
    """Also where the case that failed holds when Hypothesis asks again: the check itself did not raise."""
    from reference.model import logits

    rng = np.random.default_rng(0)

    def noisy(parameters, tokens):
        return logits(parameters, tokens) + (rng.random() < share) * rng.random()

    name, sentence = named({"logits": noisy}, "model.logits")
    assert name == "not repeatable"
    assert "dropout" in sentence


def test_numbers_that_are_none_are_named_after_no_slip():
    """Many slips lose every number: that they answer alike says nothing of which it is."""
    from reference.model import logits

    name, _ = named({"logits": lambda p, tokens: np.nan * logits(p, tokens)}, "model.logits")
    assert name is None


def test_a_bound_between_two_implementations_is_no_licence():
    """A slip half a percent from another is told from it."""
    close = Mutant("x", "statistics", "a", "statistics", "B_bar.T @ B_bar", "1.005 * B_bar.T @ B_bar", ())
    slip = diagnose(CHEAP["statistics.Sigma_B"], Target(implementation(close)), CORPORA.ordinary)
    assert slip.name == "multiplied by 1.005"
    assert rounding(1.0, 1, "float64") < 1


def test_a_failure_on_a_corpus_alone_is_not_tried_on_every_mutant(monkeypatch):
    from properties import runner
    from reference.sequences import build_corpus
    from reference.stories import stories
    from reference.tokenizers import words

    def never(*arguments):
        raise AssertionError("the corpus may be of any size")

    def wrong_on_many_words(tokens, vocab_size):
        found = statistics(tokens, vocab_size)["B_bar"]
        return {"B_bar": found.T if vocab_size > 10 else found}

    monkeypatch.setattr(runner, "diagnose", never)
    corpus = build_corpus(stories(10, seed=0), words, length=10)
    (result,) = check_implementation(
        With("wrong", statistics=wrong_on_many_words), checks=select(["statistics.B_bar"]), corpus=corpus
    )
    assert result.result == "failed"
    assert "looks_like" not in result.counterexample
