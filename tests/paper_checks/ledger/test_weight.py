"""Errata come by what a claim is about, as it was decided, and lone numbers by how far they are off."""

from dataclasses import replace

import pytest
from planted import claim_of

from paper_checks.ledger.finding import Finding
from paper_checks.ledger.weight import about, off_by, weight

CLAIM = replace(claim_of("harmonic-128"), numbers={"a": "6", "b": ["2", "4"]})
WRONG = Finding("refuted", "exact", "x", right={"a": "8", "b": ["2", "2"]})


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "a number"),
        ({"tried": "a drawn head"}, "every case"),
        ({"evidence": "proved"}, "every case"),
        ({"evidence": "quoted", "tried": "a drawn head"}, "print"),
    ],
)
def test_what_a_claim_is_about_follows_from_how_it_was_decided(changes, kind):
    assert about(CLAIM, replace(WRONG, **changes)) == kind
    bare = replace(CLAIM, numbers={})
    assert about(bare, replace(WRONG, **changes)) == ("a conclusion" if kind == "a number" else kind)


def test_the_worst_number_says_how_far_off_it_is():
    assert off_by(CLAIM, WRONG) == 1.0  # 4 where 2 is right
    assert off_by(CLAIM, replace(WRONG, right={"a": "8", "b": ["2", "4"]})) == pytest.approx(1 / 3)
    # Half as much weighs as much as twice as much; across 0 there is no factor.
    assert off_by(CLAIM, replace(WRONG, right={"a": "3", "b": ["2", "4"]})) == 1.0
    assert off_by(CLAIM, replace(WRONG, right={"a": "12", "b": ["2", "4"]})) == 1.0
    assert off_by(CLAIM, replace(WRONG, right={"a": "-6", "b": ["2", "4"]})) == 2.0
    assert off_by(CLAIM, replace(WRONG, right={})) is None
    # Of nothing no share is taken.
    assert off_by(replace(CLAIM, numbers={"a": "6"}), replace(WRONG, right={"a": "0"})) is None


def test_the_heaviest_comes_first():
    near, far = replace(WRONG, right={"a": "8", "b": ["2", "4"]}), WRONG
    law, conclusion = replace(WRONG, tried="a drawn head"), replace(CLAIM, numbers={})
    printed = replace(WRONG, evidence="quoted")
    order = [(CLAIM, law), (conclusion, WRONG), (CLAIM, far), (CLAIM, near), (CLAIM, printed)]
    weights = [weight(claim, finding) for claim, finding in order]
    assert weights == sorted(weights)
    assert len({tuple(one) for one in weights}) == len(order)
