"""A published number against training runs of one's own: it is met if it could be one more of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any, Literal

from scipy.special import stdtrit

from paper_checks.ledger.book import tables
from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, NotGiven, Verdict
from paper_checks.ledger.printed import decimal, digits_of, exact
from paper_checks.ledger.setting import Setting
from properties.tolerances import DEVIATIONS
from reference.errors import InputError

Run = Mapping[str, Any]
# What would decide a claim that runs leave undecided.
DIFFER_LESS, LEARNED_AS_FAR = "runs that differ less", "models that have learned as far as the published one"
Place = Literal["outside", "inside", "untold"]
SIZES = ("layers", "heads", "width", "context")


def runs_of(setting: Setting, name: str) -> list[Run]:
    """Return what each model of an experiment measured.

    Raises:
        NotGiven: it was not run.
    """
    runs: list[Run] = list(setting.experiment(name).get("runs", ()))
    if not runs:
        raise NotGiven(f"runs of the experiment '{name}'")
    return runs


def poem_runs(setting: Setting, name: str, sizes: Sequence[str] = SIZES) -> list[Run]:
    """Return the same of models of poems, of the sizes of the model that the claims are about.

    Raises:
        NotGiven: it was not run, or on models of other sizes.
    """
    printed: Mapping[str, str] = tables()["poem-model"]["model"]
    settings = setting.experiment(name).get("settings", {})
    other = [size for size in sizes if settings.get(size) is None or exact(printed[size]) != settings[size]]
    if other:
        told = ", ".join(f"{size} {settings.get(size)} where the claim has {printed[size]}" for size in other)
        raise NotGiven(f"the experiment '{name}' with models of the sizes claimed ({told})")
    return runs_of(setting, name)


def beside_published(finding: Finding, runs: Sequence[Run]) -> Finding:
    """Return a finding on models of poems that says how far they and the published one have learned."""
    losses = [run["loss"] for run in runs]
    published = tables()["poem-model"]["ablation"]["base"]
    told = (
        f"These models leave {min(losses):.2f} to {max(losses):.2f} nats on unseen poems, the published one "
        f"{published} on its own."
    )
    return replace(finding, convention=" ".join(filter(None, (finding.convention, told))))


def of_like_models(finding: Finding, runs: Sequence[Run]) -> Finding:
    """Return the same of a table of the published model: it is undecided unless the models are like it.

    They are when its loss could be that of one more run: what a head does changes while a model learns.
    """
    low, high = one_more([run["loss"] for run in runs])
    told = f"One more run would leave {low:.2f} to {high:.2f}"
    return _if_like(beside_published(finding, runs), low, high, told)


def of_like_contexts(finding: Finding, runs: Sequence[Run], short: str, long: str) -> Finding:
    """Return a finding on what a longer context is worth: undecided unless models have learned as far.

    What it is worth grows with training. A model that has learned nothing leaves log V whatever it sees, so
    that L(short) - L(long) is 0 at first; in the end it is what the characters between tell of the next one.
    The source does not print these models' losses. It prints one of a context in between, and more context
    leaves less loss, so models like the published ones have L(long) <= that one <= L(short), but for how runs
    differ. Models that have learned less leave more than that even with the long context.
    """
    losses = {length: [run["loss"][length] for run in runs] for length in (short, long)}
    told = (
        f"These models leave {fmean(losses[short]):.2f} nats with {short} characters and "
        f"{fmean(losses[long]):.2f} with {long}, the published one "
        f"{tables()['poem-model']['ablation']['base']} with {tables()['poem-model']['model']['context']}, "
        "which should lie between."
    )
    beside = replace(finding, convention=" ".join(filter(None, (finding.convention, told))))
    low, high = one_more(losses[long])[0], one_more(losses[short])[1]
    return _if_like(beside, low, high, f"One more run of each would leave {low:.2f} to {high:.2f}")


def _if_like(finding: Finding, low: float, high: float, told: str) -> Finding:
    """Return the finding, undecided where the published loss is not between these."""
    if low <= float(decimal(tables()["poem-model"]["ablation"]["base"])) <= high:
        return finding
    unlike = f"{finding.convention} {told}: these are other models."
    return replace(finding, verdict="inconclusive", convention=unlike, missing=LEARNED_AS_FAR)


def one_more(values: Sequence[float], numbers: int = 1) -> tuple[float, float]:
    """Return where one more run lies, of so many numbers all, but for one time in 1 + DEVIATIONS^2.

    A run x differs from the mean of n others by a variance of (1 + 1/n) times that of a run, and that is
    itself known from n runs alone: where runs are normal, (x - mean) / (s sqrt(1 + 1/n)) has Student's t
    distribution with n - 1 degrees of freedom. Each of the numbers gets an equal share of the chance
    (Bonferroni), so that a table is not refuted for having many entries. It is never less than DEVIATIONS.

    Args:
        values: of each run.
        numbers: how many are held to such an interval, this one among them.

    Raises:
        InputError: fewer than two runs, which say nothing of their spread.
    """
    if len(values) < 2:
        raise InputError("One run says nothing of how runs differ; give two or more, with different seeds.")
    chance = 1 / (1 + DEVIATIONS**2) / numbers
    far = max(DEVIATIONS, -float(stdtrit(len(values) - 1, chance / 2)))
    mean, reach = fmean(values), far * stdev(values) * math.sqrt(1 + 1 / len(values))
    return mean - reach, mean + reach


def one_more_share(values: Sequence[float], numbers: int = 1, *, positions: int) -> tuple[float, float]:
    """Return where the share of right answers of one more run lies that counts only so many positions.

    To how runs differ, (1 + 1/n) times the variance of one, it adds the variance p (1 - p) / positions of a
    share of a sample, which is nearly normal: DEVIATIONS of it hold for hundreds of numbers at once.

    Raises:
        InputError: fewer than two runs.
    """
    low, high = one_more(values, numbers)
    p = (low + high) / 2
    reach = math.hypot((high - low) / 2, DEVIATIONS * math.sqrt(p * (1 - p) / positions))
    return p - reach, p + reach


def place_of(stated: float, low: float, high: float) -> Place:
    """Return where a published number lies: outside, inside, or inside of what says nothing.

    Runs that differ by so much that half of the number would be one more of them, or half as much again,
    do not tell it from others.
    """
    if not low <= stated <= high:
        return "outside"
    return "inside" if high - low <= abs(stated) else "untold"


def verdict_of(places: Collection[Place]) -> Verdict:
    """Return the verdict on a claim whose numbers lie in these places."""
    if "outside" in places:
        return "refuted"
    return "inconclusive" if "untold" in places else "holds_to_rounding"


def agreed(each: Collection[bool]) -> Verdict:
    """Return the verdict on what is seen in each run or not: runs of other seeds must not turn it round."""
    return "holds" if all(each) else "inconclusive" if any(each) else "refuted"


def against_runs(
    claim: Claim,
    measured: Mapping[str, Sequence[float]],
    derivation: str,
    where: Callable[[Sequence[float], int], tuple[float, float]] = one_more,
) -> Finding:
    """Hold every number that `claim` states to what runs measured of the same name.

    Args:
        claim: its `numbers` are held, each a single one.
        measured: a value a run.
        derivation: how it was measured.
        where: between which values one more run like the published one lies, given those of runs and how
            many numbers there are.
    """
    shown, right, places = [], {}, set()
    for name, stated in claim.numbers.items():
        low, high = where(measured[name], len(claim.numbers))
        places.add(place_of(float(decimal(stated)), low, high))
        right[name] = digits_of(stated, fmean(measured[name]))
        shown.append(
            f"{claim.told(name, right[name])} ({digits_of(stated, low)} to {digits_of(stated, high)})"
        )
    runs = len(next(iter(measured.values())))
    return Finding(
        verdict_of(places),
        "measured",
        "; ".join(shown),
        derivation=derivation,
        convention=f"{runs} runs; in brackets, where one more would lie.",
        right=right,
        missing=DIFFER_LESS,
    )
