"""The induction score: of uniform heads in closed form, of ideal and other heads, and as it was printed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from mpmath import log, mp, mpf

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions import induction
from paper_checks.ledger.constructions.implied_settings import implied
from paper_checks.ledger.decisions.ablation_effects import MODEL
from paper_checks.ledger.decisions.induction_mechanism import (
    PERIOD,
    REPEATS,
    SYMBOLS,
    random_case,
    repeated_case,
)
from paper_checks.ledger.finding import Finding, by_readings, compared, judged, verdict_if
from paper_checks.ledger.printed import fraction, fractions, rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import DIFFER_LESS, agreed, runs_of
from paper_checks.ledger.setting import Setting
from reference.attention_metrics import induction_score
from theory import baselines


def printed_case(context: str = "context") -> tuple[int, int]:
    """Return the period and the repeats that the chapter's context length gives."""
    repeats = int(tables()[MODEL]["induction"]["repeats"])
    return int(tables()[MODEL]["model"][context]) // repeats, repeats


def uniform_score(context: str = "context") -> Fraction:
    """Return the score of uniform attention in the chapter's case."""
    return fraction(baselines.induction_score(*printed_case(context)))


@decides("induction-uniform-1-over-i")
def uniform_row(claim: Claim, setting: Setting) -> Finding:
    """Average 1/i and 1/(i+1) over the rows of the score, and see which one was measured."""
    period, repeats = printed_case()
    rows = range(period, repeats * period)
    stated, right = (sum((Fraction(1, i + more) for i in rows), Fraction(0)) / len(rows) for more in (0, 1))
    random = fractions(tables()[MODEL]["induction"]["random"])
    measured = sum(random, Fraction(0)) / len(random)
    return judged(
        abs(measured - stated) < abs(measured - right),
        f"a score of 1/(i + 1), on average {float(right):.4f}; 1/i would have {float(stated):.4f}",
        derivation="Row i sees the positions 0 to i, which are i + 1. The untrained heads of the chapter "
        f"average {float(measured):.4f}.",
        convention="Counted from 1, row i has 1/i.",
        readings={"rows counted from 1": verdict_if(abs(measured - right) < abs(measured - stated))},
    )


@decides("induction-random-baseline")
def random_baseline(claim: Claim, setting: Setting) -> Finding:
    """Take the closed form at both context lengths that the chapter gives."""
    random = fractions(tables()[MODEL]["induction"]["random"])
    ends = {"lowest": min(random), "highest": max(random)}
    readings = {}
    for context in ("context", "context_elsewhere"):
        period, repeats = printed_case(context)
        words = f"a context of {period * repeats}, so a period of {period}"
        readings[words] = {"mean": uniform_score(context), **ends}
    period, repeats = printed_case()
    return by_readings(
        claim,
        readings,
        derivation=f"Of uniform attention (H_{period * repeats} - H_{period}) / {(repeats - 1) * period} = "
        f"{float(uniform_score()):.5f}: the measured mean tells which context length it was. "
        + implied("induction", claim.numbers["mean"]),
    )


@decides("induction-baseline-guessable")
def baseline_in_closed_form(claim: Claim, setting: Setting) -> Finding:
    """Compute the score without any measurement."""
    exact, (period, repeats) = uniform_score(), printed_case()
    return judged(
        not rounds_to(claim.given["measured"], exact),
        f"a score of {float(exact):.5f} in closed form",
        derivation=f"(H_rP - H_P) / ((r - 1) P) with r = {repeats}, P = {period}: untrained attention is "
        "uniform, and row i has 1/(i + 1) everywhere.",
    )


@decides("induction-jminus1")
def slip_of_two(claim: Claim, setting: Setting) -> Finding:
    """Average uniform attention at i - P - 1, where the first row has no such position."""
    period, repeats = printed_case()
    rows = range(period, repeats * period)
    visible = [Fraction(1, i + 1) for i in rows if i - period - 1 >= 0]
    total = sum(visible, Fraction(0))
    return by_readings(
        claim,
        {
            "the row without such a position left out": {"score": total / len(visible)},
            "index -1 there, the last column, which is hidden": {"score": total / len(rows)},
        },
        derivation="Uniform attention has the same weight at every visible position of a row, so that the "
        "slip hardly changes its score; only a head with a pattern can tell j - 1 from j + 1.",
    )


