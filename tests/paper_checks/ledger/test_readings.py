"""What another reading makes of a claim is data beside the verdict, and shown wherever the verdict is."""

import re
from io import StringIO

import pytest
from planted import claim_of, finding
from rich.console import Console

from paper_checks.ledger.book import claims
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decide import decide
from paper_checks.ledger.finding import by_readings
from paper_checks.ledger.setting import Setting
from paper_checks.ledger.show import show_one, show_table

COUNT = Claim("x", "paper", "1", "t", "It is.", "2", ("a.b",), numbers={"a": "2"})


def read_as(*values):
    return by_readings(COUNT, {f"a of {value}": {"a": value} for value in values})


def test_only_a_reading_that_turns_the_verdict_counts():
    refuted = read_as(3, 4, 2)
    assert (refuted.verdict, refuted.otherwise) == ("refuted", ("a of 2",))
    assert refuted.readings == {"a of 4": "refuted", "a of 2": "holds"}
    held = read_as(2, 2.1, 3)
    assert (held.verdict, held.readings["a of 2.1"]) == ("holds", "holds_to_rounding")
    assert held.otherwise == ("a of 3",)
    assert read_as(2).otherwise == ()


# One whose readings are written beside a verdict that no number decides, and how it is read otherwise.
@pytest.mark.parametrize(
    ("claim_id", "reading"),
    [
        ("phibar-prefix-includes-current", "its formula, which has m <= t"),
        ("weight-slice-equals-input-slice", "a weight stored as [in, out]"),
        ("relative-contribution", "the share to one digit"),
        ("qk-ov-decomposition", "x before its LayerNorm"),
        ("induction-uniform-1-over-i", "rows counted from 1"),
        ("cyclic-forces-induction", "a period that varies"),
        ("probe-position-not-cheating", "positions that enter in the attention only"),
        ("composition-rotate-180", "the array turned by 180 degrees"),
        ("wo-before-step-index", "steps numbered from 0"),
    ],
)
def test_a_refuted_claim_says_in_which_reading_it_holds(claim_id, reading):
    (one,) = decide([claim_of(claim_id)], Setting())
    assert (one.finding.verdict, one.finding.otherwise) == ("refuted", (reading,))
    assert one.as_row()["otherwise"] == [reading]
    console = Console(width=80, record=True, file=StringIO())
    show_one(one, console)
    show_table([one], console)
    told = " ".join(console.export_text().split())
    assert f"otherwise holds with {reading}" in told
    assert "refuted *" in told


def test_a_share_that_is_off_in_its_first_digit_is_so_in_every_reading():
    found = finding("relative-contribution", output="9")
    assert (found.verdict, found.otherwise) == ("refuted", ())


@pytest.mark.deep  # every claim is decided again
def test_a_reading_that_is_told_to_hold_is_kept_as_one():
    """No sentence says that a claim holds or not in another reading, and is not counted."""
    for one in decide([claim for claim in claims() if claim.needs == "nothing"], Setting()):
        told = re.findall(r"With ([^.:]*(?:\.\d[^.:]*)*): (holds|refuted)", one.finding.convention)
        kept = {words: verdict.split("_")[0] for words, verdict in one.finding.readings.items()}
        assert {words: kept.get(words) for words, _ in told} == dict(told), one.claim.id


def test_the_loss_that_a_log_begins_with_depends_on_when_it_begins():
    found = finding("paper-loss-start")
    epoch, cut = found.readings
    assert (found.verdict, found.otherwise) == ("refuted", (epoch, cut))
    assert epoch == "the loss after an epoch, s eta = 1.6"
    assert "log V = 8.00637" in found.derivation
    assert "it is 8.00446" in found.derivation
    # At a tenth of the rate an epoch is too short to be seen in two decimals.
    slow = finding("paper-loss-start", rate="0.005")
    assert slow.otherwise == (cut,)
    assert finding("paper-loss-start", V="2981").verdict != "refuted"  # log V is 8.0000
