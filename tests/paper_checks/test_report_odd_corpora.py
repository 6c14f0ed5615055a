"""The page of a corpus unlike a text: of one word, of unseen tokens, of a weight that stays zero."""

from dataclasses import asdict

import pytest
from rich.console import Console
from test_report_page import BY_LAYER, news_of, page_of
from test_report_sample import result, run_of

from paper_checks.report.page import off_by
from paper_checks.reproduction.plan import Plan
from paper_checks.reproduction.rows import told_off
from paper_checks.reproduction.write import show


def test_tokens_that_are_line_breaks_are_seen_and_one_word_is_one():
    near = {kind: ["\n", " "] for kind in ("bigram", "interchangeable", "context")}
    part = {"sequences": 1, "length": 4, "vocab_size": 1}
    rows = [{**BY_LAYER["rows"][0], "cosine": None}]
    page = page_of(
        run_of(
            result("softmax.ties"),
            words={"nearest": {"\n": near}, "published": []},
            by_layer={**BY_LAYER, "part": part, "rows": rows},
        )
    )
    assert '<th scope="row">\\n</th>' in page
    assert "<td>\\n \N{OPEN BOX}</td>" in page
    told = " ".join(page.split('id="by-layer"')[1].split("</section>")[0].split())
    assert "on 1 sequence of 4 positions of the corpus over their 1 word, in" in told
    assert "A weight that stays zero has no direction and no cosine." in told


@pytest.mark.parametrize(
    ("still", "told"),
    [({"W_O", "V 0", "V 1", "W 0"}, ""), ({"W 0"}, "at most 1.5e-05, for V of layer 1."), ({"W_O"}, "")],
)
def test_a_weight_that_stays_zero_has_no_cosine_to_tell_of(still, told):
    rows = [{**row, "cosine": None} if row["weight"] in still else row for row in BY_LAYER["rows"]]
    checks = ("series.relative_error", "series.ablation", "series.layer_separation")
    laws = [result(check, "theory", evidence="exact", source="derived here") for check in checks]
    section = news_of(run_of(*laws, by_layer={**BY_LAYER, "rows": rows}))
    assert told in section
    assert ("On a part of this corpus" in section) == bool(told)
    assert "There the loss rises by" not in section or not still & {"V 0", "W 0"}


@pytest.mark.parametrize(
    ("apart", "told"), [(0.125, "+12.5%"), (-0.2, "-20.0%"), (2.6e12, "2.6e+12 times"), (-99.0, "-98 times")]
)
def test_what_is_off_by_many_times_is_told_by_how_many(apart, told):
    assert told_off(apart) == told
    assert off_by({"predicted": 1.0, "float64": 1 + apart}, "predicted") == told


def test_the_one_layer_of_a_run_is_one(capsys):
    whole = {"corpus": "a", "scaled_down": {"length": [200, 3]}, "plan": asdict(Plan(layers=1))}
    show(Console(width=80), whole, ())
    assert "main run: 1 layer, 320 full-batch steps" in capsys.readouterr().out
