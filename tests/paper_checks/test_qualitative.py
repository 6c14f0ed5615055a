"""Neighbours, categories and stories: what is ranked, by which numbers, against which chance."""

import json
import re
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from calling import called
from rich.console import Console
from typer.testing import CliRunner

from paper_checks import category_probe, neighbourhood, story_reading
from paper_checks.command_line import app
from paper_checks.commands.neighbours import _show_agreement
from paper_checks.corpora import load_corpus
from paper_checks.published_agreement import agreements, sentences
from properties.predictions.expansion import amounts, expansion
from properties.tolerances import rounding
from reference.categories import CATEGORIES, category_hits, cosine_similarity, nearest, numbers_of
from reference.corpus import Corpus
from reference.errors import InputError
from reference.neighbours import FUNCTION_WORDS, KINDS, Maps, content_words, ranked
from reference.statistics import statistics
from reference.stories import FEELINGS

CLAIMS = Path(__file__).resolve().parents[3] / "shared" / "claims.yaml"


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(None, vocab_size=None, length=40, tokenizer_name="words", layout="document", seed=0)


@pytest.fixture(scope="module")
def maps(corpus):
    return neighbourhood.maps_of(corpus)


def test_residuals_are_observed_less_expected_over_its_root():
    tokens = np.array([[0, 1, 2, 1, 0], [2, 1, 1, 0, 2], [1, 0, 0, 2, 1]])
    V, T = 3, 4
    maps = Maps.of(tokens, statistics(tokens, V))
    x, y = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
    follows, before = np.zeros((V, V)), np.zeros((V, V))
    for row in tokens:
        for t in range(T):
            follows[row[t], row[t + 1]] += 1 / x.size
            for k in range(t + 1):
                before[row[t + 1], row[k]] += 1 / (t + 1) / x.size
    for word in range(V):
        expected = follows.sum(axis=1)[word] * follows.sum(axis=0)
        np.testing.assert_allclose(
            maps.scores("bigram", word, "standardised"), (follows[word] - expected) / np.sqrt(expected)
        )
        expected = (y == word).mean() * before.sum(axis=0)
        np.testing.assert_allclose(
            maps.scores("context", word, "standardised"), (before[word] - expected) / np.sqrt(expected)
        )
        np.testing.assert_allclose(maps.scores("interchangeable", word, "standardised")[word], 1)


def test_what_never_occurs_has_no_rank():
    tokens = np.array([[0, 1, 0, 1]])
    maps = Maps.of(tokens, statistics(tokens, 3))
    keep = np.array([True, True, True])
    for kind in ("bigram", "context"):
        assert 2 not in ranked(maps.scores(kind, 0, "standardised"), keep, 0)
    assert list(ranked(np.array([1.0, 3.0, 3.0]), np.array([True, True, True]), 1)) == [2, 0]


def test_a_places_animals_are_its_contexts(corpus, maps):
    """The grammar puts fish, frog and duck by the pond, and the standardised ranking finds it."""
    for animal in ("fish", "frog", "duck"):
        found = neighbourhood.neighbours(corpus, maps, animal, "standardised", True, 3)["context"]
        assert "pond" in [name for name, _ in found]


def test_terms_of_a_propagated_context_add_up(corpus, maps):
    whole, terms = neighbourhood.propagated(corpus, maps, "frog", "pond", corpus.vocab_size)
    assert sum(term.part for term in terms) == pytest.approx(whole)
    G = maps.Sigma_B @ maps.Phi_bar
    assert whole == pytest.approx(G[corpus.number("frog"), corpus.number("pond")])
    sizes = [abs(term.part) for term in terms]
    assert sizes == sorted(sizes, reverse=True)


def test_a_category_is_told_from_words_of_like_frequency(corpus):
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    B = statistics(corpus.tokens, corpus.vocab_size)["B_bar"]
    V = corpus.vocab_size

    def similar(of):
        return cosine_similarity(B.T, of)

    feelings = category_hits(similar, V, numbers_of(FEELINGS, number), draws=40)
    assert feelings.rate == 0.5  # five others of six among ten
    assert feelings.chance < 0.2
    assert feelings.p_value == pytest.approx(1 / 41)
    anything = category_hits(similar, V, np.array([3, 17, 31, 45, 59]), draws=40)
    assert anything.p_value > 1 / 20


