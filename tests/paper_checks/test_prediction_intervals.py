"""Intervals of predictions: each part of a width, against its own definition on a small corpus."""

import io
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from rich.console import Console

from paper_checks.corpora import load_corpus
from paper_checks.prediction.comparison import Compared
from paper_checks.prediction.facts import gather
from paper_checks.prediction.forecast import REACH, Prediction, deviations, forecast, loss_curve
from paper_checks.prediction.published import published_numbers
from paper_checks.prediction.setting import Setting
from paper_checks.prediction.table import show
from properties.predictions.expansion import amounts

RUN = Setting(0.01, 20, 2, 16, 400)


@pytest.fixture(scope="module")
def facts():
    corpus = load_corpus(
        None, vocab_size=None, length=8, tokenizer_name="words", layout="document", seed=0, cached=False
    )
    return gather(corpus, sample=16, groups=4, evaluated_on=64, seed=0, told=lambda *told: None)


def predicted(facts, setting, entries=()):
    return {one.id: one for one in forecast(facts, setting, entries)}


def half(one):
    return (one.high - one.low) / 2


def test_an_entry_is_off_by_both_corpora_its_own_and_the_one_trained_on(facts):
    tokens, words = facts.corpus.tokens, facts.corpus.vocabulary
    i, j = tokens[0, 0], tokens[0, 1]
    entry = ("W_O", words[i], words[j])
    own = [sum((x == i) * ((y == j) - 1 / len(words)) for x, y in pairwise(s)) / 8 for s in tokens]
    spread = math.sqrt(sum((one - np.mean(own)) ** 2 for one in own) / (len(own) - 1))
    for trained, computed in ((400, 16), (90, 64)):
        found = predicted(facts, replace(RUN, training_sample=trained, statistics_sample=computed), (entry,))
        for prediction, amount, sequences in (
            (found[f"entry.W_O[{words[i]}, {words[j]}]"], RUN.steps * RUN.rate, trained),
            (found[f"statistic.B_bar[{words[i]}, {words[j]}]"], 1.0, computed),
        ):
            expected = REACH * spread * amount * math.sqrt(1 / len(tokens) + 1 / sequences)
            assert half(prediction) == pytest.approx(expected)


@pytest.mark.parametrize("group", ["W_O", "V", "W", "P"])
def test_an_effect_is_off_by_the_corpus_and_by_the_mean_of_those_evaluated(facts, group):
    """The square of the width is a + b/n: with every fourfold n the same b is divided by four."""
    squares = [
        half(predicted(facts, replace(RUN, evaluated_on=n))[f"ablation.{group}"]) ** 2 for n in (4, 16, 64)
    ]
    assert squares[0] > squares[1] > squares[2] > 0
    assert (squares[0] - squares[1]) / (squares[1] - squares[2]) == pytest.approx(4)
    every = half(predicted(facts, replace(RUN, evaluated_on=10**12))[f"ablation.{group}"])
    rise = predicted(facts, RUN)[f"ablation.{group}"].value
    both = 1 / (1 / 300 + 1 / RUN.training_sample)
    assert every == pytest.approx(rise * facts.dealt.scatter[group].half_width_of_square(both))


@pytest.mark.parametrize("name", ["W_O", "V 1", "W 0", "P 0"])
def test_a_norm_is_off_by_the_corpus_and_by_the_sequences_trained_on(facts, name):
    found = [
        predicted(facts, replace(RUN, training_sample=M, statistics_sample=16))[f"norm.{name}"]
        for M in (100, 10**12)
    ]
    # Variances in the ratio 1/300 + 1/100 to 1/300.
    assert half(found[0]) == pytest.approx(2 * half(found[1]))
    square = facts.dealt.scatter[name.split()[0]].half_width_of_square(300)
    assert half(found[1]) / found[1].value == pytest.approx(square / 2)


def test_squares_are_those_of_as_many_sequences_as_are_trained_on(facts):
    """Those of W_O are larger by 90/N, those of V by 60/N, and so on, for N sequences."""
    excess = {"W_O": 90.0, "V": 60.0, "W": 30.0, "P": 45.0}
    scatter = {group: replace(one, excess=excess[group]) for group, one in facts.dealt.scatter.items()}
    facts = replace(facts, dealt=replace(facts.dealt, scatter=scatter))
    few, many = (replace(RUN, training_sample=n) for n in (100, 10**12))
    of_few, of_many = predicted(facts, few), predicted(facts, many)
    for group, beta in excess.items():
        ratio = 1 + beta / 100
        name = "W_O" if group == "W_O" else f"{group} 1"
        assert of_few[f"norm.{name}"].value / of_many[f"norm.{name}"].value == pytest.approx(ratio**0.5)
        assert of_few[f"ablation.{group}"].value / of_many[f"ablation.{group}"].value == pytest.approx(ratio)
        # The text has 300 sequences, and a run on as many has its squares.
        same = predicted(facts, replace(RUN, training_sample=300))[f"ablation.{group}"].value
        assert same / of_many[f"ablation.{group}"].value == pytest.approx(1 + beta / 300)
    # Norms are read from some of the text's sequences, and are those of a run on as many.
    some, as_many = replace(facts, corrections=100), replace(RUN, training_sample=100)
    for name, deviation in deviations(some, as_many).items():
        assert predicted(some, as_many)[f"norm.{name}"].value == pytest.approx(deviation.norm)
    curves = [loss_curve(facts, one) for one in (few, many)]
    falls = [curve[-1]["first_order"] - curve[0]["first_order"] for curve in curves]
    assert falls[0] / falls[1] == pytest.approx(1.9)


