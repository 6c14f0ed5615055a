"""Claims on the profile of eight heads: what is given decides, and a text decides the bigram baseline."""

from dataclasses import replace

import pytest
from planted import claim_of, verdict

from paper_checks.ledger.decide import found
from paper_checks.ledger.finding import NotGiven
from paper_checks.ledger.setting import Setting
from reference.sequences import build_corpus
from reference.tokenizers import tokenizer

LABELS = claim_of("label-thresholds").given["labels"]
SUBTRACTED = dict.fromkeys(("entropy", "diagonal", "previous", "distance"), "subtracted")
PLANTED = [
    ("profile-is-third-drawing", {"corrected": SUBTRACTED}, "refuted", "holds"),
    ("label-thresholds", {"labels": ["self", "self", *LABELS[2:]]}, "definition", "refuted"),
    ("label-thresholds", {"labels": [*LABELS[:3], "self", *LABELS[4:]]}, "definition", "refuted"),
    ("l0h2-below-baseline", {"head": "L1H0"}, "holds", "refuted"),
    ("least-clear-head", {"named": ["L1H3", "L1H3"]}, "refuted", "holds"),
    ("least-clear-head", {"named": ["L1H0", "L1H0"]}, "refuted", "refuted"),
]


@pytest.mark.parametrize(("claim_id", "given", "as_it_stands", "planted"), PLANTED)
def test_the_verdict_follows_what_is_given(claim_id, given, as_it_stands, planted):
    assert verdict(claim_id) == as_it_stands
    assert verdict(claim_id, **given) == planted


def test_a_text_decides_the_bigram_baseline():
    with pytest.raises(NotGiven):
        verdict("bigram-ce-567")
    # Alternating words: the next is certain, so the text's own pairs leave nothing to predict.
    text = build_corpus(["a b " * 40], tokenizer("chars"), length=3, layout="stream")
    finding = found(replace(claim_of("bigram-ce-567"), text={"by": "character"}), Setting(text=text))
    assert finding.verdict == "refuted"
    assert "(a bigram cross-entropy of 0.00 nats)" in finding.convention
