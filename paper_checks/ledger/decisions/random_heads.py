"""The measures of untrained heads: closed forms, and what random scores take off them."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.constructions.implied_settings import implied
from paper_checks.ledger.constructions.random_heads import random_profiles
from paper_checks.ledger.decisions.ablation_effects import MODEL
from paper_checks.ledger.finding import Finding, by_readings, compared, judged
from paper_checks.ledger.printed import as_printed, fraction, fractions, rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import one_more
from paper_checks.ledger.setting import Setting
from theory import baselines


def of_model(name: str) -> int:
    """Return a whole number that describes the chapter's model."""
    return int(fractions([tables()[MODEL]["model"][name]])[0])


def lengths_of(claim: Claim) -> list[int]:
    """Return the lengths that a claim is about."""
    return [int(one) for one in claim.given["lengths"]]


def score_variance(width: int, spread: float) -> float:
    """Return the variance of q.k / sqrt d_head for x of squared length `width`: (width spread^2)^2.

    A component of q = x W is Gaussian with variance |x|^2 spread^2, so is one of k; d_head products of two
    have the variance d_head (width spread^2)^2, which the division by sqrt d_head leaves without d_head.
    """
    return (width * spread**2) ** 2


def deficit_per_variance(T: int) -> float:
    """Return by how much a score variance of 1 lowers the mean normalised entropy, to second order.

    With p_k = exp(s_k)/sum, H = log sum exp(s) - sum p s = log n - Var_n(s)/2 + O(s^3) over the n visible
    scores, and E Var_n = (n-1)/n Var; a row's entropy is divided by log n, and T rows are averaged.
    """
    return sum((n - 1) / (n * log(n)) for n in range(2, T + 1)) / (2 * T)


@decides("random-model-table", tried="drawn heads")
def simulated_heads(claim: Claim, setting: Setting) -> Finding:
    """Draw heads as an initialisation does, and ask whether the printed ones could be among them."""
    table, width = tables()[MODEL], of_model("width")
    spread = float(table["model"]["spread"])
    profiles = random_profiles(
        setting.seed, of_model("length"), of_model("poems"), width, width // of_model("heads"), spread
    )
    strange = []
    for name, values in profiles.items():
        low, high = one_more(values)
        printed = table["random"].get("entropy_range" if name == "entropy" else name, [])
        strange += [
            f"{name} {one}" for one in printed if as_printed(one).high < low or as_printed(one).low > high
        ]
    told = ", ".join(
        f"{name} {np.mean(profiles[name]):.4f} (deviation {np.std(profiles[name]):.4f})"
        for name in ("entropy", "diagonal", "previous")
    )
    ends = {
        name: [min(fractions(table["random"][name])), max(fractions(table["random"][name]))]
        for name in claim.numbers
    }
    finding = compared(
        claim,
        ends,
        evidence="measured",
        derivation=f"{len(profiles['entropy'])} simulated heads: {told}.",
    )
    return finding if not strange else judged(False, f"{strange[0]} is of no such head", evidence="measured")


@decides("random-entropy-baseline")
def entropy_of_uniform_rows(claim: Claim, setting: Setting) -> Finding:
    """Take the closed form with and without the row that has one choice."""
    T = of_model("length")
    return by_readings(
        claim,
        {
            "row 0, which has no choice, counted as 0": {"entropy": baselines.normalised_entropy(T)},
            "row 0 left out": {"entropy": baselines.normalised_entropy(T, include_first=False)},
        },
        derivation=f"All rows but one have 1: (T - 1)/T = {baselines.normalised_entropy(T)}. "
        + implied("entropy", claim.numbers["entropy"]),
    )