def test_nearest_leaves_the_word_itself_out():
    similarity = np.array([[9.0, 1.0, 5.0, 5.0]])
    assert nearest(similarity, np.array([0]), 3).tolist() == [[2, 3, 1]]


def test_categories_share_no_word():
    words = [word for members in CATEGORIES.values() for word in members]
    assert len(set(words)) == len(words)
    assert not set(words) & FUNCTION_WORDS


def test_evidence_is_of_earlier_words_of_the_story(corpus, maps):
    n = story_reading.find(corpus, ["pond"])
    word = story_reading.most_repeated(corpus, n)
    for one in story_reading.evidence(corpus, maps, n, word, 50):
        assert corpus.tokens[n, one.position] == corpus.number(word)
        earlier = {corpus.vocabulary[x] for x in corpus.tokens[n, : one.position]}
        assert {name for name, _, _ in one.words} <= earlier - {word}
        scores = [score for _, score, _ in one.words]
        assert scores == sorted(scores, reverse=True)


def test_the_skeleton_is_of_transitions_that_occur(corpus, maps):
    row = [corpus.vocabulary[x] for x in corpus.tokens[3]]
    bones = story_reading.skeleton(corpus, maps, 3, 5)
    assert len(bones) == 5
    for one in bones:
        assert (one.first, one.second) in list(pairwise(row))
    assert [one.value for one in bones] == sorted((one.value for one in bones), reverse=True)


COMMANDS = [
    ["neighbours", "fish", "--context", "pond"],
    ["probe", "--draws", "5"],
    ["story", "--find", "the pond"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c[0])
def test_commands_tell_and_write(command, tmp_path):
    done = called(*command, "--json", "out.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert json.loads((tmp_path / "out.json").read_text())


def test_neighbours_are_ranked_as_asked(tmp_path):
    found = {}
    for ranking in ("raw", "standardised"):
        done = called("neighbours", "fish", "--ranking", ranking, "--json", "out.json", cwd=tmp_path)
        assert f"{ranking} ranking" in done.stdout
        found[ranking] = json.loads((tmp_path / "out.json").read_text())
        assert found[ranking].pop("ranking") == ranking
    assert found["raw"] != found["standardised"]


def test_words_that_do_not_fit_on_a_line_go_on_under_the_words(tmp_path):
    done = called("neighbours", "fish", "--top", "30", "--all-words", cwd=tmp_path)
    lines = done.stdout.partition("Published")[0].splitlines()
    labels = {line[:18].strip() for line in lines[1:]}
    assert {"bigram", "interchangeable", "context", "roles", "their contexts", "with all roles"} <= labels
    beneath = [line for line in lines if line.startswith(" " * 3)]
    assert len(beneath) >= 6
    assert all(line[:19] == " " * 19 and line[19] != " " for line in beneath)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["neighbours", "qqq"], "'qqq' is not among"),
        (["neighbours", "fish", "--context", "qqq"], "'qqq' is not among"),
        (["neighbours", "fish", "--top", "0"], "--top is 0"),
        (["probe", "--draws", "0"], "--draws is 0"),
        (["story", "--index", "300"], "--index is 300; give 0 to 299"),
        (["story", "--find", "pond pond pond"], "No sequence of"),
        (["story", "--word", "qqq"], "'qqq' is not among"),
        (["story", "--rate", "0"], "--rate is 0"),
        (["story", "none.txt"], "no corpus file none.txt"),
    ],
)
def test_a_bad_call_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(arguments, standalone_mode=False)


def test_a_text_with_too_few_words_of_any_kind_is_told_so(tmp_path):
    (tmp_path / "few.txt").write_text("the cat sat . the dog ran .")
    with pytest.raises(InputError, match="3 or more among its 6 words"):
        app(["probe", str(tmp_path / "few.txt"), "--length", "2"], standalone_mode=False)


def test_kinds_with_too_few_words_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.txt").write_text("red blue green dog . " * 3)
    done = CliRunner().invoke(app, ["probe", "c.txt", "--length", "4", "--draws", "2"])
    assert done.exit_code == 0
    assert "fewer than 3 words in this vocabulary: feelings, motion, animals." in done.output
    assert "colours" in done.output


