"""The checks bite: each wrong implementation that ships is caught by the checks named for it."""

from dataclasses import replace

import numpy as np
import pytest

from paper_checks.mutants import run_mutants, show_mutants
from properties import check_implementation
from properties.catalogue import CHECKS, select
from properties.explaining import DEAREST
from properties.mutants import equivalent, proofs, trial
from properties.mutants.catalogue import MUTANTS
from properties.mutants.equivalent import EQUIVALENTS, Equivalent
from properties.mutants.mutant import MODULES, Mutant, implementation, plain, planted
from properties.runner import first_failure
from properties.slips import KINDS
from properties.target import METHODS, Target
from properties.tolerances import rounding
from reference.errors import InputError
from reference.sequences import build_corpus
from reference.stories import stories
from reference.tokenizers import words

FEWEST = 60
HELD = [check for check in CHECKS if check.needs]


def named(id):
    return next(mutant for mutant in MUTANTS if mutant.id == id)


def slip(like="B_bar_transposed", **changes):
    return replace(named(like), **changes)


def test_mutants_cover_every_method_and_every_check():
    assert len(MUTANTS) >= FEWEST
    assert {mutant.method for mutant in MUTANTS} == set(METHODS)
    unproven = {check.id for check in HELD} - {check for mutant in MUTANTS for check in mutant.caught_by}
    assert not unproven, "no mutant shows that these checks bite: add one that they must catch"


@pytest.mark.parametrize("mutant", [*MUTANTS, *(one.mutant for one in EQUIVALENTS)], ids=lambda m: m.id)
def test_a_mutant_is_one_slip_in_one_method_that_checks_of_that_method_are_named_for(mutant):
    wrong, right = implementation(mutant), plain()
    differ = {name for name in METHODS if getattr(wrong, name) is not getattr(right, name)}
    assert differ == {mutant.method}
    assert mutant.right != mutant.wrong
    for check in select(mutant.caught_by):
        assert mutant.method in check.needs
    assert mutant.kind is None or mutant.kind in KINDS
    assert mutant.slip[-1] not in ".,;"


def test_ids_are_unique_and_no_two_mutants_are_the_same():
    every = [*MUTANTS, *(one.mutant for one in EQUIVALENTS)]
    assert len({mutant.id for mutant in every}) == len(every)
    assert len({(m.method, m.function, m.right, m.wrong) for m in every}) == len(every)


def test_without_a_slip_the_implementation_passes():
    """Or a check would turn red at something else than the slip. The dear laws are left to the deep run."""
    checks = [check for check in HELD if check.cost <= DEAREST]
    results = check_implementation(plain(), checks=checks, profile="quick", seed=2)
    assert {r.check: r.counterexample or r.note for r in results if r.result != "passed"} == {}


@pytest.mark.parametrize("method", METHODS)
def test_the_first_check_named_for_a_mutant_catches_it(method):
    for mutant in MUTANTS:
        if mutant.method == method:
            first = replace(mutant, caught_by=mutant.caught_by[:1])
            result = trial.try_mutant(first, profile="ci", seed=1)
            assert result.result == "passed", (mutant.id, result.note)


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_mutant_is_caught_by_every_check_named_for_it(seed):
    run = run_mutants([], profile="ci", seed=seed, command="leadterms verify --mutants")
    assert {r.check: r.note for r in run.results if r.result != "passed"} == {}
    assert run.footer["mutants"]["share"] == 1.0


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_a_slip_the_implementation_passes_every_check(seed):
    results = check_implementation(plain(), checks=HELD, profile="ci", seed=seed)
    assert {r.check: r.counterexample or r.note for r in results if r.result != "passed"} == {}


@pytest.mark.parametrize("one", EQUIVALENTS, ids=lambda one: one.mutant.id)
def test_a_slip_that_changes_nothing_is_proved_to_and_passes(one):
    verdict = one.proof()
    assert verdict.holds, verdict
    first = replace(one.mutant, caught_by=one.mutant.caught_by[-1:])
    result = trial.try_equivalent(replace(one, mutant=first), profile="quick", seed=0)
    assert result.result == "passed", result.note
    assert result.evidence == "proved"


