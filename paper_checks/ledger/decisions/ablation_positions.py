"""Effects by position: what a mean and a deviation say, and what they do not."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt
from statistics import NormalDist, fmean, pstdev

from mpmath import mp, mpf
from mpmath import sqrt as precise_sqrt

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.decisions.ablation_effects import MODEL
from paper_checks.ledger.decisions.trained_heads import by_role
from paper_checks.ledger.finding import Finding, NotGiven, compared, judged
from paper_checks.ledger.printed import fractions, rounds_to
from paper_checks.ledger.registry import decides
from paper_checks.ledger.runs import against_runs, of_like_models, poem_runs
from paper_checks.ledger.setting import Setting
from properties.tolerances import DEVIATIONS


@decides("per-position-list")
def effects_by_position(claim: Claim, setting: Setting) -> Finding:
    """Take the four statistics of each run.

    A run of the experiment `poems.heads` has `effects_by_position`, for each head of each layer the mean loss
    increase in nats at each position of a window without it. The chapter's head is the most diffuse of the
    second layer, and so is that of a run.
    """
    runs = poem_runs(setting, "poems.heads")
    effects = [run["effects_by_position"][1][by_role(run, 1, "entropy")] for run in runs]
    measures: dict[str, Callable[[list[float]], float]] = {
        "mean": fmean,
        "largest": max,
        "smallest": min,
        "deviation": pstdev,
    }
    finding = against_runs(
        claim,
        {name: [measure(effect) for effect in effects] for name, measure in measures.items()},
        "Over the positions of a window, run by run.",
    )
    return of_like_models(finding, runs)


@decides("per-position-span")
def span_over_mean(claim: Claim, setting: Setting) -> Finding:
    """Divide the range of the effects by their mean."""
    table = tables()[MODEL]["effect_by_position"]
    mean, largest, smallest = fractions([table["mean"], table["largest"], table["smallest"]])
    span = (largest - smallest) / mean
    return compared(
        claim,
        {"span": span},
        derivation=f"({table['largest']} - ({table['smallest']})) / {table['mean']} = {float(span):.2f}.",
    )


@decides("per-position-few-drive-mean")
def share_of_a_normal(claim: Claim, setting: Setting) -> Finding:
    """Ask how many exceed twice the mean where no position stands out: in a normal distribution."""
    mean, deviation = _mean_and_deviation()
    distance = mean / deviation
    share = NormalDist().cdf(-distance)
    # E[x; x > 2 mean] of a normal distribution, over its mean.
    carried = share + NormalDist().pdf(distance) / distance
    follows = not rounds_to(claim.given["share"], share) or carried > 1 / 2
    return judged(
        bool(follows),
        f"{share:.1%} of a normal distribution with this mean and deviation, which carry {carried:.0%} of "
        "the mean",
        derivation=f"P(x > 2 mean) = P(z > {mean:.4f}/{deviation:.4f}). Such is the share where "
        f"no position stands out; the others then carry {1 - carried:.0%} of the mean.",
    )


@decides("per-position-unreliable-mean")
def error_of_the_mean(claim: Claim, setting: Setting) -> Finding:
    """Compare the mean with its standard error, which falls with the number of positions."""
    mean, deviation = _mean_and_deviation()
    listed = len(tables()[MODEL]["effect_by_position"]["first"])
    context = int(tables()[MODEL]["model"]["context"])
    enough = ceil((DEVIATIONS * deviation / mean) ** 2)
    told = [f"{mean / (deviation / sqrt(n)):.1f} of its errors over {n} positions" for n in (listed, context)]
    return judged(
        enough > listed,
        f"the mean is {', '.join(told)}",
        derivation=f"The error of a mean of n is deviation / sqrt n: {enough} positions put {DEVIATIONS} of "
        "them between this mean and 0. The deviation says how positions differ, which is another matter.",
        convention="Positions are taken as independent.",
    )


@decides("delta-threshold")
def difference_of_two(claim: Claim, setting: Setting) -> Finding:
    """Add the variances of two evaluations."""
    with mp.workdps(50):
        factor = 2 * precise_sqrt(mpf(1 + 1))
    return compared(
        claim,
        {"factor": factor},
        derivation="Var(a - b) = 2 sigma^2. On the same batches, correlated by r, it is 2 (1 - r) sigma^2, "
        "and the threshold is wider than need be.",
    )


@decides("sigma-0003")
def noise_that_was_measured(claim: Claim, setting: Setting) -> Finding:
    """Look for the place where it was estimated, and repeat an evaluation as the chapter does.

    Raises:
        NotGiven: the place exists, so that only the model itself can decide.
    """
    headings = tables()["attention-chapter"]["headings"]
    place, denied = claim.given["estimated_in"], claim.given["denied_in"]
    if place in headings:
        raise NotGiven(f"the model that {place} is about")
    under = [number for number in headings if number.startswith(place.rpartition(".")[0] + ".")]
    return judged(
        False,
        f"there is no {place}: {under[0]} to {under[-1]} are what there is",
        evidence="quoted",
        derivation=f"{denied} says that the noise was not measured: with one fixed seed evaluations do not "
        "spread. The number itself needs the model and other seeds.",
    )


def _mean_and_deviation() -> tuple[float, float]:
    table = tables()[MODEL]["effect_by_position"]
    mean, deviation = fractions([table["mean"], table["deviation"]])
    return float(mean), float(deviation)