def test_published_lists_are_of_content_words_and_claims():
    lists = neighbourhood.published_lists()
    words = [word for one in lists for word in one.words]
    assert content_words(tuple(words)).all()
    assert {one.kind for one in lists} == set(KINDS)
    if CLAIMS.is_file():
        ids = {line.split()[-1] for line in CLAIMS.read_text().splitlines() if line.startswith("- id:")}
        assert {claim for one in lists for claim in one.claims} <= ids


def listed(kind, words, ranking, content_only, *places):
    published = neighbourhood.PublishedList("fish", kind, words, "a source", ())
    return neighbourhood.Reproduced(published, ranking, content_only, dict(zip(words, places, strict=True)))


def test_the_ranking_that_gives_the_published_lists_is_named_with_what_it_gives():
    """Two lists under two rankings, counted by hand: 30 is still among the first, 31 is not."""
    pond, cat = ("pond", "sea", "whale"), ("cat", "dog")
    lists = [
        listed("context", pond, "raw", False, 30, 31, None),
        listed("context", pond, "raw", True, 1, 31, None),
        listed("interchangeable", cat, "raw", False, 400, 2),
        listed("interchangeable", cat, "raw", True, 3, 2),
    ]
    (one,) = agreements(lists)
    assert (one.of, one.unknown) == (5, 1)
    assert one.found == {"raw of content words": 3, "raw of all words": 2}
    assert one.by_kind["context"] == ({"raw of all words": 1, "raw of content words": 1}, 3)
    assert one.by_kind["interchangeable"] == ({"raw of content words": 2, "raw of all words": 1}, 2)
    assert one.never == ("fish -> sea",)
    (sentence,) = sentences(lists)
    assert "3 of the 5 words listed (1 of them are not in this vocabulary)" in sentence
    assert "by raw of content words, by no ranking more (raw of all words: 2)" in sentence
    assert "context 1 of 3 (any), interchangeable 2 of 2 (raw of content words)" in sentence
    assert sentence.endswith("By no ranking: fish -> sea.")


def test_the_table_of_rankings_says_what_each_finds_and_what_none_does():
    lists = [
        listed("bigram", ("swim", "whale"), "raw", False, 30, None),
        listed("bigram", ("swim", "whale"), "standardised", True, 31, None),
        listed("interchangeable", ("cat", "dog"), "raw", False, 400, 2),
        listed("interchangeable", ("cat", "dog"), "standardised", True, 400, 1),
    ]
    printed = StringIO()
    _show_agreement(Console(file=printed, width=80), agreements(lists))
    rows = [line.split() for line in printed.getvalue().splitlines()]
    assert rows[1:3] == [["raw", "standardised"], ["source", "map", "of", "all", "content"]]
    assert rows[3:] == [
        ["a", "source", "bigram", "2", "1", "0"],
        ["a", "source", "interchangeable", "2", "1", "1"],
        ["a", "source", "all", "4", "2", "1"],
        ["a", "source,", "not", "in", "this", "vocabulary:", "1", "of", "4"],
        ["a", "source,", "by", "no", "ranking:", "fish", "->", "cat"],
    ]


@pytest.mark.deep
def test_the_published_neighbours_of_tinystories():
    stories = CLAIMS.parent / "data" / "tinystories.txt"
    if not stories.is_file():
        pytest.skip("the stories are not here")
    corpus = load_corpus(
        stories, vocab_size=3000, length=200, tokenizer_name="words", layout="stream", seed=0
    )
    found = neighbourhood.reproduced(corpus, neighbourhood.maps_of(corpus))
    fish = [one for one in found if one.published.word == "fish" and one.content_only]
    whole = {
        (one.published.kind, one.published.source, one.ranking): one.found == len(one.places) for one in fish
    }
    assert whole["interchangeable", "toy-model, 5.2", "raw"]
    assert not whole["interchangeable", "toy-model, 5.2", "standardised"]
    assert whole["context", "toy-model, 5.2", "standardised"]
    assert whole["context", "paper, Fig. 5", "standardised"]
    assert not whole["context", "toy-model, 5.2", "raw"]
    figure = next(one for one in agreements(found) if one.source == "paper, Fig. 5")
    assert next(iter(figure.found.items())) == ("raw of content words", figure.of)


