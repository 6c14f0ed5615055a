"""Attention metrics on maps in general position, where each is counted (derived here).

Uniform and one-hot maps have entropies of 1 and 0 under many a measure: the count of weights that are not
zero, or Renyi's entropies, agree with Shannon's there. On rows of whole numbers over a common total, weight
p = c / total, every metric is a sum that can be counted: the diagonal, the previous-token weight, the
distance and the induction score as fractions, the entropy through log p = log c - log total.
"""

from __future__ import annotations

import math

from flint import fmpq

from properties.cases import MAP_TOTAL, MAPS, MapCase
from properties.check import Check, Comparison, NotAdmitted, Outcome
from properties.laws.statistics_exact import to_float
from properties.target import Target, require
from properties.tolerances import ELEMENTARY_ULPS, rounding


def _profile(target: Target, case: MapCase) -> Outcome:
    T = len(case.counts)
    profile = target.head_profile(case.attention)
    rows = list(enumerate(case.counts.tolist()))
    exact = {
        "diagonal": fmpq(sum(row[t] for t, row in rows), MAP_TOTAL * T),
        "previous": fmpq(sum(row[t - 1] for t, row in rows[1:]), MAP_TOTAL * T),
        "distance": fmpq(sum(c * (t - k) for t, row in rows for k, c in enumerate(row)), MAP_TOTAL * T),
    }
    for name, value in exact.items():
        expected = to_float(value)
        bound = rounding(expected, T * (T + 1) // 2 + 4, target.dtype)
        got = require(profile, name, "head_profile")
        yield Comparison(name, got, expected, bound, exact=lambda index, value=value: str(value))  # type: ignore[misc]
    entropy = sum(_nats(row) / math.log(t + 1) for t, row in rows[1:]) / T
    bound = rounding(entropy, T * (T + 1) // 2 + 4 + 2 * ELEMENTARY_ULPS, target.dtype)
    # Each logarithm of the expected value cancels down from log total.
    bound = bound + rounding(math.log(MAP_TOTAL), T + 2 * ELEMENTARY_ULPS, "float64")
    yield Comparison("entropy", require(profile, "entropy", "head_profile"), entropy, bound)


def _nats(row: list[int]) -> float:
    return sum(c * (math.log(MAP_TOTAL) - math.log(c)) for c in row if c) / MAP_TOTAL


def _induction(target: Target, case: MapCase) -> Outcome:
    T, period = len(case.counts), case.period
    if T < 2:
        raise NotAdmitted("one position repeats nothing")
    hits = [int(case.counts[t, t - period + 1]) for t in range(period, T)]
    exact = fmpq(sum(hits), MAP_TOTAL * len(hits))
    expected = to_float(exact)
    got = target.induction_score(case.attention, period)
    bound = rounding(expected, T + 2, target.dtype)
    yield Comparison("induction score", got, expected, bound, exact=lambda index: str(exact))


CHECKS = (
    Check(
        id="heads.general_maps",
        statement="On any map diagonal, previous token, distance and entropy are what counting gives.",
        source="derived here",
        cases=MAPS,
        law=_profile,
        needs=("head_profile",),
    ),
    Check(
        id="heads.induction_counted",
        statement="On any map the induction score is the mean weight of rows t >= P on t - P + 1.",
        source="derived here",
        cases=MAPS,
        law=_induction,
        needs=("induction_score",),
        evidence="exact",
    ),
)
