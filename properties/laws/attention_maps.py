"""Metrics on any attention map: their definitions, entry by entry, and how they behave under mixing.

Uniform maps and maps with one 1 a row cannot tell an entropy from -log sum p^2, which has the same values
there. Diagonal, previous and distance are linear in the map, the entropy is concave: a mixture's is at least
the mixture of its parts'.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from properties.attention_cases import MAPS, MapsCase
from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.laws.given import given_check
from properties.target import Incapable, Target, require
from properties.tolerances import ELEMENTARY_ULPS, rounding

PROFILE = ("entropy", "diagonal", "previous", "distance")


def _row(weights: list[float], t: int) -> dict[str, float]:
    """The numbers of row t by their definitions; row 0 has one choice, so its entropy counts as 0."""
    entropy = -math.fsum(p * math.log(p) for p in weights if p > 0)
    return {
        "entropy": entropy / math.log(t + 1) if t else 0.0,
        "diagonal": weights[t],
        "previous": weights[t - 1] if t else 0.0,
        "distance": math.fsum((t - k) * p for k, p in enumerate(weights)),
        "relative_diagonal": weights[t] * (t + 1),
    }


def profile_by_rows(attention: np.ndarray) -> dict[str, float]:
    """Return the profile of one [T, T] map, summed row by row."""
    rows = [_row(weights[: t + 1], t) for t, weights in enumerate(attention.tolist())]
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def _bound(attention: np.ndarray, dtype: str, size: float) -> np.ndarray:
    """T (T+1)/2 products are summed, each through a log and a quotient where the metric has them."""
    return rounding(size, attention.size + 4 + 2 * ELEMENTARY_ULPS, dtype)


def _sizes(attention: np.ndarray) -> dict[str, float]:
    T = float(len(attention))
    # A term p log p is at most 1/e, over a log of at least log 2.
    return {
        "entropy": T / (math.e * math.log(2)),
        "diagonal": 1.0,
        "previous": 1.0,
        "distance": T,
        "relative_diagonal": T,
    }


def _profile(target: Target, case: MapsCase) -> Outcome:
    found, expected = target.head_profile(case.first), profile_by_rows(case.first)
    for name in PROFILE:
        bound = _bound(case.first, target.dtype, _sizes(case.first)[name])
        yield Comparison(name, require(found, name, "head_profile"), expected[name], bound)


def _relative(target: Target, case: MapsCase) -> Outcome:
    found = target.head_profile(case.first)
    if "relative_diagonal" not in found:
        raise Incapable("its head_profile has no relative_diagonal, and need not have one")
    bound = _bound(case.first, target.dtype, _sizes(case.first)["relative_diagonal"])
    expected = profile_by_rows(case.first)["relative_diagonal"]
    yield Comparison("relative_diagonal", found["relative_diagonal"], expected, bound)
    T = len(case.first)
    uniform = target.head_profile(np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None])
    yield Comparison("relative_diagonal of uniform attention", uniform["relative_diagonal"], 1.0, bound)


def _mixture(target: Target, case: MapsCase) -> Outcome:
    mixed = case.share * case.first + (1 - case.share) * case.second
    whole, first, second = (target.head_profile(A) for A in (mixed, case.first, case.second))
    for name in PROFILE:
        parts = [float(require(part, name, "head_profile")) for part in (first, second)]
        expected = case.share * parts[0] + (1 - case.share) * parts[1]
        got = float(require(whole, name, "head_profile"))
        bound = 2 * _bound(mixed, target.dtype, _sizes(mixed)[name])
        if name == "entropy":
            yield Comparison(
                "entropy of a mixture, at least the mixture's", min(got, expected), expected, bound
            )
        else:
            yield Comparison(f"{name} of a mixture", got, expected, bound)


def _induction(target: Target, case: MapsCase) -> Outcome:
    T, period = len(case.first), case.period
    if T == 1:
        raise NotAdmitted("one position has no second copy")
    weights = [float(case.first[t, t - period + 1]) for t in range(period, T)]
    got = target.induction_score(case.first, period)
    yield Comparison(
        "induction score", got, math.fsum(weights) / len(weights), rounding(1.0, T + 2, target.dtype)
    )


def _profiled(case: MapsCase) -> dict[str, np.ndarray]:
    return {"the attention": case.first.copy()}


def _scored(case: MapsCase) -> dict[str, Any]:
    if len(case.first) == 1:
        raise NotAdmitted("one position has no second copy")
    return {"the attention": case.first.copy(), "the period": case.period}


def _check(name: str, statement: str, law: Law, method: str) -> Check:
    return Check(
        id=f"heads.{name}",
        statement=statement,
        source="attention-chapter, sec. 4.3.1, 4.12 and 4.16.1; derived here",
        cases=MAPS,
        law=law,
        needs=(method,),
    )


CHECKS = (
    _check(
        "profile",
        "Entropy, diagonal, previous and distance are the means over the rows of their definitions.",
        _profile,
        "head_profile",
    ),
    _check(
        "relative_diagonal",
        "The diagonal relative to uniform attention is the mean of A_tt (t+1), and 1 where it is uniform.",
        _relative,
        "head_profile",
    ),
    _check(
        "mixture",
        "Diagonal, previous and distance of a mixture of maps are the mixture; its entropy is no smaller.",
        _mixture,
        "head_profile",
    ),
    _check(
        "induction",
        "The induction score is the mean weight of row t on t - period + 1 from the second copy on.",
        _induction,
        "induction_score",
    ),
    given_check(
        "heads.profile_given",
        "head_profile",
        "Taking a head's profile leaves its attention as it was given.",
        MAPS,
        _profiled,
    ),
    given_check(
        "heads.induction_given",
        "induction_score",
        "Scoring a head's induction leaves its attention as it was given.",
        MAPS,
        _scored,
    ),
)
