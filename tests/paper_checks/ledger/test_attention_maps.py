"""Claims on one head's output and on printed maps: what is given decides."""

import pytest
from planted import claim_of, verdict

from paper_checks.ledger.printed_map import rows_of

PLANTED = [
    ("attention-definition", {"output": ["0.661", "0.662"]}, "definition", "refuted"),
    ("attention-definition", {"weights": [".219", ".219", ".343", ".219"]}, "definition", "refuted"),
    ("extreme-example-sum", {"each_other": "0.002"}, "refuted", "holds"),
    ("entropy-not-importance", {"values": {"none": [["0", "0"], ["0", "0"]]}}, "method", "refuted"),
    ("rank-one-wv-constant-output", {"keys": [["1", "0"], ["0", "1"]]}, "refuted", "holds"),
    ("opening-map-vs-matrix", {"drawing": [["·"] * (i + 1) for i in range(11)]}, "refuted", "holds"),
    ("attention-rows-sum-to-one", {"maps": {"L0H1": {"1": [".500", ".502"]}}}, "holds", "refuted"),
    ("l1h3-monotone-decay", {"map": {"0": ["1"], "2": [".1", ".3", ".6"]}}, "refuted", "holds"),
    ("equal-weights-equal-logits", {"far_apart": [".9", ".1"]}, "refuted", "holds"),
    (
        "equal-weights-equal-logits",
        {"far_apart": [".9", ".1"], "nearly_equal": [".2", ".1"]},
        "refuted",
        "refuted",
    ),
]


@pytest.mark.parametrize(("claim_id", "given", "as_it_stands", "planted"), PLANTED)
def test_the_verdict_follows_what_is_given(claim_id, given, as_it_stands, planted):
    assert verdict(claim_id) == as_it_stands
    assert verdict(claim_id, **given) == planted


def test_a_darker_cell_with_the_smaller_weight_is_seen():
    given = claim_of("opening-map-vs-matrix").given
    shades = given["shades"]
    by_weight = {"1": [".1", ".9"]}
    assert (
        verdict("opening-map-vs-matrix", map=by_weight, drawing=[[shades[3]], [shades[0], shades[1]]])
        == "holds"
    )
    assert (
        verdict("opening-map-vs-matrix", map=by_weight, drawing=[[shades[3]], [shades[1], shades[0]]])
        == "refuted"
    )


def test_a_row_that_is_too_short_for_its_place_is_refused():
    with pytest.raises(ValueError, match="row 2 of a causal map has 3 entries, not 2"):
        rows_of({"2": [".5", ".5"]})
