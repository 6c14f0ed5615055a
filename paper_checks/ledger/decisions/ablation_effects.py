"""The loss increases that removed heads cause: differences, means and ratios of what is printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import takewhile

from mpmath import log, mp, mpf

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings, compared, verdict_if
from paper_checks.ledger.printed import as_printed, exact, fractions
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import against_runs, beside_published, poem_runs
from paper_checks.ledger.setting import Setting

MODEL = "poem-model"


def by_layer(values: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return a value a head as a list a layer."""
    heads = int(tables()[MODEL]["model"]["heads"])
    return [list(values[start : start + heads]) for start in range(0, len(values), heads)]


def layer_means_of(printed: list[str]) -> list[Fraction]:
    """Return the mean over each layer's heads of printed values."""
    return [sum(layer, Fraction(0)) / len(layer) for layer in by_layer(fractions(printed))]


def effect_of(head: str) -> Fraction:
    """Return the printed loss increase of one head."""
    table = tables()[MODEL]
    return fractions(table["ablation"]["effect"])[list(table["heads"]).index(head)]


def power(ratio: Fraction, base: Fraction) -> mpf:
    """Return p with base^p = ratio, to 50 digits."""
    with mp.workdps(50):
        top, bottom = (log(mpf(one.numerator) / one.denominator) for one in (ratio, base))
        return top / bottom


@decides("single-ablation-deltas")
def single_effects(claim: Claim, setting: Setting) -> Finding:
    """Subtract the base from each loss, as ranges of what was rounded."""
    table = tables()[MODEL]["ablation"]
    base = as_printed(table["base"])
    return compared(
        claim,
        {"effects": [as_printed(loss) - base for loss in table["loss"]]},
        derivation=f"Each loss less {table['base']}.",
    )


@decides("layer-means")
def layer_means(claim: Claim, setting: Setting) -> Finding:
    """Average the printed loss increases by layer."""
    first, second = layer_means_of(tables()[MODEL]["ablation"]["effect"])
    return compared(
        claim,
        {"means": [first, second], "ratio": first / second},
        derivation="Sums of four printed increases over 4, and the first over the second.",
    )


@decides("layer-vs-head-spread")
def spread_between_and_within(claim: Claim, setting: Setting) -> Finding:
    """Compare the ratio of the layers' means with the ratios of extremes inside each layer."""
    effects = tables()[MODEL]["ablation"]["effect"]
    first, second = layer_means_of(effects)
    within = [max(layer) / min(layer) for layer in by_layer(fractions(effects))]
    return compared(
        claim,
        {"between": first / second, "within": within},
        derivation="Ratios of the printed increases, of the first layer and of the second.",
    )


@decides("layer0-six-times-real-heads")
def ratio_of_trained_layers(claim: Claim, setting: Setting) -> Finding:
    """Take the ratio of the layers' mean loss increases in each run.

    A run of the experiment `poems.heads` has `effects`, a list a layer of loss increases in nats, each with
    one head's features zeroed before the output projection.
    """
    runs = poem_runs(setting, "poems.heads")
    ratios = [_mean(run["effects"][0]) / _mean(run["effects"][1]) for run in runs]
    derivation = "Mean loss increase of the first layer over the second's."
    return beside_published(against_runs(claim, {"ratio": ratios}, derivation), runs)


@decides("generation-divergence")
def generated_texts(claim: Claim, setting: Setting) -> Finding:
    """Compare the two texts character by character."""
    base, ablated = claim.given["base"], claim.given["ablated"]
    pairs = zip(base, ablated, strict=False)
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return compared(
        claim,
        {"same": same, "first_different": same + 1, "dropped": len(base) - len(ablated)},
        derivation=f"The texts have {len(base)} and {len(ablated)} characters"
        f"{'; the second is the beginning of the first' * base.startswith(ablated)}.",
    )


@decides("norm-means")
def norm_means(claim: Claim, setting: Setting) -> Finding:
    """Average the printed lengths by layer."""
    first, second = layer_means_of(tables()[MODEL]["norm"]["value"])
    return compared(
        claim,
        {"means": [first, second], "ratio": first / second},
        derivation="Sums of four printed lengths over 4, and the first over the second.",
    )


@decides("superlinear-exponent")
def exponent(claim: Claim, setting: Setting) -> Finding:
    """Solve effect ratio = (norm ratio)^p for p, which takes logarithms."""
    effects = layer_means_of(tables()[MODEL]["ablation"]["effect"])
    norms = layer_means_of(tables()[MODEL]["norm"]["value"])
    effect, norm = fractions([claim.given["effect_ratio"], claim.given["norm_ratio"]])
    return by_readings(
        claim,
        {
            "the exponent p in effect = norm^p, of the unrounded ratios": {
                "exponent": power(effects[0] / effects[1], norms[0] / norms[1])
            },
            "the same of the rounded ratios": {"exponent": power(effect, norm)},
            "their quotient, which is no exponent": {"exponent": effect / norm},
        },
        derivation="An effect that grows as the p-th power of the norm has p = log(effect ratio) / log(norm "
        "ratio); the quotient is how much larger the effect is than p = 1 would have it.",
    )


@decides("relative-contribution")
def share_of_the_stream(claim: Claim, setting: Setting) -> Finding:
    """Divide the lengths; beside it, what an orthogonal part of that length adds to the whole."""
    output, stream = fractions([claim.given["output"], claim.given["stream"]])
    share = output / stream
    longer = math.hypot(1, share) - 1
    return compared(
        claim,
        {"share": share},
        derivation=f"{claim.given['output']}/{claim.given['stream']}. At a right angle to the stream it "
        f"lengthens it by {longer:.1%}.",
        convention=f"To the two digits printed; to one digit the share is {float(share):.1g}.",
        readings={
            "the share to one digit": verdict_if(
                Fraction(f"{float(share):.1g}") == exact(claim.numbers["share"])
            )
        },
    )


@decides("importance-77x")
def importance_ratios(claim: Claim, setting: Setting) -> Finding:
    """Divide printed loss increases."""
    return compared(
        claim,
        {
            "L0H0_over_L1H1": effect_of("L0H0") / effect_of("L1H1"),
            "L0H0_above_L0H3": effect_of("L0H0") / effect_of("L0H3") - 1,
            "L1H0_above_L1H1": effect_of("L1H0") / effect_of("L1H1") - 1,
        },
        derivation="Ratios of the printed loss increases.",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
