"""Measures of heads that are compared across lengths, positions, and with those of untrained heads."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor, log10, sqrt

import numpy as np

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_effects import MODEL
from paper_checks.ledger.decisions.random_heads import lengths_of, of_model
from paper_checks.ledger.finding import Finding, compared, judged
from paper_checks.ledger.printed import Range, as_printed, exact, fraction, fractions
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.model import causal_softmax
from theory import baselines


def span(printed: Sequence[str]) -> Range:
    """Return how far apart the largest and the smallest of printed numbers are."""
    return as_printed(max(printed, key=float)) - as_printed(min(printed, key=float))


@decides("relative-diagonal", tried="a head that sees only itself")
def relative_diagonal_of_two_heads(claim: Claim, setting: Setting) -> Finding:
    """Average A_ii (i + 1) for a uniform head and for one that attends to nothing but itself."""
    uniform = [fraction(baselines.relative_diagonal(T)) for T in lengths_of(claim)]
    identity = [Fraction(sum(range(1, T + 1)), T) for T in lengths_of(claim)]
    lengths = ", ".join(claim.given["lengths"])
    return judged(
        len(set(uniform)) == len(set(identity)) == 1,
        f"a head that sees only itself has {', '.join(str(float(one)) for one in identity)} at T = {lengths}",
        derivation="A self weight w that does not depend on the position gives w (T + 1)/2, which grows with "
        "the length; only near uniform attention does the factor cancel the geometry.",
        convention=f"For uniform attention it is {', '.join(map(str, uniform))}, as intended.",
    )


@decides("random-diag-label")
def label_of_a_random_head(claim: Claim, setting: Setting) -> Finding:
    """Apply the printed rules to the closed forms of uniform attention."""
    T = of_model("length")
    profile = {
        "diagonal": baselines.mean_diagonal(T),
        "previous": baselines.mean_previous(T),
        "entropy": baselines.normalised_entropy(T),
    }
    rules = [(name, fractions([above])[0], label) for name, above, label in claim.given["rules"]]
    labels = [(name, label) for name, above, label in rules if fraction(profile[name]) > above]
    told = ", ".join(f"{key} {float(fraction(value)):.3f}" for key, value in profile.items())
    name, label = labels[0] if labels else ("no measure", "no label")
    return judged(
        label == claim.given["label"],
        f"labelled {label}",
        derivation=f"Of {told}, {name} is the first above its threshold; "
        "the chapter's own list of untrained heads has this label too.",
    )


@decides("entropy-range-ratio")
def entropy_spread(claim: Claim, setting: Setting) -> Finding:
    """Divide the spans of the entropies, and their squares, which is how variances compare.

    The span of the untrained heads is one unit of the last printed place: it may be as good as nothing, and
    the ratio has a smallest value and no largest.
    """
    table = tables()[MODEL]
    trained, random = span(table["profile"]["entropy"]), span(table["random"]["entropy_range"])
    ratio, least = fraction(trained) / fraction(random), trained.low / random.high
    stated, most = exact(claim.numbers["ratio"]), trained.high / random.low if random.low > 0 else None
    left_open = least <= stated and (most is None or stated <= most)
    reach = f"at least {float(least):,.0f}{f' and at most {float(most):,.0f}' if most else ''}"
    return compared(
        claim,
        {"ratio": ratio**2},
        derivation=f"The spans are {float(fraction(trained)):.3f} and {float(fraction(random)):.4f}, "
        f"the latter rounded from up to {float(random.high):.4f}: the ratio of their squares is at least "
        f"{float(least**2):,.0f}.",
        convention="Judged with variances, which go as the squares of spans. With the spans themselves, "
        f"largest less smallest: {float(ratio):,.0f} times as they are printed and {reach} as they are "
        f"rounded, which {'leaves' if left_open else 'excludes'} {float(stated):,.0f}"
        f"{' open' if left_open else ''}.",
    )


@decides("diagonal-range-ratio")
def diagonal_spread(claim: Claim, setting: Setting) -> Finding:
    """Divide the spans of the diagonals, within what their rounding leaves open."""
    table = tables()[MODEL]
    trained, random = span(table["profile"]["diagonal"]), span(table["random"]["diagonal"])
    ratio = trained / random
    order = int(claim.given["order_of_magnitude"])
    return judged(
        floor(log10(ratio.low)) == floor(log10(ratio.high)) == order,
        f"a range {float(fraction(trained) / fraction(random)):.0f} times as large, by rounding "
        f"{float(ratio.low):.0f} to {float(ratio.high):.0f} times",
        derivation="The span of the trained diagonals over that of the random ones, which is two units of "
        "the last printed place.",
    )


@decides("early-positions-low-entropy")
def entropy_of_early_positions(claim: Claim, setting: Setting) -> Finding:
    """Compare the printed entropies of early and later positions; uniform rows have 1 at every position."""
    columns = zip(*(fractions(row) for row in tables()[MODEL]["entropy_by_position"].values()), strict=True)
    early, *later = (sum(column, Fraction(0)) / len(column) for column in columns)
    T = of_model("length")
    return judged(
        early < min(later),
        f"an entropy of {float(early):.2f} in the first group of positions, of {float(min(later)):.2f} to "
        f"{float(max(later)):.2f} in the later ones",
        derivation="Divided by log of the number of choices, a row without preference has 1 from its second "
        "position on; the chapter's own table has its largest entropies first.",
        convention=f"Row 0 alone has no choice; counted as 0 it takes 1/T off the mean, 1/{T} here.",
    )


@decides("row-renormalisation", tried="a drawn map")
def renormalised_rows(claim: Claim, setting: Setting) -> Finding:
    """Divide the visible part of each row of a causal softmax by its sum."""
    T = of_model("length")
    A = causal_softmax(np.random.default_rng(setting.seed).normal(0, sqrt(T), (T, T)))
    moved = max(float(np.abs(A[i, : i + 1] / A[i, : i + 1].sum() - A[i, : i + 1]).max()) for i in range(T))
    bound = float(rounding(1.0, 2 * T + 2 + ELEMENTARY_ULPS, "float64"))
    return judged(
        moved <= bound,
        f"the rows change by {f'no more than rounding, {bound:.0e}' if moved <= bound else f'{moved:.1e}'}",
        evidence="property",
        derivation="The mask sets hidden scores to minus infinity before the softmax, so that the visible "
        "weights sum to 1 already.",
    )
