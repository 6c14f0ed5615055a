import math
from dataclasses import replace

import numpy as np
import pytest
from breaking import With
from hypothesis import strategies as st

from properties import check_implementation
from properties.cases import CORPORA, EXACT_CORPORA, Cases
from properties.catalogue import CHECKS, select
from properties.check import Check, Comparison, NotAdmitted
from properties.failure import failure_rows
from properties.results import is_ok
from properties.runner import FEWEST, PROFILES, run_check, run_mathematics
from properties.target import Target
from reference.errors import InputError
from reference.implementation import implementation as reference
from reference.sequences import build_corpus
from reference.statistics import statistics
from reference.stories import stories
from reference.tokenizers import words


@pytest.fixture(scope="module")
def ten_stories():
    return build_corpus(stories(10, seed=0), words, length=10)


def one(law, *, needs=("statistics",), target=None, cases=CORPORA):
    check = Check("test.law", "A law.", "derived here", cases, law, needs=needs)
    return run_check(check, Target(target or reference), profile="quick", seed=0)


def test_ids_are_unique_and_name_a_family():
    ids = [check.id for check in CHECKS]
    assert len(set(ids)) == len(ids)
    assert all(id.count(".") == 1 for id in ids)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_a_check_says_its_law_in_a_sentence_with_a_source(check):
    assert check.statement[0].isupper()
    assert check.statement.endswith(".")
    assert check.source


# What is dearer, the bounds at large V, is tried on these when a report is made.
TRIED = {"gpu": 16, "gpu32": 16, "compiled": 16}


@pytest.mark.parametrize(
    "name", ["reference", "gpu", pytest.param("gpu32", marks=pytest.mark.deep), "compiled"]
)
def test_the_implementations_that_come_along_pass(name):
    if name != "reference":
        needed = "numba" if name == "compiled" else "torch"
        pytest.importorskip(needed, reason=f"{name} needs {needed}")
    checks = [check for check in CHECKS if check.needs and check.cost < TRIED.get(name, math.inf)]
    results = check_implementation(name, checks=checks, profile="quick", seed=1)
    assert len(results) == len(checks)
    assert {r.check: r.counterexample or r.note for r in results if r.result in ("failed", "errored")} == {}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_the_ordinary_case_of_a_check_is_admitted_and_compares_something(check):
    """A few drawn cases may all be refused; this one never is, so that no check passes for want of a case."""
    compared = list(check.law(Target(reference), check.cases.ordinary))
    assert any(isinstance(item, Comparison) for item in compared)


def test_the_mathematics_holds():
    results = list(run_mathematics(CHECKS, profile="quick", seed=1))
    assert {result.result for result in results} == {"passed"}
    assert {result.target for result in results} == {"theory"}


def test_the_same_seed_gives_the_same_results():
    def numbers(seed):
        checks = select(["statistics.Q_bar", "statistics.merged", "gradients.V"])
        results = check_implementation("reference", checks=checks, seed=seed)
        return [(r.check, r.cases, r.error_over_bound) for r in results]

    assert numbers(3) == numbers(3)
    assert numbers(3) != numbers(4)


def test_a_law_that_admits_no_case_is_an_error_not_a_pass():
    def law(target, case):
        raise NotAdmitted("nothing is ever admitted")
        yield

    result = one(law)
    assert result.result == "errored"
    assert "nothing is ever admitted" in result.note
    assert not is_ok([result])


def test_an_infinite_bound_admits_no_case():
    def law(target, case):
        yield Comparison("anything", 1.0, 2.0, np.inf)

    assert one(law).result == "errored"


def test_a_law_of_one_case_is_tried_once():
    only = Cases(st.just(CORPORA.ordinary), CORPORA.ordinary)
    calls = []

    def law(target, case):
        calls.append(case)
        yield Comparison("anything", 0.0, 0.0, 0.5)

    assert one(law, cases=only).cases == len(calls) == 1
    calls.clear()
    assert one(law).cases == len(calls) > 1


def test_a_law_that_only_the_ordinary_case_breaks_is_caught():
    def law(target, case):
        yield Comparison("anything", float(case is CORPORA.ordinary), 0.0, 0.5)

    assert one(law).result == "failed"


@pytest.mark.parametrize(("ratio", "state"), [(1.0, "passed"), (1 + 2.0**-50, "failed")])
def test_a_bound_is_kept_to_the_last_bit(ratio, state):
    def law(target, case):
        yield Comparison("anything", ratio, 0.0, 1.0)

    result = one(law)
    assert result.result == state
    assert result.error_over_bound == ratio


def test_the_worst_error_is_that_of_all_cases_and_the_entry_that_of_the_largest():
    ratios = iter([0.25, 0.75, *[0.5] * 1000])

    def law(target, case):
        yield Comparison("anything", [0.0, next(ratios)], [0.0, 0.0], 1.0)

    assert one(law).error_over_bound == 0.75

    def wrong(target, case):
        yield Comparison("anything", [0.0, 3.0, 2.0], [0.0, 0.0, 0.0], 1.0)

    result = one(wrong)
    assert (result.counterexample["index"], result.counterexample["ratio"]) == ([1], 3.0)


