"""`leadterms explain`: parts of a logit that add up to it."""

import json
import re

import numpy as np
import pytest
from calling import called

from paper_checks import explained
from paper_checks.command_line import app
from paper_checks.corpora import load_corpus
from properties.tolerances import rounding
from reference.errors import InputError
from reference.explanation import explain
from reference.statistics import statistics

SENTENCE = "in the pond, lily saw a"


def test_the_parts_add_up_to_the_logit(tmp_path):
    done = called("explain", SENTENCE, "--target", "fish", "--json", "e.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "They add up to the logits" in done.stdout
    found = json.loads((tmp_path / "e.json").read_text())
    assert found["words"] == ["in", "the", "pond", ",", "lily", "saw", "a"]
    assert found["adds_up"]
    total = found["current"] + sum(found["contributions"])
    assert total == pytest.approx(found["logit_of_forward_pass"], abs=found["bound"])
    assert sum(found["attention"]) == pytest.approx(1)
    for part, weight, message in zip(
        found["contributions"], found["attention"], found["messages"], strict=True
    ):
        assert part == pytest.approx(weight * message)
    rows = {row[:10].strip(): row.split()[-1] for row in done.stdout.splitlines() if row.strip()}
    assert rows["all of the"] == f"{sum(found['contributions']):+.3e}"
    assert rows["'a' alone"] == f"{found['current']:+.3e}"
    assert rows["logit"] == f"{found['logit']:+.3e}"


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(None, vocab_size=None, length=12, tokenizer_name="words", layout="document", seed=0)


def test_each_part_is_its_statistic_times_its_amount(corpus):
    words, rate, steps = ["in", "the", "pond"], 0.5, 4
    found = explained.read(corpus, words, rate, steps)
    x = [corpus.number(word) for word in words]
    s = statistics(corpus.tokens, corpus.vocab_size)
    # s eta; s C(s,2) eta^3; c_4 = 11
    np.testing.assert_allclose(found.parts.current, 4 * rate * s["B_bar"][x[-1]])
    # Where a sum cancels, what is left is off by the rounding of its terms, no larger than the largest sum.
    for got, expected in (
        (found.parts.messages, 4 * 6 * rate**3 * s["G_bar"][:, x].T),
        (found.parts.demand_by_token, 11 * rate**4 * s["Q_bar"][x[-1], x]),
    ):
        off = rounding(np.abs(expected).max(), 3 * corpus.vocab_size, "float64")
        np.testing.assert_allclose(got, expected, rtol=0, atol=off)
    np.testing.assert_allclose(found.parts.demand_by_distance, 11 * rate**4 * s["Delta_bar"][[2, 1, 0]])
    assert found.adds_up


def test_a_bound_that_admits_any_sum_is_refused(monkeypatch, corpus):
    """Rounding that is larger than every logit holds nothing, even where the softmax still says something."""
    monkeypatch.setattr(explained, "_own", lambda parts, *rest: np.abs(parts.logits).max() * 2)
    with pytest.raises(InputError, match="rounding hides the parts"):
        explained.read(corpus, ["once", "upon"], 0.5, 9)


@pytest.mark.parametrize("part", ["current", "messages", "demand_by_token"])
def test_parts_that_do_not_add_up_are_told(monkeypatch, corpus, part):
    def wrong(parameters, tokens):
        from dataclasses import replace

        right = explain(parameters, tokens)
        # The demand itself is no part of the sum; the attention that it wins is.
        if part == "demand_by_token":
            return replace(right, attention=np.roll(right.attention, 1))
        return replace(right, **{part: getattr(right, part) * 1.001})

    monkeypatch.setattr(explained, "explain", wrong)
    assert not explained.read(corpus, ["once", "upon", "a", "time"], 0.5, 9).adds_up


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([""], "The sentence has no words"),
        (["qqq"], "'qqq' is not among"),
        (["in the pond " * 40], "has 120 tokens; give 1 to 40"),
        (["pond", "--target", "qqq"], "'qqq' is not among"),
        (["pond", "--rate", "0"], "--rate is 0"),
        (["pond", "--top", "0"], "--top is 0"),
        (["in the pond", "--rate", "100000"], "rounding hides the parts of"),
        (["pond", "--corpus", "none.txt"], "no corpus file none.txt"),
    ],
)
def test_a_bad_call_is_told_in_a_sentence(arguments, said):
    with pytest.raises(InputError, match=re.escape(said)):
        app(["explain", *arguments], standalone_mode=False)


def test_more_layers_are_no_sum_over_tokens():
    parameters = {"W_O": np.eye(2), "V": np.zeros((2, 2, 2)), "W": np.zeros((2, 2, 2)), "P": np.zeros((2, 3))}
    with pytest.raises(InputError, match="this one has 2"):
        explain(parameters, np.array([0, 1]))
