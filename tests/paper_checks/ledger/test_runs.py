"""What runs of other seeds could turn round is not decided."""

import numpy as np
import pytest
from planted import finding, of_poems, verdict
from scipy.stats import t

from paper_checks.ledger.runs import LEARNED_AS_FAR, agreed, one_more, one_more_share, place_of, verdict_of
from properties.tolerances import DEVIATIONS

ONE_IN = 1 + DEVIATIONS**2


@pytest.mark.parametrize("runs", [2, 3, 6])
@pytest.mark.parametrize("numbers", [1, 32])
def test_a_true_table_is_rarely_refuted(runs, numbers):
    """The printed numbers are one more run of the same: they may be outside once in 17 tables."""
    tables = 400
    drawn = np.random.default_rng(runs).normal(size=(tables, numbers, runs + 1))
    outside = 0
    for table in drawn:
        ends = [one_more(row[:-1].tolist(), numbers) for row in table]
        outside += any(not low <= row[-1] <= high for row, (low, high) in zip(table, ends, strict=True))
    likely = tables / ONE_IN
    assert outside <= likely + DEVIATIONS * np.sqrt(likely)


def test_how_far_one_more_run_reaches_follows_from_how_many_there_are():
    """With s = 1 and n runs it is t s sqrt(1 + 1/n), and never below DEVIATIONS."""
    for runs, numbers in ((2, 1), (3, 1), (3, 8), (40, 1)):
        values = np.linspace(-1, 1, runs)
        low, high = one_more((values / values.std(ddof=1)).tolist(), numbers)
        far = max(DEVIATIONS, t.isf(1 / ONE_IN / numbers / 2, runs - 1))
        assert -low == pytest.approx(high) == pytest.approx(far * np.sqrt(1 + 1 / runs))
    alone, among = (one_more([1.0, 2.0, 3.0], numbers) for numbers in (1, 8))
    assert among[0] < alone[0] < alone[1] < among[1]


def test_a_share_of_few_positions_adds_what_a_sample_does():
    values = [0.5, 0.5]  # runs that do not differ leave sqrt(1/4 / 100) = 0.05 alone
    assert one_more_share(values, positions=100) == pytest.approx(
        (0.5 - 0.05 * DEVIATIONS, 0.5 + 0.05 * DEVIATIONS)
    )
    narrow, wide = (one_more_share([0.4, 0.6], numbers, positions=100) for numbers in (1, 2))
    assert wide[0] < narrow[0] < one_more([0.4, 0.6])[0]


def test_a_number_is_told_from_others_only_by_what_is_narrower_than_it():
    assert place_of(1.0, 0.5, 1.5) == "inside"
    assert place_of(-1.0, -1.5, -0.5) == "inside"
    assert place_of(1.0, 0.5, 1.51) == "untold"
    assert place_of(0.0, -0.1, 0.1) == "untold"
    for end in (0.5, 1.5):
        assert place_of(end, 0.5, 1.5) != "outside"
    assert place_of(1.51, 0.5, 1.5) == place_of(0.49, 0.5, 1.5) == "outside"
    assert verdict_of(["inside", "untold", "outside"]) == "refuted"
    assert verdict_of(["inside", "untold"]) == "inconclusive"
    assert verdict_of(["inside", "inside"]) == "holds_to_rounding"


def test_runs_that_disagree_decide_nothing():
    assert (agreed([True, True]), agreed([False, False])) == ("holds", "refuted")
    assert agreed([True, False, True]) == agreed([False, False, True]) == "inconclusive"


def losses(*middle):
    """Return losses of runs that fall by 0.3 from 8 to 128, with so much at 16 above that at 8."""
    runs = [{"loss": {"8": 4.3, "16": 4.3 + one, "128": 4.0 + k / 1e6}} for k, one in enumerate(middle)]
    return of_poems("poems.context", runs)


@pytest.mark.parametrize(
    ("claim", "yes", "no", "mixed"),
    [
        (
            "l0h0-copy-hypothesis",
            *(
                [
                    {
                        "loss": 4.0,
                        "profiles": [[{"diagonal": 1.0}]],
                        "output_cosines": [[c]],
                        "untrained_cosines": [0.2],
                    }
                    for c in cosines
                ]
                for cosines in ((0.5, 0.6), (0.1, 0.2), (0.5, 0.1))
            ),
        ),
        (
            "trained-cyclic-score",
            *(
                [{"layers": 2, "scores": [0.0, score]} for score in scores]
                for scores in ((0.9, 0.8), (0.001, 0.002), (0.9, 0.001))
            ),
        ),
    ],
)
def test_what_each_run_shows_or_not_is_decided_where_they_agree(claim, yes, no, mixed):
    name = "induction.random_period" if claim == "trained-cyclic-score" else "poems.heads"
    assert verdict(claim, of_poems(name, yes)) == "holds"
    assert verdict(claim, of_poems(name, no)) == "refuted"
    assert verdict(claim, of_poems(name, mixed)) == "inconclusive"


def test_a_loss_that_rises_in_some_runs_only_is_undecided():
    assert verdict("context-8-to-128", losses(-0.1, -0.1, -0.1)) == "refuted"
    assert verdict("context-8-to-128", losses(-0.1, 0.1, 0.1)) == "inconclusive"
    assert verdict("context-8-to-128", losses(0.1, 0.1, 0.1)) in ("refuted", "holds_to_rounding")


@pytest.mark.parametrize(
    ("short", "long", "decided"),
    [
        (4.6, 4.0, True),  # the published 4.15 with 64 characters lies between
        (4.9, 4.3, False),  # these have learned less
        (4.0, 3.4, False),  # and these more
        (4.9, 4.16, True),  # a little less, and no more than runs differ
    ],
)
def test_what_context_is_worth_counts_of_models_that_have_learned_as_far(short, long, decided):
    """The loss falls by less in models that have not learned it yet, whatever the published one gains."""
    apart = (0, 0.02, 0.01) if decided else (0.0, 0.0, 0.0)
    runs = [{"loss": {"8": short + a, "16": short + a - 0.1, "128": long + a}} for a in apart]
    found = finding("context-8-to-128", of_poems("poems.context", runs))
    assert found.verdict == ("refuted" if decided else "inconclusive")
    assert found.missing == ("runs that differ less" if decided else LEARNED_AS_FAR)
    assert "4.1489 with 64" in found.convention


def test_one_layer_says_nothing_of_two():
    one = of_poems("induction.random_period", [{"layers": 1, "scores": [0.9]}])
    assert verdict("trained-cyclic-score", one) == "inconclusive"