def test_a_mutant_that_survives_is_told():
    harmless = slip(wrong="return (count - uniform) / positions + 0", id="harmless")
    result = trial.try_mutant(harmless, profile="quick", seed=0)
    assert (result.result, result.note) == ("failed", "no check catches it")


def test_a_mutant_that_only_another_check_catches_is_told():
    result = trial.try_mutant(slip(caught_by=("statistics.Phi_bar",)), profile="quick", seed=0)
    assert result.result == "failed"
    assert result.note.startswith("it is caught only by statistics.B_bar, ")
    assert result.note.endswith(", not named for it")


def test_a_check_that_is_named_and_stays_green_is_told():
    both = slip(caught_by=("statistics.B_bar", "statistics.Phi_bar"))
    result = trial.try_mutant(both, profile="quick", seed=0)
    assert (result.result, result.note) == ("failed", "statistics.Phi_bar should catch it and does not")


def test_a_slip_that_raises_is_caught_by_no_check():
    raises = slip(wrong="return nothing", id="raises")
    assert trial.try_mutant(raises, profile="quick", seed=0).result == "failed"


def test_a_wrong_claim_that_nothing_changes_is_refuted():
    """A true proof of something else does not help a slip that shows; nor does a false proof."""
    shows = Equivalent(slip(), "it is said so", EQUIVALENTS[0].proof)
    result = trial.try_equivalent(shows, profile="quick", seed=0)
    assert result.result == "failed"
    assert "statistics.B_bar" in result.note

    def transposed(corpus, right):
        return {"Phi_bar": right["Phi_bar"].transpose()}

    verdict = proofs.for_every_corpus("Phi_bar transposed", transposed)
    assert not verdict.holds
    assert "Phi_bar for V = 2, T = 1" in str(verdict)
    unproved = replace(EQUIVALENTS[0], proof=lambda: verdict)
    assert (
        "it is not proved to change nothing" in trial.try_equivalent(unproved, profile="quick", seed=0).note
    )


def test_a_proof_refutes_what_is_nearly_true(monkeypatch):
    """Weights that do not sum to one, and a projection that is removed once and a half."""
    assert proofs.softmax_jacobian_sums_to_zero().holds
    row = proofs._row

    def without_the_last(n):
        weights, pull, shift = row(n + 1)
        return weights[:n], pull[:n], shift

    monkeypatch.setattr(proofs, "_row", without_the_last)
    assert not proofs.softmax_jacobian_sums_to_zero().holds
    assert not proofs.softmax_jacobian_of_shifted().holds
    dot = proofs._dot
    monkeypatch.setattr(proofs, "_dot", lambda a, b: dot(a, b) + dot(a, b) * (a is b))
    assert not proofs.nothing_left_along_the_direction().holds
    assert not proofs._vanish("two", [2]).holds


def test_the_uniform_part_drops_out_of_what_is_composed_but_not_out_of_the_tables():
    """Where it is proved to change nothing, and where the same slip is wrong."""
    because = {one.mutant.id: one.because for one in EQUIVALENTS}
    assert "rows of B_bar sum to zero" in because["same_uniform_part_of_the_pull"]
    assert named("B_bar_uniform_part").kind == named("Phi_bar_uniform_part").kind


@pytest.mark.parametrize(
    ("right", "function"), [("nowhere", "bigram"), ("count", "bigram"), ("return", "nosuch")]
)
def test_a_slip_that_cannot_be_planted_is_refused(right, function):
    with pytest.raises(ValueError, match=r"times, not once|has no function"):
        planted(MODULES["statistics"], function, right, "x")


# Alignment is no evidence: these keep the direction of what they get wrong, or nearly so.
SAME_DIRECTION = [
    "B_bar_not_divided",
    "B_bar_divided_by_N",
    "Phi_bar_not_divided",
    "Sigma_B_averaged",
    "Q_bar_not_divided",
    "Delta_bar_not_divided",
]
NEARLY = {
    # The wrong composition, and the statistics whose cosine with the right ones is above .99 on stories.
    "Sigma_B_covariance": ("Sigma_B", "G_bar", "Q_bar", "Delta_bar"),
    "Sigma_B_diagonal": ("Q_bar", "Delta_bar"),
    "G_bar_Sigma_B_twice": ("Q_bar", "Delta_bar"),
    "Phi_bar_prefix_length_off_by_one": ("G_bar", "Q_bar", "Delta_bar"),
}
HIGH = 0.99