@decides("induction-table")
def score_table(claim: Claim, setting: Setting) -> Finding:
    """Average the printed scores."""
    table = tables()[MODEL]["induction"]
    trained, random = fractions(table["trained"]), fractions(table["random"])
    return compared(
        claim,
        {
            "trained_mean": sum(trained, Fraction(0)) / len(trained),
            "random_mean": sum(random, Fraction(0)) / len(random),
            "random_largest": max(random),
            "random_range": max(random) - min(random),
        },
        derivation=f"Means of the printed scores, {float(sum(random) / len(random)):.5f} of the untrained.",
    )


@decides("no-induction-head")
def scores_above_the_baseline(claim: Claim, setting: Setting) -> Finding:
    """Count the printed trained scores above the largest random one."""
    table = tables()[MODEL]["induction"]
    trained, random = fractions(table["trained"]), fractions(table["random"])
    above = sum(one > max(random) for one in trained)
    return judged(
        not above,
        f"{above} of {len(trained)} heads above {float(max(random))}; the largest score is "
        f"{float(max(trained))}",
        evidence="quoted",
        derivation="A head that attends to all earlier followers alike would score "
        f"{float(_even_score()):.2f}, one that attends to the latest 1: either would have shown.",
    )


@decides("ideal-induction-score", tried="drawn sequences")
def ideal_scores(claim: Claim, setting: Setting) -> Finding:
    """Score hand-set induction heads, and a head that looks at a fixed distance, whatever the tokens."""
    tokens, _ = repeated_case(setting.seed)
    length = tokens.shape[1] - 1
    scores = [
        float(
            induction_score(induction.last_map(induction.two_layers(SYMBOLS, length, latest), tokens), PERIOD)
        )
        for latest in (False, True)
    ]
    blind = induction.at_distance(SYMBOLS, length, PERIOD - 1)
    fixed = float(induction_score(induction.last_map(blind, tokens), PERIOD))
    (found,) = fractions([claim.given["found"]])
    return judged(
        uniform_score() < found < min(scores),
        f"scores: induction heads {scores[0]:.2f} to {scores[1]:.0f}, uniform attention "
        f"{float(uniform_score()):.4f}",
        evidence="property",
        derivation="A head that attends to all earlier followers alike has 1, 1/2 and 1/3 in the second to "
        "fourth copy; one that attends to the latest has 1 in each.",
        convention="Not the other way round: at the one period of the test, a head that attends to a fixed "
        f"distance and looks at no token scores {fixed:.0f} too.",
    )


@decides("cyclic-forces-induction", tried="drawn sequences")
def other_ways(claim: Claim, setting: Setting) -> Finding:
    """Predict repeated blocks with one layer that looks at a fixed distance and at no token."""
    tokens, right = repeated_case(setting.seed)
    blind = induction.at_distance(SYMBOLS, tokens.shape[1] - 1, PERIOD - 1)
    share = induction.model_accuracy(blind, tokens, right)
    other = induction.repeated(setting.seed, SYMBOLS, PERIOD + 1, REPEATS)
    other_share = induction.model_accuracy(
        induction.at_distance(SYMBOLS, other.shape[1] - 1, PERIOD - 1), other, induction.wanted(other)
    )
    free, answers = random_case(setting.seed)
    blind_free = induction.at_distance(SYMBOLS, free.shape[1] - 1, PERIOD - 1)
    free_share = induction.model_accuracy(blind_free, free, answers)
    return judged(
        share < 1,
        f"one layer at distance {PERIOD - 1} is right at {share:.0%} of positions",
        evidence="property",
        derivation="x_(i+1) = x_(i+1-P): a head at the distance P - 1 copies it by position alone, with no "
        "score that depends on a token and no second layer.",
        convention=f"The same head is right at {other_share:.0%} of positions where the period is another, "
        f"and at {free_share:.0%} where tokens recur at no fixed distance: induction is needed only where "
        "the period varies.",
        readings={"a period that varies": verdict_if(other_share < 1)},
    )