@decides("random-entropy-deficit", tried="the initial weights that are stated")
def entropy_deficit(claim: Claim, setting: Setting) -> Finding:
    """Predict the entropy from the initial weights, and what variance of the scores the printed one needs."""
    table, T = tables()[MODEL], of_model("length")
    low, high = (as_printed(one) for one in table["random"]["entropy_range"])
    uniform, slope = float(fraction(baselines.normalised_entropy(T))), deficit_per_variance(T)
    variance = score_variance(of_model("width"), float(table["model"]["spread"]))
    predicted = uniform - variance * slope
    weights = f"{of_model('width')} x {table['model']['spread']}"
    implied = [(uniform - float(entropy)) / slope for entropy in (high.high, low.low)]
    positions = Fraction(of_model("positions") - of_model("poems"), of_model("positions"))
    return judged(
        float(low.low) <= predicted <= float(high.high),
        f"an entropy of {predicted:.5f}, where uniform attention has {uniform:.5f}",
        derivation=f"H = log n - Var/2: the printed entropies need a score variance of {implied[0]:.4f} to "
        f"{implied[1]:.4f}; the initial weights give ({weights}^2)^2 = {variance:.4f}.",
        convention=f"Over the {of_model('positions')} positions of three texts that 4.3.2 counts, no head "
        f"could have more than {float(positions):.4f}: these are of texts of {T}.",
        evidence="property",
    )


@decides("random-diagonal-015")
def mean_of_reciprocals(claim: Claim, setting: Setting) -> Finding:
    """Sum the reciprocals as fractions."""
    T = of_model("length")
    mean = baselines.mean_diagonal(T)
    return compared(claim, {"mean": mean}, derivation=f"H_{T}/{T} = {float(fraction(mean)):.4f}.")


@decides("random-previous-baseline")
def previous_of_uniform_rows(claim: Claim, setting: Setting) -> Finding:
    """Take the closed form and see that it lies among the printed ones."""
    T, printed = of_model("length"), tables()[MODEL]["random"]["previous"]
    exact = baselines.mean_previous(T)
    inside = min(as_printed(one).low for one in printed) <= fraction(exact)
    inside &= fraction(exact) <= max(as_printed(one).high for one in printed)
    others = fraction(exact) * T / (T - 1)
    met = [one for one in sorted(set(printed)) if rounds_to(one, exact)]
    return judged(
        inside,
        f"a weight of {float(fraction(exact)):.4f}{f', which is {met[0]} when rounded' if met else ''}",
        derivation=f"(H_T - 1)/T at T = {T}: row i has 1/(i+1) on its predecessor, and row 0 has none. "
        + " ".join(implied("previous", one) for one in sorted(set(printed))),
        convention=f"Row 0 counts as 0; without it, {float(others):.4f}.",
    )


@decides("harmonic-table")
def harmonic_numbers(claim: Claim, setting: Setting) -> Finding:
    """Add up fractions."""
    lengths = lengths_of(claim)
    return compared(
        claim,
        {
            "H": [baselines.harmonic(T) for T in lengths],
            "diagonal": [baselines.mean_diagonal(T) for T in lengths],
        },
        derivation="The sums of 1/t over t = 1 to T, in fractions, and these over T.",
    )


@decides("baseline-drop-8x")
def drop_of_the_diagonal(claim: Claim, setting: Setting) -> Finding:
    """Divide the mean diagonals at two lengths."""
    short, long = (baselines.mean_diagonal(T) for T in lengths_of(claim))
    return compared(
        claim,
        {"factor": short / long},
        derivation=f"{float(fraction(short)):.4f} over {float(fraction(long)):.4f}.",
    )


@decides("diagonal-error-02-percent")
def error_of_three_seeds(claim: Claim, setting: Setting) -> Finding:
    """Compare each measured diagonal, and their mean, with H_T/T."""
    exact, measured = (
        fraction(baselines.mean_diagonal(of_model("length"))),
        fractions(claim.given["measured"]),
    )
    errors = [abs(one / exact - 1) for one in measured]
    mean = sum(measured, Fraction(0)) / len(measured)
    return by_readings(
        claim,
        {
            "the error of the worst of the three": {"error": max(errors)},
            "the error of their mean": {"error": abs(mean / exact - 1)},
        },
        derivation="Against H_T/T the three are off by "
        + ", ".join(f"{float(one):.2%}" for one in errors)
        + ".",
    )