def test_a_dear_check_has_fewer_cases_but_never_less_than_the_fewest():
    """The ordinary case comes on top of those that are drawn."""

    def law(target, case):
        yield Comparison("anything", 0.0, 0.0, 1.0)

    def cases(cost, profile):
        check = Check("test.law", "A law.", "derived here", CORPORA, law, needs=("statistics",), cost=cost)
        return run_check(check, Target(reference), profile=profile, seed=0).cases

    for profile in ("quick", "ci"):
        assert cases(1, profile) == PROFILES[profile] + 1
        assert cases(4, profile) == PROFILES[profile] // 4 + 1
        assert cases(1000, profile) == FEWEST[profile] + 1


def test_an_implementation_that_exits_is_a_failure_not_a_success():
    def statistics(tokens, vocab_size):
        raise SystemExit(0)

    result = check_implementation(With("exits", statistics=statistics), checks=select(["statistics.B_bar"]))[
        0
    ]
    assert result.result == "failed"
    assert "SystemExit" in result.note


@pytest.mark.parametrize(("name", "value"), [("dtype", "float16"), ("orientation", 5)])
def test_a_wrong_declaration_is_told_before_any_law_is_run(name, value):
    wrong = With("wrong", statistics=statistics)
    setattr(wrong, name, value)
    with pytest.raises(InputError, match=f"declares .*{name}"):
        Target(wrong)


def test_nan_fails():
    def law(target, case):
        yield Comparison("anything", np.nan, 2.0, 1.0)

    result = one(law)
    assert result.result == "failed"
    assert result.counterexample["got"] == "nan"


def test_a_check_that_breaks_is_an_error():
    def law(target, case):
        raise KeyError("oops")
        yield

    result = one(law)
    assert result.result == "errored"
    assert "KeyError" in result.note


def test_a_missing_method_is_told_and_nothing_else_is_skipped():
    results = check_implementation(With("only statistics", statistics=statistics))
    for result in results:
        check = next(check for check in CHECKS if check.id == result.check)
        if check.needs == ("statistics",):
            assert result.result == "passed"
        else:
            assert result.result == "not_applicable"
            assert "the implementation has no" in result.note


def test_a_missing_statistic_is_a_capability_and_a_missing_weight_a_failure():
    def some(tokens, vocab_size):
        return {"B_bar": statistics(tokens, vocab_size)["B_bar"]}

    results = {r.check: r.result for r in check_implementation(With("some", statistics=some))}
    assert results["statistics.B_bar"] == "passed"
    assert results["statistics.Q_bar"] == "not_applicable"

    without = With(
        "no P", train=lambda *arguments: {k: v for k, v in reference.train(*arguments).items() if k != "P"}
    )
    result = check_implementation(without, checks=select(["descent.parameters"]))[0]
    assert result.result == "failed"
    assert "answered no 'P'" in result.note


def test_a_failure_is_shrunk_and_told_in_full():
    def transposed(tokens, vocab_size):
        return {name: value.T for name, value in statistics(tokens, vocab_size).items()}

    result = check_implementation(
        With("transposed", statistics=transposed), checks=select(["statistics.B_bar"])
    )[0]
    assert result.result == "failed"
    shown = result.counterexample
    # The smallest corpus with an asymmetric bigram table: one sequence a b, or b a, over two words.
    assert np.array(shown["case"]["tokens"]).shape == (1, 2)
    assert shown["case"]["vocab_size"] == 2
    assert shown["looks_like"] == "transposed"
    assert shown["exact"] in ("1/2", "-1/2", "0")
    assert float(shown["ratio"]) > 1
    assert result.command == "leadterms verify transposed --check statistics.B_bar --seed 0"


def test_a_wrong_statistic_fails_the_laws_that_it_breaks_and_no_other(ten_stories):
    def swapped(tokens, vocab_size):
        return statistics(tokens[:, ::-1], vocab_size)  # pairs as (next, current)

    laws = select(["statistics.B_bar", "statistics.B_bar_rows", "statistics.unseen_words"])
    results = check_implementation(With("swapped", statistics=swapped), checks=laws, corpus=ten_stories)
    found = {result.check: result for result in results}
    assert "slip" in dict(failure_rows(found["statistics.B_bar"]))
    assert str(dict(failure_rows(found["statistics.unseen_words"]))["expected"]) == "0.0", (
        "a zero has no sign"
    )
    # Its rows do sum to zero, but for their own rounding: also where the right row has no entries.
    assert found["statistics.B_bar_rows"].result == "passed"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("a string", "answered a str, not a mapping"),
        ({"B_bar": "text"}, "no array of numbers"),
        ({"B_bar": [[1, 2], [3]]}, "no array of numbers"),
    ],
)
def test_an_answer_that_is_none_is_a_failure_with_a_sentence(answer, told):
    wrong = With("wrong", statistics=lambda tokens, vocab_size: answer)
    result = check_implementation(wrong, checks=select(["statistics.B_bar"]))[0]
    assert result.result == "failed"
    assert told in result.note


