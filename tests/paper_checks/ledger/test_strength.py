"""How strong the evidence for a verdict is, and what is missing: by its means, or by the steps climbed."""

import inspect
import re
from dataclasses import replace

import pytest
from planted import claim_of, of_poems

from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import decide, own_results
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.registry import computations
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.strength import strength_of
from properties.results import Evidence, Result, Run

CLAIM = claim_of("trained-cyclic-score")
RUNS = [{"layers": 2, "scores": [0.1, 0.9]}] * 2


def observed(*steps):
    return [{"about": "x", "step": step, "holds": holds, "claims": [CLAIM.id]} for step, holds in steps]


def decided(**experiment):
    name = "induction.random_period"
    setting = Setting(experiments={name: {"runs": RUNS, **experiment}}, origins={name: "a file.jsonl"})
    (one,) = decide([CLAIM], setting)
    return one


@pytest.mark.parametrize("evidence", Evidence.__args__)
@pytest.mark.parametrize("needs", ["nothing", "small corpus", "text"])
def test_the_words_say_on_what_it_was_tried(evidence, needs):
    about = replace(CLAIM, needs=needs)
    for verdict in ("holds", "holds_to_rounding"):
        plain, tried = (
            strength_of(about, Finding(verdict, evidence, "x", tried=on)) for on in ("", "7 cases")
        )
        assert plain.words
        # Proved for every case, or read in print: then no case was tried.
        assert ("7 cases" in tried.words) == (evidence not in ("proved", "quoted"))
        assert (tried.missing == "nothing") == (evidence == "proved")
    assert strength_of(about, Finding("holds", "exact", "x", tried="7 cases")).words == "on 7 cases"


def test_a_computation_on_cases_that_stand_for_all_says_on_which():
    """Whatever draws, or builds on the drawn corpora, is not of the claim's own numbers alone."""
    for one in computations().values():
        drawn = re.search(r"setting\.(seed|tiny|small)\b|_exact\(setting\)", inspect.getsource(one.decide))
        assert one.tried or not drawn, one.id


def passed(check, evidence, cases):
    return Result(check, "theory", "passed", "A law.", "derived here", evidence, cases=cases)


def words_of(claim_id, *results):
    (one,) = decide([claim_of(claim_id)], Setting(results={result.check: result for result in results}))
    return one.strength.words, one.strength.missing


@pytest.mark.parametrize(
    ("claim_id", "check"),
    [
        ("paper-lemma-d2-jacobian", "bounds.softmax"),
        ("paper-lemma-d2-lipschitz", "bounds.softmax"),
        ("paper-jacobian-norm", "bounds.uniform_attention"),
    ],
)
def test_a_law_that_was_tried_on_cases_is_not_arithmetic_alone(claim_id, check):
    assert words_of(claim_id, passed(check, "exact", 7)) == ("on 7 cases", "a proof for every case")


def test_a_law_beside_arithmetic_is_told_unless_it_is_proved():
    """The same number from the same computation, with laws tried on cases and with a proved one."""
    values, summed = "random.published_values", "theory.baselines_summed"
    laws = [passed(values, "exact", 2), passed("theory.baselines", "exact", 5)]
    words, missing = words_of("random-entropy-baseline", *laws)
    assert (words, missing) == ("on what is stated, by laws tried on 7 cases", "a proof for every case")
    words, missing = words_of("random-diagonal-baseline", *laws, passed(summed, "proved", 5))
    assert (words, missing) == ("by arithmetic alone", "nothing")


def test_a_weaker_law_beside_a_proof_is_told_with_its_own_cases():
    """What was tried of it, and not what a stronger law was tried on besides, nor what was computed."""
    claim = replace(
        claim_of("qk-coefficient-at-3"), checks=("a.one", "a.two", "early_training.score_coefficients")
    )
    laws = [passed("a.one", "exact", 5), passed("a.two", "property", 7)]
    (one,) = decide([claim], Setting(results={law.check: law for law in laws}))
    assert (one.finding.verdict, one.finding.evidence) == ("holds", "property")
    assert one.strength.words == "on 7 cases, within rounding"


@pytest.mark.parametrize("kind", ["fact", "theorem"])
def test_what_rests_on_others_is_no_surer_than_they_are(kind):
    """Whatever was computed besides: the law is proved, and the claim is quoted all the same."""
    quoted = {kind: "It is so.", "work": "A work, 1999"}
    claim = replace(claim_of("paper-gaussian-theorem"), quoted=quoted, why="")
    (one,) = decide([claim], Setting(results={"bounds.D13_proved": passed("bounds.D13_proved", "proved", 2)}))
    assert (one.finding.verdict, one.finding.evidence) == ("holds", "quoted")
    assert one.finding.derivation == "A work, 1999: It is so. A law."
    words = {"fact": "a fact that another work prints", "theorem": "a theorem of others is right"}
    assert one.strength.words.endswith(f"{words[kind]}: A work, 1999")
    assert one.strength.missing != "nothing"
    assert one.as_row()["quoted"] == claim.quoted


