"""A published number against training runs of one's own: it is met if it could be one more of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.printed import decimal, digits_of
from properties.tolerances import DEVIATIONS
from reference.errors import InputError


def one_more(values: Sequence[float]) -> tuple[float, float]:
    """Return where one more run lies, but for one in 1 + DEVIATIONS^2, whatever the distribution.

    A run differs from the mean of n others by a variance of (1 + 1/n) times that of a run.

    Raises:
        InputError: fewer than two runs, which say nothing of their spread.
    """
    if len(values) < 2:
        raise InputError("One run says nothing of how runs differ; give two or more, with different seeds.")
    mean, reach = fmean(values), DEVIATIONS * stdev(values) * math.sqrt(1 + 1 / len(values))
    return mean - reach, mean + reach


def against_runs(claim: Claim, measured: Mapping[str, Sequence[float]], derivation: str) -> Finding:
    """Hold every number that `claim` states to what runs measured of the same name.

    Args:
        claim: its `numbers` are held, each a single one.
        measured: a value a run.
        derivation: how it was measured.
    """
    outside, shown, right = [], [], {}
    for name, stated in claim.numbers.items():
        low, high = one_more(measured[name])
        if not low <= float(decimal(stated)) <= high:
            outside.append(name)
        right[name] = digits_of(stated, fmean(measured[name]))
        shown.append(f"{name} {right[name]} ({digits_of(stated, low)} to {digits_of(stated, high)})")
    runs = len(next(iter(measured.values())))
    return Finding(
        "refuted" if outside else "holds_to_rounding",
        "measured",
        "; ".join(shown),
        derivation=derivation,
        convention=f"{runs} runs; in brackets, where one more would lie.",
        right=right,
    )
