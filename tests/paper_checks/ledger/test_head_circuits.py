"""Claims on a head's two halves and on self weights: what is given, or computed, decides."""

import pytest
from flint import fmpq
from planted import verdict

from paper_checks.ledger.decisions import head_circuits

UNIFORM = {"0": ["1"], "1": [".5", ".5"], "2": [".3", ".4", ".3"]}
PLANTED = [
    ("rank90", {"share": "110%"}, "definition", "refuted"),
    ("rank90-one-fixed-direction", {"share": "100%"}, "refuted", "holds"),
    ("wide-head-vs-many", {"heads": "1"}, "holds", "refuted"),
    ("diagonal-means-self", {"map": UNIFORM, "rows": ["2"]}, "refuted", "holds"),
    ("sentence-summary-at-position0", {"summary_at": "5"}, "refuted", "holds"),
]


@pytest.mark.parametrize(("claim_id", "given", "as_it_stands", "planted"), PLANTED)
def test_the_verdict_follows_what_is_given(claim_id, given, as_it_stands, planted):
    assert verdict(claim_id) == as_it_stands
    assert verdict(claim_id, **given) == planted


def test_a_layer_that_is_not_the_sum_of_its_heads_would_make_it_an_approximation(monkeypatch):
    assert verdict("qk-ov-decomposition") == "refuted"
    whole = head_circuits.concatenated
    monkeypatch.setattr(head_circuits, "concatenated", lambda *layer: whole(*layer) * fmpq(2))
    assert verdict("qk-ov-decomposition") == "holds"