def test_roles_that_inhibit_are_left_out_of_what_supports_and_counted_in_the_whole():
    """Three words, one by hand: role 1 supports with context 2, role 2 inhibits with context 1."""
    Sigma = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    Phi = np.array([[0.0, 0.0, 0.0], [0.0, 3.0, 5.0], [0.0, 4.0, 1.0]])
    even = np.full(3, 1 / 3)
    planted = Maps(np.zeros((3, 3)), Sigma, Phi, even, even, even)
    words = Corpus(np.zeros((1, 2), dtype=np.int64), ("frog", "fish", "bird"), "none")
    roles, supported, whole = neighbourhood.path(words, planted, "frog", 3)
    assert roles == ["fish", "bird"]
    assert supported == [("bird", 10.0), ("fish", 6.0), ("frog", 0.0)]
    assert whole == [("bird", 9.0), ("fish", 2.0), ("frog", 0.0)]


def test_the_skeleton_is_of_the_first_tokens_alone():
    """The strongest pair comes after the eightieth token and is not told."""
    row = np.array([[0, 1] * 40 + [2, 2]])
    B = np.array([[0.0, 0.1, 0.0], [0.2, 0.0, 0.0], [0.0, 0.0, 0.9]])
    even = np.full(3, 1 / 3)
    planted = Maps(B, np.zeros((3, 3)), np.zeros((3, 3)), even, even, even)
    bones = story_reading.skeleton(Corpus(row, ("a", "b", "c"), "none"), planted, 0, 3)
    assert [(one.first, one.second, one.value) for one in bones] == [("b", "a", 0.2), ("a", "b", 0.1)]
    assert story_reading.FIRST_TOKENS == 80


def test_score_maps_are_those_of_the_weights_less_the_means_of_their_rows(corpus):
    """Of W in each of three layers by its terms: each visible score by a loop, and the least likeness."""
    few = corpus.slice(30, 7)
    W = expansion(few.tokens, few.vocab_size)["W"]
    rate, steps, layers, n = 0.25, 8, 3, 2
    found = story_reading.score_maps(few, n, W, rate=rate, steps=steps, layers=layers)
    x, each = few.tokens[n, :-1], []
    for layer in range(layers):
        weight = W.combined(amounts("W", rate, steps, layer, layers))
        rows = [np.array([weight[x[t], x[k]] for k in range(t + 1)]) for t in range(len(x))]
        each.append(np.concatenate([row - row.mean() for row in rows]))
    assert found.rms == pytest.approx(np.sqrt((each[0] ** 2).mean()))
    assert found.largest == pytest.approx(np.abs(each[0]).max())
    unit = [one / np.linalg.norm(one) for one in each]
    likeness = [unit[a] @ unit[b] for a in range(layers) for b in range(a)]
    assert min(likeness) < max(likeness) < 1
    within = rounding(1.0, 4 * len(unit[0]), "float64")
    np.testing.assert_allclose(found.least_cosine, min(likeness), rtol=0, atol=within)
    assert max(likeness) - min(likeness) > 2 * within


def test_each_map_of_the_probe_is_what_its_name_says(corpus, monkeypatch):
    """How like any two words are, and whose nearest are counted, from each map's own definition."""
    s = statistics(corpus.tokens, corpus.vocab_size)
    B, Phi = s["B_bar"], s["Phi_bar"]

    def along(rows):
        length = np.sqrt((rows * rows).sum(axis=1))
        unit = rows / np.where(length > 0, length, 1)[:, None]  # a row of zeros is like no other
        return unit @ unit.T

    # V's rows are the messages of a context word, over current words.
    like = {"Sigma_B": B.T @ B, "C": along(B.T), "Phi_bar": along(Phi), "V": along((B @ Phi).T)}
    asked = []

    def counted(similar, vocab_size, members, **named):
        asked.append((similar(np.arange(vocab_size)), members.tolist()))

    monkeypatch.setattr(category_probe, "category_hits", counted)
    found = category_probe.probe_categories(corpus, draws=1, seed=0, told=lambda *told: None)
    assert {one.map for one in found} == set(like)
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    for one, (similar, members) in zip(found, asked, strict=True):
        assert members == [number[word] for word in CATEGORIES[one.category] if word in number]
        within = rounding(np.abs(like[one.map]).max(), 8 * corpus.vocab_size, "float64")
        np.testing.assert_allclose(similar, like[one.map], rtol=0, atol=within)
