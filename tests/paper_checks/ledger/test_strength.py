"""How strong the evidence for a verdict is, and what is missing: by its means, or by the steps climbed."""

from dataclasses import replace

import pytest
from planted import claim_of, of_poems

from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import decide
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.strength import MEANS, strength_of
from properties.results import Evidence

CLAIM = claim_of("trained-cyclic-score")
RUNS = [{"layers": 2, "scores": [0.1, 0.9]}] * 2


def observed(*steps):
    return [{"about": "x", "step": step, "holds": holds, "claims": [CLAIM.id]} for step, holds in steps]


def decided(**experiment):
    name = "induction.random_period"
    setting = Setting(experiments={name: {"runs": RUNS, **experiment}}, origins={name: "a file.jsonl"})
    (one,) = decide([CLAIM], setting)
    return one


def test_every_means_has_words():
    assert set(MEANS) == {(kind, corpus) for kind in Evidence.__args__ for corpus in (False, True)}


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
    assert "proof" in strength_of(replace(law, needs="small corpus"), Finding("holds", "exact", "x")).missing
    assert strength_of(law, Finding("inconclusive", "exact", "x", "It is open.")).missing == "It is open"


@pytest.mark.parametrize("evidence", ["exact", "property"])
def test_a_case_against_a_claim_about_every_case_leaves_no_proof_to_be_missing(evidence):
    about_any, about_one = (replace(CLAIM, needs=needs) for needs in ("small corpus", "text"))
    assert strength_of(about_any, Finding("refuted", evidence, "x")).missing == "nothing"
    for other in ("holds", "holds_to_rounding"):
        assert "proof" in strength_of(about_any, Finding(other, evidence, "x")).missing
    # A claim about one text is refuted on that text, which may be another one than was given.
    assert "proof" in strength_of(about_one, Finding("refuted", evidence, "x")).missing


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