@pytest.fixture(scope="module")
def corpus():
    return build_corpus(stories(20, seed=0), words, length=12)


def cosines(id, corpus):
    wrong = implementation(named(id)).statistics(corpus.tokens, corpus.vocab_size)
    right = plain().statistics(corpus.tokens, corpus.vocab_size)
    return {
        name: float((wrong[name] * right[name]).sum() / np.linalg.norm(wrong[name]) / np.linalg.norm(value))
        for name, value in right.items()
    }


def entry_check(name, id, corpus):
    (check,) = select([f"statistics.{name}"])
    result = first_failure(check, Target(implementation(named(id))), profile="ci", seed=0)
    return result.result, result.counterexample["comparison"]


@pytest.mark.parametrize("id", SAME_DIRECTION)
def test_a_wrong_scale_has_the_right_direction_and_is_caught_by_its_entries(id, corpus):
    mutant, found = named(id), cosines(id, corpus)
    name = mutant.caught_by[0].removeprefix("statistics.")
    assert abs(found[name] - 1) <= rounding(1.0, 4 * corpus.vocab_size**2, "float64")
    assert entry_check(name, id, corpus) == ("failed", name)


@pytest.mark.parametrize("id", NEARLY)
def test_a_wrong_composition_may_score_a_cosine_of_99_percent_and_is_caught_by_its_entries(id, corpus):
    found = cosines(id, corpus)
    for name in NEARLY[id]:
        assert HIGH < found[name] < 1, name
        assert entry_check(name, id, corpus) == ("failed", name)


def test_layers_that_share_a_gradient_have_the_right_leading_terms_and_are_caught_by_their_entries():
    """They part ways at eta^4 only: no fitted order tells, the parameters do."""
    mutant = named("train_layers_share_a_gradient")
    target = Target(implementation(mutant))
    results = {
        check.id: first_failure(check, target, profile="quick", seed=0).result
        for check in select(["scaling.V", "scaling.W", "scaling.P", "descent.parameters"])
    }
    assert results.pop("descent.parameters") == "failed"
    assert set(results.values()) == {"passed"}


def test_mutants_are_chosen_by_id_method_check_or_family():
    chosen = trial.chosen
    assert [m.id for m in chosen(["mutants.B_bar_transposed"])[0]] == ["B_bar_transposed"]
    assert {m.method for m in chosen(["loss"])[0]} == {"loss"}
    assert [one.mutant.id for one in chosen(["loss"])[1]] == ["same_mean_of_means"]
    assert all("bounds.D5" in m.caught_by for m in chosen(["bounds.D5"])[0])
    assert {m.method for m in chosen(["projection"])[0]} == {"remove_projection"}
    assert len(chosen([])[0]) == len(MUTANTS)
    with pytest.raises(InputError, match=r"Did you mean B_bar_transposed\?"):
        chosen(["B_bar_transpose"])


def test_a_survivor_makes_the_run_red_and_lowers_the_share(monkeypatch, capsys):
    from rich.console import Console

    harmless = slip("composition_squared", wrong="float(np.linalg.norm(product) / size + 0)", id="harmless")
    monkeypatch.setattr(trial, "MUTANTS", (named("composition_squared"), harmless))
    monkeypatch.setattr(trial, "EQUIVALENTS", tuple(equivalent.EQUIVALENTS[-1:]))
    run = run_mutants([], profile="ci", seed=0, command="leadterms verify --mutants")
    assert not run.ok
    assert run.footer["mutants"] == {"wrong": 2, "caught": 1, "share": 0.5, "equivalent": 1}
    show_mutants(run, Console(width=80))
    told = " ".join(capsys.readouterr().out.split())
    assert "1 of 2 wrong implementations caught (50.0%), 1 slips proved to change nothing" in told
    assert "no check catches it" in told


def test_the_slip_of_a_mutant_reads_as_a_sentence():
    for mutant in [*MUTANTS, *(one.mutant for one in EQUIVALENTS)]:
        assert isinstance(mutant, Mutant)
        assert mutant.sentence[0].isupper() or mutant.sentence.startswith(("1/", "a "))
        assert mutant.sentence.endswith(".")
