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
from properties.tolerances import exponent, gamma, unit_roundoff
from reference.sequences import build_corpus
from reference.stories import COLOURS
from theory.certificate_check import check
from theory.certificates import prove


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(None, vocab_size=None, length=40, tokenizer_name="words", layout="document", seed=0)


@pytest.fixture(scope="module")
def by_layer(corpus):
    return on_corpus.by_layer(corpus, 0)


def test_every_weight_of_every_layer_is_there_and_along_its_term_as_nothing_else(by_layer):
    rows = {row["weight"]: row for row in by_layer["rows"]}
    assert list(rows) == [
        "W_O",
        *(f"{group} {layer}" for group in "VWP" for layer in range(on_corpus.LAYERS)),
    ]
    for row in rows.values():
        assert abs(row["shuffled"]) < 0.6
        assert (row["best_rank_one"] or 0) < row["cosine"]
        assert abs(row["random"]) < row["measured"] / 2


def orders(corpus, monkeypatch):
    """Return the orders in the rate of what each weight's cosine and effect are off, on a small part."""
    monkeypatch.setattr(on_corpus, "SEQUENCES", 8)
    monkeypatch.setattr(on_corpus, "LENGTH", 8)
    monkeypatch.setattr(on_corpus, "LAYERS", 2)
    off = {}
    for halvings in range(4):
        monkeypatch.setattr(on_corpus, "RATE", 0.05 / 2**halvings)
        for row in on_corpus.by_layer(corpus, 0)["rows"]:
            turned, effect = off.setdefault(row["weight"], ([], []))
            turned.append(1 - row["cosine"])
            effect.append(abs(row["measured"] / row["predicted"] - 1))
    rounded = gamma(1000, unit_roundoff("float64"))
    return {
        name: tuple(exponent(sizes, rounded / min(sizes)) for sizes in both) for name, both in off.items()
    }


def test_what_the_law_leaves_out_of_each_weight_goes_with_the_rate(corpus, monkeypatch):
    """Its effect to first order, and 1 - cos to second: half the square of an angle."""
    for name, (turned, effect) in orders(corpus, monkeypatch).items():
        assert turned.value + turned.half_width >= 2, name
        assert effect.value + effect.half_width >= 1, name


def test_a_run_at_another_rate_than_is_told_is_seen(corpus, monkeypatch):
    trained = on_corpus.trained_weights
    monkeypatch.setattr(
        on_corpus, "trained_weights", lambda part, layers, rate, steps: trained(part, layers, 2 * rate, steps)
    )
    for name, (_, effect) in orders(corpus, monkeypatch).items():
        assert effect.value + effect.half_width < 1, name


def test_a_vector_has_no_rank(by_layer):
    for row in by_layer["rows"]:
        assert (row["best_rank_one"] is None) == row["weight"].startswith("P")


def test_words_are_those_that_the_grammar_makes_alike(corpus):
    near = on_corpus.words(corpus)["nearest"]
    assert set(near["red"]["interchangeable"][:3]) == set(COLOURS) - {"red"}
    assert near["fish"]["context"][0] == "pond"


def corpus_of(*texts):
    return build_corpus(texts, str.split, length=3, name="made")


def test_a_published_list_is_shown_when_all_of_its_words_are_known():
    texts = ["a fish swam home", "a fish swimming home", "a fish named tom", "the dog was here"]
    (shown,) = on_corpus.words(corpus_of(*texts))["published"]
    assert (shown["published"]["word"], shown["published"]["kind"]) == ("fish", "bigram")
    assert (shown["found"], shown["of"]) == (3, 3)
    assert on_corpus.words(corpus_of(*texts[1:]))["published"] == []


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
