"""Claims on positions: the tables and the lengths that are given decide."""

from dataclasses import replace

import pytest
from planted import claim_of, verdict

from paper_checks.ledger.decide import found
from paper_checks.ledger.setting import Setting

BUCKETS = claim_of("positions-71").given["buckets"]
FALLING = ["0.9", "0.8", "0.7", "0.6", "0.5"]
# With the first position left out these average to what they are made of: every group is alike.
LEVEL = {"buckets": {head: ["0.500"] * 5 for head in BUCKETS}, "profile": ["0.500"] * len(BUCKETS)}
PLANTED = [
    ("profile-excludes-position0", LEVEL, "refuted", "holds"),
    ("positions-71", LEVEL, "refuted", "inconclusive"),
    ("entropy-buckets-vs-profile", LEVEL, "holds", "refuted"),
    ("entropy-buckets-vs-profile", {"length": "25"}, "holds", "refuted"),
    ("l1h3-only-monotone-bucket", {"buckets": {**BUCKETS, "L0H0": FALLING}}, "holds", "refuted"),
    ("first-bucket-high", {"buckets": {"L0H0": FALLING, "L0H1": FALLING[::-1]}}, "holds", "refuted"),
    ("bucket-punctuation-story", {"punctuation": ["5", "17"]}, "refuted", "holds"),
    ("bucket-punctuation-story", {"punctuation": ["5"]}, "refuted", "refuted"),
    ("shortest-text-12", {"shortest": "22"}, "refuted", "holds"),
    ("entropy-bound-71", {"positions": "72"}, "refuted", "holds"),
    ("last-bucket-size", {"length": "30"}, "refuted", "holds"),
]


@pytest.mark.parametrize(("claim_id", "given", "as_it_stands", "planted"), PLANTED)
def test_the_verdict_follows_what_is_given(claim_id, given, as_it_stands, planted):
    assert verdict(claim_id) == as_it_stands
    assert verdict(claim_id, **given) == planted


@pytest.mark.parametrize(("score", "context"), [("0.0284", "64"), ("0.0143", "128")])
def test_the_score_of_untrained_heads_says_which_context_is_right(score, context):
    claim = claim_of("context-64-or-128")
    finding = found(replace(claim, given={**claim.given, "scores": [score]}), Setting())
    assert set(finding.right.values()) == {context}
