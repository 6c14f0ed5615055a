"""Claims at punctuation, and on pairs of heads: what is given, or computed, decides."""

from dataclasses import replace

import pytest
from planted import claim_of, verdict

from paper_checks.ledger.decide import found
from paper_checks.ledger.decisions import head_comparisons
from paper_checks.ledger.setting import Setting

THREE = {"heads": ["A", "B", "C"], "pairs": [["B", "C"], ["A", "B"], ["A", "C"]], "apart": "A"}
GAP = {**THREE, "cosines": [".9", ".3", ".2"], "gap": [".9", ".3"]}
NO_GAP = {**THREE, "cosines": [".9", ".8", ".2"], "gap": [".8", ".2"]}
ALL_AT_PUNCTUATION = {
    "heads": ["L0H1"],
    "table": {"diagonal": [".9"], "elsewhere": [".01"], "positions": ["10", "50"]},
}
PLANTED = [
    ("punctuation-l0h1-nearly-all", ALL_AT_PUNCTUATION, "refuted", "holds"),
    ("similarity-cliff", GAP, "inconclusive", "holds"),
    ("similarity-cliff", NO_GAP, "inconclusive", "refuted"),
]


@pytest.mark.parametrize(("claim_id", "given", "as_it_stands", "planted"), PLANTED)
def test_the_verdict_follows_what_is_given(claim_id, given, as_it_stands, planted):
    assert verdict(claim_id) == as_it_stands
    assert verdict(claim_id, **given) == planted


def test_profiles_that_move_too_far_or_are_never_shared_would_refute(monkeypatch):
    assert verdict("behaviour-implies-profile") == "holds"
    with monkeypatch.context() as patch:
        patch.setattr(head_comparisons, "rearranged", lambda: None)
        assert verdict("behaviour-implies-profile") == "refuted"
    still = dict.fromkeys(head_comparisons._most_apart(0.5), 0.0)
    monkeypatch.setattr(head_comparisons, "_most_apart", lambda moved: still)
    assert verdict("behaviour-implies-profile") == "refuted"


def test_entropies_move_by_what_the_weights_do(monkeypatch):
    """Over two keys, half of the weight moved turns (1, 0) into (1/2, 1/2): all of the entropy."""
    monkeypatch.setattr(head_comparisons, "POSITIONS", 2)
    # The first row has one key and no entropy, so the mean over both is half.
    assert head_comparisons._most_apart(0.5)["entropy"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("claim_id", "given", "told"),
    [
        (
            "punctuation-ablation-18x",
            {
                "parts": {"heads": ["L0H0"], "punctuation": ["1"], "elsewhere": ["18"]},
                "positions": ["10", "60"],
            },
            "(3 times as much)",
        ),
        (
            "clarity-vs-delta",
            {
                "heads": ["L0H0", "L0H1", "L1H0", "L1H1"],
                "effect": ["15", "10", "3", "2"],
                "quoted": [["L0H0", "L1H0"], ["L1H0", "L1H1"]],
            },
            "a spread of 400% in layer 0; of 50% in layer 1",
        ),
    ],
)
def test_the_other_reading_is_told_with_what_it_gives(claim_id, given, told):
    claim = claim_of(claim_id)
    finding = found(replace(claim, given={**claim.given, **given}), Setting())
    assert told in finding.convention


def test_a_quoted_number_is_told_where_it_stands():
    claim = claim_of("row7-previous-token")
    elsewhere = replace(claim, numbers={"previous": ".123"})
    assert "nowhere in the row" in found(elsewhere, Setting()).derivation