def test_claims_rest_on_the_mathematics_and_the_reference_of_a_run():
    """Not on another implementation that was tried besides, which may be wrong."""
    law, theirs = passed("a.one", "exact", 5), passed("a.two", "property", 7)
    wrong = replace(theirs, target="py:mine:Mine", result="failed")
    run = Run({}, (law, replace(theirs, target="reference"), wrong), {})
    assert {check: one.target for check, one in own_results(run).items()} == {
        "a.one": "theory",
        "a.two": "reference",
    }


def test_a_definition_is_neither_true_nor_false_so_that_no_proof_is_missing():
    assert words_of("rank90") == ("shown to be usable on 10 drawn spectra and one on the edge", "nothing")


def test_every_claim_has_a_strength_and_says_what_is_missing():
    chosen = [claim for claim in claims() if claim.needs in ("training run", "pretrained model", "text")]
    for one in decide(chosen, Setting()):
        row = one.as_row()
        assert row["strength"], one.claim.id
        assert row["missing"], one.claim.id
        if row["verdict"] == "not_run":
            assert row["strength"] == "none yet"
            assert row["missing"] == one.finding.derivation.removeprefix("Needs ").removesuffix(".")


def test_experiments_climb_the_steps():
    whole = decided(observations=observed(*[(step, True) for step in range(1, 7)]))
    assert whole.finding.verdict == "holds"
    assert (whole.strength.words, whole.strength.missing) == ("x: a mechanism, 6 of 6 steps", "nothing")
    assert whole.command == f"leadterms claims {CLAIM.id} --experiments 'a file.jsonl'"
    gap = decided(observations=observed((1, True), (2, True), (3, False), (5, True)))
    assert gap.strength.words.startswith(
        "x: a pattern, 2 of 6 steps; against it: not absent in random models"
    )
    assert gap.strength.words.endswith("; ahead of a gap: changes under ablation")
    assert gap.strength.missing == "present in the data, changes under a targeted intervention"
    # Of other claims' observations nothing follows for this one.
    other = [{**one, "claims": ["profile-table"]} for one in observed((3, True))]
    assert decided(observations=other).strength == decided().strength


@pytest.mark.parametrize(("verdict", "strength"), [("holds", "a pattern"), ("refuted", "an anecdote")])
def test_what_was_only_measured_is_what_the_source_saw_and_whether_it_recurs(verdict, strength):
    found = strength_of(CLAIM, Finding(verdict, "measured", "x"))
    assert found.words.startswith(strength)
    assert "changes under ablation" in found.missing


def test_mathematics_is_as_sure_as_its_means():
    law = replace(CLAIM, needs="nothing")
    assert strength_of(law, Finding("refuted", "exact", "x")).missing == "nothing"
    on_cases = Finding("holds", "exact", "x", tried="7 cases")
    assert strength_of(replace(law, needs="small corpus"), on_cases).missing == "a proof for every corpus"
    assert strength_of(law, replace(on_cases, missing="nothing")).missing == "nothing"  # one case was enough
    assert strength_of(law, Finding("inconclusive", "exact", "x", "It is open.")).missing == "It is open"


@pytest.mark.parametrize("evidence", ["exact", "property"])
def test_a_case_against_a_claim_about_every_case_leaves_no_proof_to_be_missing(evidence):
    about_any, about_one = (replace(CLAIM, needs=needs) for needs in ("small corpus", "text"))
    refuted = Finding("refuted", evidence, "x", tried="7 cases")
    assert strength_of(about_any, refuted).missing == "nothing"
    for other in ("holds", "holds_to_rounding"):
        assert "proof" in strength_of(about_any, replace(refuted, verdict=other)).missing
    # A claim about one text is refuted on that text, which may be another one than was given.
    assert "proof" in strength_of(about_one, refuted).missing


def test_what_would_decide_is_missing():
    open_still = Finding("inconclusive", "measured", "x", "Run by run.", missing="runs that differ less")
    assert strength_of(CLAIM, open_still).missing == "runs that differ less"


@pytest.mark.parametrize(
    ("size", "claimed"), [("layers", "2"), ("heads", "4"), ("width", "128"), ("context", "64")]
)
def test_models_of_other_sizes_are_missing(size, claimed):
    setting = Setting(experiments=of_poems("poems.heads", [], **{size: 8}))
    (one,) = decide([claim_of("profile-table")], setting)
    assert f"{size} 8 where the claim has {claimed}" in one.strength.missing
