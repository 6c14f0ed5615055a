"""Interactions of removed heads: what they are, what the printed ones add up to, what their sign says."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb

from mpmath import log, mp, mpf

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_effects import MODEL, effect_of
from paper_checks.ledger.finding import Finding, compared, judged
from paper_checks.ledger.printed import as_printed, fractions
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import against_runs, beside_published, poem_runs
from paper_checks.ledger.setting import Setting

# A loss by whether the first head is kept and whether the second is.
Loss = Callable[[bool, bool], Fraction]

# The smallest cases of three relations: a loss of 1 when the task fails, or 1/2 for each half of it.
RELATIONS: dict[str, Loss] = {
    "redundant": lambda first, second: Fraction(not (first or second)),
    "complementary": lambda first, second: Fraction(not (first and second)),
    "independent": lambda first, second: Fraction(not first, 2) + Fraction(not second, 2),
}
SMALLEST = "the smallest case of each relation"


def interaction(loss: Loss) -> Fraction:
    """Return D_12 - D_1 - D_2 with D the increases over the loss with both heads."""
    base = loss(True, True)
    return (loss(False, False) - base) - (loss(False, True) - base) - (loss(True, False) - base)


@decides("pairwise-definition", tried=SMALLEST)
def interactions_defined(claim: Claim, setting: Setting) -> Finding:
    """Count the pairs, and see that the interaction is zero for heads that do not meet."""
    heads = tables()[MODEL]["heads"]
    values = {name: interaction(loss) for name, loss in RELATIONS.items()}
    finding = compared(
        claim,
        {"pairs": comb(len(heads), 2)},
        derivation="On the smallest cases: "
        + ", ".join(f"{name} {value}" for name, value in values.items())
        + ".",
    )
    return finding if values["independent"] == 0 else judged(False, finding.computed)


@decides("pairwise-table")
def five_pairs(claim: Claim, setting: Setting) -> Finding:
    """Add single increases, and take the printed sums from the printed joint increases."""
    table = tables()[MODEL]
    single = dict(zip(table["heads"], map(as_printed, table["ablation"]["effect"]), strict=True))
    pairs, joint = table["pairs"]["removed"], map(as_printed, table["pairs"]["joint"])
    linear = map(as_printed, claim.numbers["linear"])
    return compared(
        claim,
        {
            "linear": [single[first] + single[second] for first, second in pairs],
            "interaction": [both - total for both, total in zip(joint, linear, strict=True)],
        },
        derivation="Sums of the printed single increases; printed joint increases less the printed sums.",
    )


@decides("pairwise-all-negative")
def negative_interactions(claim: Claim, setting: Setting) -> Finding:
    """Count the negative interactions in each run.

    A run of the experiment `poems.heads` has `effects`, a list a layer of loss increases in nats, and
    `pair_effects`, the increases without both of two heads, in the order of itertools.combinations of the
    heads counted through the layers.
    """
    counts, runs = [], poem_runs(setting, "poems.heads")
    for run in runs:
        single = [effect for layer in run["effects"] for effect in layer]
        pairs = zip(combinations(range(len(single)), 2), run["pair_effects"], strict=True)
        counts.append(sum(joint < single[first] + single[second] for (first, second), joint in pairs))
    derivation = "Pairs with a joint increase below the sum, run by run."
    return beside_published(against_runs(claim, {"negative": counts}, derivation), runs)


@decides("negative-means-redundancy", tried=SMALLEST)
def sign_of_redundancy(claim: Claim, setting: Setting) -> Finding:
    """Take the interaction of two heads either of which suffices, and of two that are both needed."""
    negative, positive = (interaction(RELATIONS[claim.given[sign]]) for sign in ("negative", "positive"))
    found = {name: interaction(loss) for name, loss in RELATIONS.items()}
    return judged(
        negative < 0 < positive,
        "interactions: " + ", ".join(f"{name} {value}" for name, value in found.items()),
        derivation="With v what the heads kept achieve, D_ij - D_i - D_j = v(i) + v(j) - v(ij) - v(none): "
        "above 0 where that overlaps and either stands in, below 0 where each needs the other.",
        convention="Two heads of which either suffices lose nothing one by one and all together, as the "
        "chapter's own example has it.",
    )


@decides("pair-joint-below-single")
def joint_below_single(claim: Claim, setting: Setting) -> Finding:
    """Subtract the joint increase from that of the first head alone."""
    table = tables()[MODEL]["pairs"]
    joint = dict(zip(map(tuple, table["removed"]), fractions(table["joint"]), strict=True))
    pair = tuple(claim.given["pair"])
    return compared(
        claim,
        {"lower": effect_of(pair[0]) - joint[pair]},
        derivation=f"The increase without {pair[0]} less that without both.",
    )


@decides("loss-ceiling-567")
def loss_of_the_uniform(claim: Claim, setting: Setting) -> Finding:
    """Take the logarithm of the number of characters, and a prediction that is worse."""
    (characters,) = fractions([tables()[MODEL]["model"]["characters"]])
    with mp.workdps(50):
        uniform = log(mpf(int(characters)))
        worse = -log(1 / mpf(int(characters)) ** 2)
    return compared(
        claim,
        {"uniform": uniform},
        derivation=f"The uniform loss is log {characters}. It is no ceiling: a model that gives the right "
        f"character 1/{characters}^2 has {float(worse):.2f}, and there is no largest loss.",
    )


@decides("pairs-done-or-not")
def joint_effects_are_measured(claim: Claim, setting: Setting) -> Finding:
    """See whether the printed joint increases could have been had without removing two heads."""
    table = tables()[MODEL]
    single = dict(zip(table["heads"], map(as_printed, table["ablation"]["effect"]), strict=True))
    new = 0
    for (first, second), joint in zip(table["pairs"]["removed"], table["pairs"]["joint"], strict=True):
        total, both = single[first] + single[second], as_printed(joint)
        new += both.high < total.low or both.low > total.high
    pairs = len(table["pairs"]["removed"])
    return judged(
        not new,
        f"{new} of {pairs} printed joint increases are not sums of single ones",
        evidence="quoted",
        derivation="Joint increases that do not follow from the single ones come from removing two heads: "
        "the pairs were run, and the two places that deny it are out of date.",
    )