@decides("one-layer-stuck-at-logV", tried="drawn sequences")
def loss_of_one_layer(claim: Claim, setting: Setting) -> Finding:
    """Take the loss of one layer that predicts by position, after seeing that it predicts every later row."""
    tokens, right = repeated_case(setting.seed)
    blind = induction.at_distance(SYMBOLS, tokens.shape[1] - 1, PERIOD - 1)
    copies = induction.model_accuracy(blind, tokens, right) == 1
    period, repeats = printed_case()
    (characters,) = fractions([tables()[MODEL]["model"]["characters"]])
    new, old = period - 1, (repeats - 1) * period
    with mp.workdps(50):
        unknown, among = log(mpf(int(characters))), log(mpf(period))
        readings = {
            "a head at the distance P - 1, which copies": (new * unknown) / (new + old)
            if copies
            else unknown,
            "a head that sees which tokens occurred, not where": (new * unknown + old * among) / (new + old),
            "nothing learned": unknown,
        }
    return by_readings(
        claim,
        {words: {"loss": loss} for words, loss in readings.items()},
        evidence="property",
        derivation=f"The first {new} predictions cost log {characters} each, the {old} after them nothing by "
        f"position, or log {period} by choosing among the tokens seen: no second layer is needed for either.",
    )


@decides("j-versus-jplus1", tried="drawn sequences")
def after_against_at(claim: Claim, setting: Setting) -> Finding:
    """Score hand-set induction heads, and uniform attention, at both positions."""
    tokens, _ = repeated_case(setting.seed)
    length = tokens.shape[1] - 1
    T = REPEATS * PERIOD
    maps = {
        "all followers alike": induction.last_map(induction.two_layers(SYMBOLS, length, False), tokens),
        "the latest": induction.last_map(induction.two_layers(SYMBOLS, length, True), tokens),
        "uniform": np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None],
    }
    rows = np.arange(PERIOD, T)
    scores = {
        name: (induction_score(A, PERIOD), float(A[rows, rows - PERIOD].mean())) for name, A in maps.items()
    }
    *heads, uniform = scores.values()
    return judged(
        all(after > 1 / 2 > at for after, at in heads) and uniform[0] == uniform[1],
        "scores after it and at it: "
        + "; ".join(f"{name} {after:.2f} and {at:.2f}" for name, (after, at) in scores.items()),
        evidence="property",
        derivation="After the earlier occurrence and at it, of heads with hand-set weights and of uniform "
        "attention, which gives both positions of a row the same weight.",
    )


@decides("trained-cyclic-score")
def trained_on_repeats(claim: Claim, setting: Setting) -> Finding:
    """Take the best head's score of each run with two layers or more.

    A run of the experiment `induction.random_period` has `layers` and `scores`, the induction scores of
    its heads on sequences of many periods.
    """
    runs = runs_of(setting, "induction.random_period")
    best = {
        layers: [max(run["scores"]) for run in runs if run["layers"] == layers]
        for layers in sorted({run["layers"] for run in runs})
    }
    (found,) = fractions([claim.given["found"]])
    deep = [score for layers, scores in best.items() if layers > 1 for score in scores]
    return Finding(
        agreed([score > found for score in deep]) if deep else "inconclusive",
        "measured",
        "best scores: " + "; ".join(f"{n} layers {min(s):.3f} to {max(s):.3f}" for n, s in best.items()),
        missing=DIFFER_LESS if deep else "runs of two layers or more",
        derivation=f"The best head of each run; uniform attention has {float(uniform_score()):.4f}.",
    )


def _even_score() -> Fraction:
    """Return the score of a head that attends to the followers of all earlier occurrences alike."""
    _, repeats = printed_case()
    return sum((Fraction(1, copies) for copies in range(1, repeats)), Fraction(0)) / (repeats - 1)
