"""Losses by what comes next, and measures of heads at the ends of verses, added up and divided."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_effects import MODEL, by_layer
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import as_printed, fractions, rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting


def mean_loss(losses: Sequence[Fraction], positions: Sequence[Fraction]) -> Fraction:
    """Return the mean over positions of losses that are means over groups of them."""
    return sum((a * b for a, b in zip(losses, positions, strict=True)), Fraction(0)) / sum(positions)


def _groups() -> tuple[list[Fraction], list[Fraction]]:
    table = tables()[MODEL]["loss_by_next"]
    return fractions(table["loss"]), fractions(table["positions"])


@decides("loss-groups")
def weighted_loss(claim: Claim, setting: Setting) -> Finding:
    """Weigh the losses by their positions."""
    losses, positions = _groups()
    return compared(
        claim,
        {"overall": mean_loss(losses, positions), "positions": sum(positions)},
        derivation="Each loss times its positions, over all of them.",
    )


@decides("loss-groups-15x")
def loss_ratio(claim: Claim, setting: Setting) -> Finding:
    """Divide by the loss before both marks together, and before each."""
    (stop, comma, other), positions = _groups()
    both = mean_loss([stop, comma], positions[:2])
    return by_readings(
        claim,
        {
            "both marks together, by their positions": {"factor": other / both},
            "commas alone": {"factor": other / comma},
            "full stops alone": {"factor": other / stop},
        },
        derivation=f"Before punctuation the loss is {float(both):.3f}, before other characters "
        f"{float(other):.3f}.",
    )


@decides("loss-3884-vs-4149")
def two_overall_losses(claim: Claim, setting: Setting) -> Finding:
    """Ask whether one model can have both, on a whole and on the part of it that validates."""
    table = tables()[MODEL]
    whole, (overall, base) = (
        sum(_groups()[1]),
        fractions([table["loss_by_next"]["overall"], table["ablation"]["base"]]),
    )
    part = sum(fractions(table["punctuation"]["positions"]))
    rest = (overall * whole - base * part) / (whole - part) if whole > part else base
    return judged(
        whole > part and 0 < rest < base,
        f"one model has both if the other {int(whole - part):,} positions have a loss of {float(rest):.3f}",
        derivation=f"The grouped losses are of {int(whole):,} positions, the whole corpus by 4.25.2; the "
        f"validation set of 4.4.2 has {int(part):,}. What the model was trained on has the lower loss.",
        convention="The base of the ablations is of the validation set, which is part of the corpus.",
    )


@decides("rhyme-differences")
def distance_differences(claim: Claim, setting: Setting) -> Finding:
    """Subtract the printed distances, as ranges of what was rounded."""
    table = tables()[MODEL]["rhyme"]
    pairs = zip(table["distance"], table["distance_before"], strict=True)
    return compared(
        claim,
        {"differences": [as_printed(at) - as_printed(before) for at, before in pairs]},
        derivation="Distance at the rhyme less distance two characters before, head by head.",
    )


@decides("rhyme-layer-boundary")
def line_between_layers(claim: Claim, setting: Setting) -> Finding:
    """Compare how many-fold the heads of each layer change between two kinds of positions."""
    table = tables()[MODEL]
    comparisons = {
        "distance at rhymes": (table["rhyme"]["distance"], table["rhyme"]["distance_before"]),
        "diagonal at punctuation": (table["punctuation"]["diagonal"], table["punctuation"]["elsewhere"]),
    }
    told, clean = [], True
    for name, (here, there) in comparisons.items():
        ratios = [a / b for a, b in zip(fractions(here), fractions(there), strict=True)]
        first, second = by_layer([max(one, 1 / one) for one in ratios])
        clean &= max(first) < min(second)
        head = table["heads"][first.index(max(first))]
        told.append(
            f"{name}: {head} {float(max(first)):.2f}-fold, in the second layer {float(min(second)):.2f} to "
            f"{float(max(second)):.2f}"
        )
    return judged(
        clean,
        "; ".join(told),
        derivation="The larger over the smaller of both kinds of positions; of the first layer the head that "
        "changes most. A head that changes with punctuation depends on the position in the verse.",
    )


@decides("rhyme-l1h1-prev")
def doubled_measures(claim: Claim, setting: Setting) -> Finding:
    """Divide the printed measures of both heads."""
    table = tables()[MODEL]
    L1H1, L1H2 = (list(table["heads"]).index(head) for head in ("L1H1", "L1H2"))
    rhyme = {name: fractions(values) for name, values in table["rhyme"].items()}
    previous = rhyme["previous"][L1H1] / rhyme["previous_before"][L1H1]
    distance = rhyme["distance"][L1H2] / rhyme["distance_before"][L1H2]
    (factor,) = fractions([claim.given["factor"]])
    return judged(
        previous < factor < distance and rounds_to(claim.given["factor"], previous),
        f"{float(previous):.2f} times the weight, {float(distance):.2f} times the distance",
        derivation="L1H1's previous-token weight and L1H2's distance at the rhyme, over those before it.",
    )
