"""Decisions on losses and conclusions change their verdict with the tables and inputs that they see."""

import pytest
from planted import of_poems, plant_in_table, verdict

from paper_checks.ledger.book import tables
from paper_checks.ledger.decisions import chapter_conclusions

# Changes of positions that leave every head of the first layer below every one of the second.
QUIET = ["1", "1", "1", "1", "2", "2", "2", "2"]


@pytest.mark.parametrize(
    ("table", "values"),
    [("loss_by_next", {"overall": "4.2"}), ("punctuation", {"positions": ["8,760", "517,200"]})],
)
def test_losses_that_no_whole_and_part_can_have_are_refuted(monkeypatch, table, values):
    assert verdict("loss-3884-vs-4149") == "holds"
    plant_in_table(monkeypatch, "poem-model", table, **values)
    assert verdict("loss-3884-vs-4149") == "refuted"


def test_a_clean_line_needs_both_comparisons(monkeypatch):
    plant_in_table(monkeypatch, "poem-model", "rhyme", distance=QUIET, distance_before=["1"] * 8)
    assert verdict("rhyme-layer-boundary") == "refuted"
    plant_in_table(monkeypatch, "poem-model", "punctuation", diagonal=QUIET, elsewhere=["1"] * 8)
    assert verdict("rhyme-layer-boundary") == "holds"


def test_another_factor_is_not_what_the_measures_change_by():
    assert verdict("rhyme-l1h1-prev") == "holds"
    assert verdict("rhyme-l1h1-prev", factor="3") == "refuted"


def test_a_cost_that_follows_the_pattern_would_bear_it_out(monkeypatch):
    previous = ["0.30", "0.45", "0.01", "0.02", "0", "0", "0", "0"]
    plant_in_table(monkeypatch, "poem-model", "profile", previous=previous)
    assert verdict("ablation-confirms-bigram") == "holds"


def test_a_bigram_table_is_reached_without_heads_and_not_with_one(monkeypatch):
    assert chapter_conclusions.bigram_needs_no_head()

    zero = chapter_conclusions.zero_parameters

    def with_a_head(*sizes, **options):
        model = zero(*sizes, **options)
        return {**model, "V": model["V"] + 1}

    monkeypatch.setattr(chapter_conclusions, "zero_parameters", with_a_head)
    assert not chapter_conclusions.bigram_needs_no_head()


def test_a_mean_that_no_rows_can_give_is_refuted():
    assert verdict("l0h1-pool-mixup") == "inconclusive"
    assert verdict("l0h1-pool-mixup", mean="0.9") == "refuted"


def test_few_layers_stay_below_a_million():
    assert verdict("deep-variants-params", layers=["1", "4"]) == "holds"


@pytest.mark.parametrize(
    ("sixteen", "far", "expected"),
    [(4.8, 4.06, "holds_to_rounding"), (4.6, 4.06, "refuted"), (4.8, 2.0, "refuted")],
)
def test_runs_with_longer_contexts_decide(sixteen, far, expected):
    runs = [{"loss": {"8": 4.7 + d, "16": sixteen + d, "128": far}} for d in (0.0, 0.02)]
    assert verdict("context-8-to-128", of_poems("poems.context", runs)) == expected


def test_right_references_and_the_right_number_of_traps_hold():
    right = [["4.5", "ablation"], ["4.18", "probes"]]
    assert verdict("section-references", references=right, traps="8") == "holds"
    assert verdict("section-references", references=right, traps="4") == "refuted"
    assert verdict("section-references", references=[["4.4", "ablation"]], traps="8") == "refuted"


def test_every_reference_names_a_heading_that_is_there_once():
    subjects = list(tables()["attention-chapter"]["headings"].values())
    assert len(set(subjects)) == len(subjects)
