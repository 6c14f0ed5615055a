"""The verdicts on the paper's claims turn round when what they are computed from does."""

from dataclasses import replace

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from paper_checks.ledger.book import claims
from paper_checks.ledger.decide import found
from paper_checks.ledger.decisions import paper_experiments, paper_statistics, paper_windows
from paper_checks.ledger.decisions.paper_experiments import attention_rank_one, value_rank_one
from paper_checks.ledger.setting import Setting
from reference.corpus import Corpus

CLAIMS = {claim.id: claim for claim in claims()}


def given(claim_id, **values):
    claim = CLAIMS[claim_id]
    return replace(claim, given={**claim.given, **values})


def test_a_window_that_holds_more_steps_is_found():
    assert found(given("paper-window-large-rate", rate="0.005"), Setting()).verdict == "holds"
    finding = found(given("paper-thm-window-steps", rate="0.0005"), Setting())
    assert finding.right == {"steps_inside": "55"}


def test_the_bounds_say_something_where_s_eta_T_is_small(monkeypatch):
    # A window cut to 104 s eta T < 1: so early that zero fails the bounds on some corpora.
    early = given("paper-thm-bounds-informative", T="60", layers="1", rate="0.000001")
    monkeypatch.setattr(paper_windows, "last_step_inside", lambda *_, **__: 3)
    assert found(early, Setting()).verdict == "holds"
    monkeypatch.setattr(paper_windows, "last_step_inside", lambda *_, **__: 30_000)
    assert found(early, Setting()).verdict == "refuted"


def test_a_bound_that_only_the_leading_term_meets_would_hold(monkeypatch):
    monkeypatch.setattr(paper_windows, "impostor_error_squared", lambda *_: fmpq(2))
    assert paper_windows.zero_passes(CLAIMS["paper-zero-passes-bounds"], Setting()).verdict == "holds"


def test_the_first_versions_lemma_holds_for_few_entries(monkeypatch):
    monkeypatch.setattr(paper_windows, "MOST_ENTRIES", 4)
    finding = paper_windows.first_version_jacobian(CLAIMS["paper-v1-lemma-d2"], Setting())
    assert finding.verdict == "holds"


@pytest.mark.parametrize(("cosine", "verdict"), [(0.2, "refuted"), (0.97, "holds")])
def test_alignment_from_a_gaussian_start_is_what_no_cosine_exceeds(cosine, verdict):
    setting = Setting()
    result = setting.result("bounds.start_alignment")
    told = {"cosine of W, at least": [-cosine], "cosine of W, at most": [cosine]}
    setting.results["bounds.start_alignment"] = replace(result, measurements=told)
    finding = paper_windows.gaussian_alignment(CLAIMS["paper-gaussian-alignment"], setting)
    assert finding.verdict == verdict


@pytest.mark.parametrize(("rate", "verdict"), [("0.49", "holds"), ("0.51", "refuted"), ("0.81", "refuted")])
def test_the_rates_of_a_gaussian_starts_norms_are_held_to_what_is_shown_and_quoted(rate, verdict):
    finding = paper_windows.rates_of_the_norms(given("paper-gaussian-norms", rate=rate), Setting())
    assert (finding.verdict, finding.evidence) == (verdict, "quoted")
    assert finding.computed.startswith("rates of 0.806 for the Frobenius and 1/2 for the operator norm")


SYMMETRIC = {
    "paper-authors-orientation": ([[0, 1, 0]], 2),  # as many 0 1 as 1 0
    "paper-pythia-q-transposed": ([[0, 0, 0]], 1),
    "paper-authors-q-normalisation": ([[0, 1]], 2),  # one sequence of one position
    "paper-perhead-g": ([[0, 0, 0]], 1),
}


@pytest.mark.parametrize("claim_id", SYMMETRIC)
def test_what_differs_in_general_agrees_on_a_corpus_where_it_must(claim_id):
    setting = Setting()
    setting.__dict__["tiny"] = SYMMETRIC[claim_id]
    assert found(CLAIMS[claim_id], setting).verdict == "holds"


def test_matrices_are_told_apart_by_entry_and_by_factor():
    right = fmpq_mat(2, 2, [1, 2, 3, 4])
    assert paper_statistics.compare_matrices("It", right, right)[0]
    assert paper_statistics.compare_matrices("It", right * fmpq(3), right) == (False, "3 times too large")
    assert paper_statistics.compare_matrices("It", right.transpose(), right) == (False, "at [0, 1] 3, not 2")


def test_eq_10_needs_the_shares_of_next_tokens():
    joint = fmpq_mat(2, 2, [fmpq(1, 2), fmpq(1, 4), fmpq(1, 4), 0])
    product = joint.transpose() * joint
    assert paper_statistics.similarity_sum(joint, [fmpq(3, 4), fmpq(1, 4)]) == product
    other = fmpq_mat(2, 2, [fmpq(1, 2), fmpq(1, 4), fmpq(1, 8), fmpq(1, 8)])
    by_current = [fmpq(3, 4), fmpq(1, 4)]
    assert paper_statistics.similarity_sum(other, by_current) != other.transpose() * other


@pytest.mark.parametrize("wrong", range(1, 6))
def test_every_row_of_attention_is_differentiated(monkeypatch, wrong):
    """Of six tokens five predict another: rows 1 to 5, each of which could have another factor."""
    claim, right = CLAIMS["paper-q-construction-factor"], paper_statistics.uniform_jacobian
    assert paper_statistics.row_factor(claim, Setting()).computed == "a factor 1/t in row t, for t = 1 to 5"
    monkeypatch.setattr(
        paper_statistics,
        "uniform_jacobian",
        lambda t: right(t + 1) if t == wrong else right(t),
    )
    finding = paper_statistics.row_factor(claim, Setting())
    assert (finding.verdict, finding.computed) == ("refuted", f"row {wrong} has another factor")


@pytest.mark.parametrize(("spectrum", "verdict"), [([1.0, 1e-3, 0], "refuted"), ([1.0, 0.5, 0.2], "holds")])
def test_a_cosine_says_more_only_above_that_of_rank_one(monkeypatch, spectrum, verdict):
    rng = np.random.default_rng(0)
    u, v = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    leading = u @ np.diag(spectrum) @ v.T
    counted = {"Q_bar": leading, "Phi_bar": leading.T, "B_bar": np.eye(3)}
    monkeypatch.setattr(paper_experiments, "statistics_of", lambda tokens, V: counted)
    tokens = np.zeros((4, 2), dtype=np.int64)
    setting = Setting(text=Corpus(tokens=tokens, vocabulary=("a", "b"), name="none"))
    claim = given("paper-attention-cosine-null", sample="2")
    assert attention_rank_one(claim, setting).verdict == verdict
    assert value_rank_one(claim, setting).verdict == verdict