def test_a_sample_that_is_not_trained_on_has_the_lower_cosine(facts):
    inside, outside = (predicted(facts, replace(RUN, nested=nested)) for nested in (True, False))
    for group in ("W_O", "V", "W", "P"):
        rho, share = facts.dealt.scatter[group].noise(16).rho, 16 / 400
        cosines = [one[f"sampling.{group}"].value for one in (inside, outside)]
        assert cosines[0] == pytest.approx(math.sqrt((1 + rho * share) / (1 + rho)))
        assert cosines[1] == pytest.approx(1 / math.sqrt((1 + rho) * (1 + rho * share)))
        assert outside[f"cosine.{group}"].value < inside[f"cosine.{group}"].value


def test_the_least_cosine_is_that_of_a_matrix(facts):
    found = predicted(facts, RUN)
    assert found["cosine.least"].value == min(found[f"cosine.{group}"].value for group in ("W_O", "V", "W"))


@pytest.mark.parametrize("group", ["W_O", "V"])
def test_float32_shows_only_what_is_above_its_spacing(facts, group):
    """A rate at which the effect lies a little above, or below, half the spacing of float32 at log V."""
    blind = math.log(facts.corpus.vocab_size) * 2.0**-24
    order, rise = {"W_O": 1, "V": 3}[group], predicted(facts, RUN)[f"ablation.{group}"].value
    for nearly in (1.01, 0.99):
        rate = RUN.rate * (nearly * blind / rise) ** (1 / order)
        found = predicted(facts, replace(RUN, rate=rate))
        whole, seen = found[f"ablation.{group}"], found[f"float32.ablation.{group}"]
        assert whole.low < blind < whole.high
        assert (seen.low, seen.high) == (0.0, whole.high)
        assert seen.value == (whole.value if nearly > 1 else 0.0)
        assert "95%" not in seen.ends or "of the 95%" in seen.ends


def test_the_size_of_scores_is_told_as_what_it_is(facts):
    """By hand: X Q_bar X^T of each sequence at c_s eta^4, each row less the mean of what it sees."""
    T, Q, s = facts.corpus.length, facts.statistics["Q_bar"], RUN.steps
    amount = (3 * math.comb(s, 4) + 2 * math.comb(s, 3)) * RUN.rate**4
    sizes = []
    for row in facts.evaluated:
        for t in range(T):
            seen = [amount * Q[row[t], row[k]] for k in range(t + 1)]
            sizes += [abs(one - sum(seen) / (t + 1)) for one in seen]
    found = predicted(facts, RUN)["score.size"]
    assert found.value == found.low == pytest.approx(math.sqrt(sum(x * x for x in sizes) / len(sizes)))
    assert found.high == pytest.approx(max(sizes))
    assert found.ends == "rms and largest value"


def test_horizons_and_ends_are_shown_for_what_they_are(facts):
    out = io.StringIO()
    show(Console(file=out, width=80), facts, RUN, forecast(facts, RUN), [])
    shown = out.getvalue()
    found = predicted(facts, RUN)
    for name in ("W_O", "V 1", "W 0", "P 1"):
        row = next(line for line in shown.split("How long")[1].splitlines() if line.startswith(name))
        for least in (0.99, 0.9, 0.7):
            last = found[f"last_step.{least:g}.{name}"].value
            assert ("never" if math.isinf(last) else f"{last:,}") in row
        unknown = [not found[f"last_step.{least:g}.{name}"].reliable for least in (0.99, 0.9, 0.7)]
        assert row.count("?") == sum(unknown)
    size = next(line for line in shown.splitlines() if line.startswith("scores by token"))
    assert " to " in size
    assert "*" in size
    assert ".." not in size


