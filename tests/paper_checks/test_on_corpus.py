"""What a report shows of its corpus: weights by layer with their controls, and words under the three maps."""

import json
from dataclasses import replace

import pytest
from test_report_sample import sample_run

from paper_checks import on_corpus
from paper_checks.corpora import load_corpus
from paper_checks.report import write
from paper_checks.report.page import render
from paper_checks.report.write import CERTIFICATE, write_report
from reference.stories import COLOURS
from theory.certificate_check import check
from theory.certificates import prove

# What the terms of the next order may change at this rate: a hundredth.
CLOSE = 0.02


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(None, vocab_size=None, length=40, tokenizer_name="words", layout="document", seed=0)


@pytest.fixture(scope="module")
def by_layer(corpus):
    return on_corpus.by_layer(corpus, 0)


def test_every_weight_of_every_layer_is_along_its_term_and_used_as_predicted(by_layer):
    rows = {row["weight"]: row for row in by_layer["rows"]}
    assert list(rows) == [
        "W_O",
        *(f"{group} {layer}" for group in "VWP" for layer in range(on_corpus.LAYERS)),
    ]
    for row in rows.values():
        assert 1 - row["cosine"] < 1e-4
        assert abs(row["shuffled"]) < 0.6
        assert row["measured"] == pytest.approx(row["predicted"], rel=CLOSE)
        assert abs(row["random"]) < row["measured"] / 2


def test_a_vector_has_no_rank(by_layer):
    for row in by_layer["rows"]:
        assert (row["best_rank_one"] is None) == row["weight"].startswith("P")


def test_another_rate_than_the_runs_is_seen(corpus, monkeypatch):
    trained = on_corpus.trained_weights
    monkeypatch.setattr(
        on_corpus, "trained_weights", lambda part, layers, rate, steps: trained(part, 1, 2 * rate, steps)
    )
    for row in on_corpus.by_layer(corpus, 0)["rows"]:
        assert row["measured"] != pytest.approx(row["predicted"], rel=CLOSE)


def test_words_are_those_that_the_grammar_makes_alike(corpus):
    near = on_corpus.words(corpus)["nearest"]
    assert set(near["red"]["interchangeable"][:3]) == set(COLOURS) - {"red"}
    assert near["fish"]["context"][0] == "pond"


def test_a_published_list_is_shown_when_all_of_its_words_are_known(corpus):
    shown = on_corpus.words(corpus)["published"]
    assert all(word in corpus.vocabulary for one in shown for word in one["published"]["words"])
    assert all(one["found"] <= one["of"] == len(one["published"]["words"]) for one in shown)


def test_the_page_shows_them_and_a_certificate_that_holds(corpus, by_layer, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "write_notebook", lambda run, folder: None)
    found = {"certificate": prove(2, 2, 1), "by_layer": by_layer, "words": on_corpus.words(corpus)}
    run = sample_run()
    run = replace(run, header={**run.header, **found})
    page = render(run, [], {})
    assert 'id="by-layer"' in page
    assert 'id="words"' in page
    assert 'id="certificate"' in page
    assert ">W 2<" in page
    assert "blue green yellow" in page
    write_report(run, tmp_path)
    assert check(json.loads((tmp_path / CERTIFICATE).read_text())).holds