def test_an_implementation_that_raises_is_a_failure_with_its_message():
    def statistics(tokens, vocab_size):
        raise RuntimeError("out of luck")

    result = check_implementation(With("raises", statistics=statistics), checks=select(["statistics.B_bar"]))[
        0
    ]
    assert result.result == "failed"
    assert "statistics raised RuntimeError: out of luck" in result.note


@pytest.mark.parametrize("raises", ["on two", "on more"])
def test_a_failure_tells_of_the_case_that_it_shows_and_of_no_other(raises):
    """It fails in two ways, by size: whichever is shown at last, nothing is left of the other."""

    def two_ways(tokens, vocab_size):
        right = statistics(tokens, vocab_size)["B_bar"]
        if vocab_size > 1 and (vocab_size == 2) == (raises == "on two"):
            raise ValueError(raises)
        return {"B_bar": right.T}

    (result,) = check_implementation(With("wrong", statistics=two_ways), checks=select(["statistics.B_bar"]))
    shown = result.counterexample
    assert result.result == "failed"
    assert (result.note is not None) == ("error" in shown) == ("got" not in shown)
    assert not ("error" in shown and "looks_like" in shown)


def test_a_zero_over_zero_is_told_where_two_answers_are_compared():
    def score(first, second):
        with np.errstate(invalid="ignore"):
            return np.linalg.norm(first @ second) / np.linalg.norm(first) / np.linalg.norm(second)

    laws = select(["composition.scale_free"])
    (result,) = check_implementation(With("wrong", composition_score=score), checks=laws)
    assert result.counterexample["got"] == result.counterexample["expected"] == "nan"
    assert "look for 0/0" in result.note


def test_a_wrong_shape_is_told_as_such():
    result = check_implementation(
        With("flat", statistics=lambda t, v: {"B_bar": np.zeros(3)}), checks=select(["statistics.B_bar"])
    )[0]
    assert "its shape is [3], not [" in result.counterexample["error"]


def test_an_implementation_may_declare_another_orientation():
    flipped = With("flipped", statistics=lambda t, v: {"B_bar": statistics(t, v)["B_bar"].T})
    flipped.orientation = {"B_bar": "next,current"}
    assert check_implementation(flipped, checks=select(["statistics.B_bar"]))[0].result == "passed"
    flipped.orientation = {"B_bar": "up,down"}
    assert (
        "must name current and next"
        in check_implementation(flipped, checks=select(["statistics.B_bar"]))[0].note
    )


def test_the_subject_cannot_change_the_case_and_one_law_tells_that_it_tries():
    def spoils(tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        tokens[:] = 0
        return found

    results = check_implementation(With("spoils", statistics=spoils), checks=select(["statistics"]))
    assert [result.check for result in results if result.result != "passed"] == ["statistics.given"]


class OneArray:
    """Writes every answer of a shape into the same array; keeps half of what lies along the direction."""

    def __init__(self, share):
        self.share, self.kept = share, {}

    def _into(self, name, value):
        kept = self.kept.setdefault((name, value.shape), np.empty(value.shape))
        kept[...] = value
        return kept

    def statistics(self, tokens, vocab_size):
        return {name: self._into(name, value) for name, value in statistics(tokens, vocab_size).items()}

    def remove_projection(self, weight, direction):
        norm = (direction * direction).sum() or 1.0
        return self._into("rest", weight - self.share * (weight * direction).sum() / norm * direction)


def test_an_implementation_may_answer_in_the_same_arrays_and_is_held_to_what_it_answered():
    laws = select(["statistics.merged", "statistics.renamed", "projection"])
    assert {result.result for result in check_implementation(OneArray(1.0), checks=laws)} == {"passed"}
    half = {r.check: r.result for r in check_implementation(OneArray(0.5), checks=laws)}
    # Idempotence compares two answers, which are one array.
    assert half["projection.idempotent"] == "failed"


def test_an_unknown_check_is_told_with_a_near_one():
    with pytest.raises(InputError, match=r"Did you mean statistics.Q_bar\?"):
        select(["statistics.Qbar"])


def test_a_corpus_adds_a_case(ten_stories):
    check = select(["statistics.B_bar"])
    without = check_implementation("reference", checks=check)[0].cases
    assert check_implementation("reference", checks=check, corpus=ten_stories)[0].cases == without + 1
    assert EXACT_CORPORA.of_corpus(ten_stories).tokens.shape == (2, 11)


def test_cases_that_are_not_drawn_alike_twice_are_the_checks_fault_and_not_the_implementations():
    drawn = iter(range(10**6))

    @st.composite
    def other_each_time(draw):
        return draw(st.integers(0, 2 + next(drawn)))

    result = one(lambda target, case: iter(()), cases=replace(CORPORA, strategy=other_each_time()))
    assert result.result == "errored"
    assert "not drawn alike twice" in result.note
    assert result.counterexample is None