def test_a_horizon_is_known_while_the_terms_beyond_are_below_half_of_the_leading_one(facts):
    marked = set()
    for name in ("W_O", "V 0", "V 1", "W 0", "P 1"):
        group, layer = name.split()[0], int(name.split()[-1]) if " " in name else 0
        leading, *beyond = facts.directions[group].all
        following = len(facts.directions[group].following)
        for least in (0.99, 0.9, 0.7):
            found = predicted(facts, RUN)[f"last_step.{least:g}.{name}"]
            if math.isinf(found.value):
                assert not found.reliable
                continue
            first, *others = amounts(group, RUN.rate, int(found.value), layer, RUN.layers)
            terms = [c * d for c, d in zip(others, beyond, strict=True)]
            orders = (terms[:following], terms[following:])
            size = sum(np.linalg.norm(np.sum(one, axis=0)) for one in orders if one)
            assert found.reliable == (size < np.linalg.norm(first * leading) / 2), (name, least)
            marked.add(found.reliable)
    assert marked == {True, False}


@pytest.mark.parametrize("printed", ["8.00", "0.0140", "1.91e-3", "0.0"])
def test_a_published_number_is_shown_as_it_was_printed(facts, printed):
    number = next(one for one in published_numbers() if one.printed == printed)
    out = io.StringIO()
    show(Console(file=out, width=80), facts, RUN, forecast(facts, RUN), [Compared(number, None, "outside")])
    row = next(line for line in out.getvalue().splitlines() if line.startswith(number.prediction))
    assert row.removeprefix(number.prediction).split()[0] == printed


def test_what_the_series_does_not_reach_is_shown_without_an_interval(facts):
    number = published_numbers()[0]
    shown = {}
    for reliable, verdict in ((True, "inside"), (False, "out of reach")):
        one = Prediction("cosine.W_O", "cosine", 0.75, "law", 0.71234, 0.78765, reliable)
        out = io.StringIO()
        console = Console(file=out, width=80)
        show(console, facts, RUN, forecast(facts, RUN), [Compared(number, one, verdict)])
        shown[verdict] = next(line for line in out.getvalue().splitlines() if verdict in line)
    assert ".71234...78765" in shown["inside"]
    assert "?" not in shown["inside"]
    assert "none" in shown["out of reach"]
    assert "0.75" not in shown["out of reach"]
    assert ".71234" not in shown["out of reach"]


def test_a_number_that_its_series_does_not_give_is_not_printed(facts):
    """Where the terms beyond are as large, what follows from them is none, and it is said what that means."""

    def shown(run):
        out = io.StringIO()
        show(Console(file=out, width=80), facts, run, forecast(facts, run), [])
        return out.getvalue()

    near, far = shown(RUN), shown(replace(RUN, rate=0.5, steps=200))
    assert " none" not in near
    assert "gives no number" not in near
    assert " ".join(far.split()).count("none: there the terms beyond the leading one are as large") == 1
    for row in ("loss after the last step", "rms of A - A0", "least cosine", "the same in float32, W_O"):
        (line,) = (line for line in far.splitlines() if line.startswith(row))
        assert line.split()[-1] == "none", line
    last = far.partition("The loss, in nats")[2].splitlines()[10]
    assert last.split()[0] == "200"
    assert last.split()[-1] == "none"
    weights = far.partition("weight ")[2].splitlines()[1:8]
    assert all(line.split()[-1] == "none" for line in weights), weights
    assert "|W 0|" in {one.title for one in forecast(facts, RUN) if one.reliable}


def test_what_follows_from_weights_beyond_reach_is_beyond_it_too(facts):
    found = predicted(facts, replace(RUN, rate=0.5, steps=200), (("W_O", ".", "he"),))
    beyond = ("spread.W", "entry.W_O[., he]", "score.size", "attention.departure", "float32.attention")
    assert not any(found[id].reliable for id in (*beyond, "float32.ablation.W", "attention.departure_rms"))
    assert found["statistic.B_bar[., he]"].reliable
    assert found["loss.start"].reliable


def test_published_numbers_of_other_sizes_are_shown_where_they_are_asked_for(facts):
    compared = [Compared(published_numbers()[0], None, "other sizes")]

    def shown(*, asked):
        out = io.StringIO()
        console = Console(file=out, width=80)
        show(console, facts, RUN, forecast(facts, RUN), compared, of_other_sizes=asked)
        return " ".join(out.getvalue().split())

    assert "0.998223" not in shown(asked=False)
    assert "Published numbers" not in shown(asked=False)
    assert "not comparable with these; --published shows them." in shown(asked=False)
    assert "0.998223" in shown(asked=True)
    assert "not comparable with these." in shown(asked=True)


def test_a_cosine_without_an_interval_says_why(facts):
    def shown(changed):
        stream = io.StringIO()
        show(Console(file=stream, width=80), changed, RUN, forecast(changed, RUN), [])
        return " ".join(stream.getvalue().split())

    lone = replace(facts.dealt.scatter["W"], rho=math.nan)
    dealt = replace(facts.dealt, scatter={**facts.dealt.scatter, "W": lone})
    assert "No interval for W: too few sequences" in shown(replace(facts, dealt=dealt))
    assert "No cosines: there are fewer sequences than random groups" in shown(replace(facts, dealt=None))
    assert not {"No interval", "No cosines"} & {" ".join(pair) for pair in pairwise(shown(facts).split())}
