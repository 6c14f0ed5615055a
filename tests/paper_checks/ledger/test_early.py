"""The verdicts on the post's and the notes' claims turn round when what they are computed from does."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import found
from paper_checks.ledger.decisions import circuits, early_experiments, early_statistics, early_training
from paper_checks.ledger.decisions.early_neighbours import hit_rate, listed, ranks
from paper_checks.ledger.finding import NotGiven
from paper_checks.ledger.setting import Setting
from reference.corpus import Corpus
from theory.statistics import exact_statistics, leading_directions

CLAIMS = {claim.id: claim for claim in claims()}


def given(claim_id, **values):
    claim = CLAIMS[claim_id]
    return replace(claim, given={**claim.given, **values})


def statistics_with(name, change):
    """Return `exact_statistics` with one matrix changed."""

    def changed(tokens, V):
        statistics = exact_statistics(tokens, V)
        return {**statistics, name: change(statistics[name])}

    return changed


def directions_with_negated_value(statistics):
    return {**leading_directions(statistics), "V": leading_directions(statistics)["V"] * fmpq(-1)}


def absolute(matrix):
    return fmpq_mat(matrix.nrows(), matrix.ncols(), [abs(one) for one in matrix.entries()])


def double(matrix):
    return matrix * fmpq(2)


# A claim, the module that decides it, what to put in place of what, and so the opposite verdict.
PLANTED = [
    ("phibar-definition", early_statistics, "exact_statistics", statistics_with("Phi_bar", double)),
    ("column-norm-formula", early_statistics, "exact_statistics", statistics_with("Sigma_B", double)),
    ("rows-vs-columns", early_statistics, "exact_statistics", statistics_with("Sigma_B", double)),
    ("kernel-propagation-expansion", early_statistics, "exact_statistics", statistics_with("G_bar", double)),
    ("negative-cosine-inhibits", early_statistics, "exact_statistics", statistics_with("Sigma_B", absolute)),
    ("value-row-coordinates", early_statistics, "leading_directions", directions_with_negated_value),
    ("message-to-logits", early_statistics, "leading_directions", directions_with_negated_value),
    ("one-layer-output-form", early_statistics, "leading_directions", directions_with_negated_value),
    ("sparse-counting-equivalence", early_statistics, "exact_statistics", statistics_with("Q_bar", double)),
    ("sigma-phi-row-convention", early_statistics, "exact_statistics", statistics_with("G_bar", double)),
    ("score-gradient-core", early_training, "leading_directions", directions_with_negated_value),
]


@pytest.mark.parametrize(("claim_id", "module", "name", "wrong"), PLANTED, ids=lambda one: str(one)[:30])
def test_a_wrong_statistic_refutes_the_identity(monkeypatch, claim_id, module, name, wrong):
    assert found(CLAIMS[claim_id], Setting()).verdict in ("holds", "definition")
    monkeypatch.setattr(module, name, wrong)
    assert found(CLAIMS[claim_id], Setting()).verdict == "refuted"


def test_a_check_that_fails_refutes_what_it_decides():
    setting = Setting()
    passed = setting.result("statistics.B_bar")
    setting.results["statistics.B_bar"] = replace(
        passed, result="failed", counterexample={"got": 1, "expected": 0, "entry": "B_bar[0, 1]"}
    )
    finding = found(CLAIMS["bbar-definition"], setting)
    assert finding.verdict == "refuted"
    assert "B_bar[0, 1]" in finding.derivation


def test_a_check_that_fails_leaves_a_computation_open():
    setting = Setting()
    setting.results["bounds.norms"] = replace(setting.result("bounds.norms"), result="failed")
    assert found(CLAIMS["pond-frog-attainable"], setting).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("claim_id", "values", "verdict"),
    [
        ("pond-frog-attainable", {"norms": ["0.6", "0.7"]}, "holds"),
        ("wo-dot-he", {"weight": "0.0120"}, "refuted"),
        ("score-scale-float32", {"change": "1e-6"}, "refuted"),
        ("leading-coefficients-at-run", {"steps": "3"}, "holds"),
        ("pythia-training-data", {"record": "openwebtext"}, "holds"),
        ("shortformer-positions", {"entered": "the stream, once"}, "holds"),
    ],
)
def test_other_inputs_give_the_other_verdict(claim_id, values, verdict):
    assert found(CLAIMS[claim_id], Setting()).verdict != verdict
    assert found(given(claim_id, **values), Setting()).verdict == verdict


def test_batches_that_have_nothing_in_common_are_not_the_full_batch():
    setting = Setting()
    halves = np.array([[0, 1, 0, 1], [2, 3, 2, 3]])
    setting.__dict__["small"] = Corpus(halves, ("a", "b", "c", "d"), "two halves")
    claim = given("full-batch-vs-sgd", epochs="1", batches="2")
    assert found(claim, setting).verdict == "refuted"


def test_versions_with_another_number_differ(monkeypatch):
    monkeypatch.setattr(
        early_experiments, "tables", lambda: {"early-decimals": {"english": ["1.5"], "chinese": ["1.6"]}}
    )
    finding = found(CLAIMS["translation-numbers-agree"], Setting())
    assert (finding.verdict, finding.computed) == ("refuted", "they differ in 1.5, 1.6")


def test_an_experiment_decides_what_was_not_run():
    claim = CLAIMS["cos-output"]
    with pytest.raises(NotGiven):
        found(claim, Setting())
    for cosine, verdict in ((0.9982231, "holds"), (0.9981, "refuted")):
        experiments = {"tinystories": {"cosines": {"W_O": [cosine], "V": [0.9] * 3, "W": [0.9] * 3}}}
        assert found(claim, Setting(experiments=experiments)).verdict == verdict


TEXT = Corpus(np.array([[0, 1, 2, 3]]), ("a", "b", "c", "d"), "four words")


def test_lists_hold_by_a_ranking_and_are_refuted_when_spoken_against():
    claim = given("fish-neighbours", top="2")
    assert ranks(TEXT, np.array([0.1, 0.4, 0.3, 0.2]), ["b", "d"]) == {"b": 1, "d": 3}
    long = Corpus(np.zeros((2048, 2), dtype=np.int64), tuple("abcdefghi"), "nine words")
    assert listed(claim, long, {"one": {"b": 1}}).verdict == "holds"
    assert listed(claim, long, {"one": {"b": 3}, "two": {"b": 2}}).verdict == "holds"
    assert listed(claim, long, {"one": {"b": 3}}).verdict == "inconclusive"
    assert listed(claim, long, {"one": {"b": 5}}).verdict == "refuted"
    short = replace(long, tokens=long.tokens[1:])
    assert "has 2,047 sequences" in listed(claim, short, {"one": {"b": 5}}).derivation
    assert listed(claim, short, {"one": {"b": 5}}).verdict == "inconclusive"
    assert listed(claim, long, {"one": {"b": 5}, "two": {"b": 4}}).verdict == "inconclusive"
    assert listed(claim, long, {"one": {"b": 4}, "two": {"b": 5}}).verdict == "inconclusive"
    with pytest.raises(NotGiven, match="the word zebra"):
        ranks(TEXT, np.zeros(4), ["zebra"])


def test_the_hit_rate_leaves_the_word_itself_out():
    best = np.array([[0, 1], [0, 1], [3, 0], [2, 3]])
    assert hit_rate(best, [0, 1]) == 1.0
    assert hit_rate(best, [2, 3]) == 1.0
    assert hit_rate(best, [0, 2]) == 0.0


@pytest.mark.parametrize(
    "claim_id", ["frozen-attention-linear", "qk-bilinear-ov-linear", "composition-svd-identity"]
)
def test_an_identity_on_numbers_that_do_not_obey_it_is_refuted(monkeypatch, claim_id):
    monkeypatch.setattr(circuits, "inner", lambda a, b: fmpq(0))
    monkeypatch.setattr(circuits, "_random", lambda rng, rows, columns: fmpq_mat(rows, columns))
    assert found(CLAIMS[claim_id], Setting()).verdict == "refuted"


def test_a_head_that_looks_at_the_token_itself_is_no_induction_head(monkeypatch):
    monkeypatch.setattr(circuits, "predictions", lambda tokens: tokens)
    assert found(CLAIMS["induction-content-free"], Setting()).verdict == "refuted"


def test_a_score_that_sees_signs_would_fall(monkeypatch):
    monkeypatch.setattr(circuits, "composition_score", lambda a, b: float(np.sum(a @ b)))
    verdicts = {found(CLAIMS["composition-rotate-180"], Setting(seed=seed)).verdict for seed in range(8)}
    assert verdicts == {"holds", "refuted"}
