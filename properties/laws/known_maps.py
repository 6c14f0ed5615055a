"""Attention maps whose scores are known by counting, beyond the uniform map and the diagonal (derived here).

* A perfect induction head on T = r P positions: row t >= P attends to t - P + 1, earlier rows to position 0.
  For P >= 2 the diagonal holds row 0 alone. The previous token is met by row 1, and for P = 2 by every row
  from 2 on. The distance is P - 1 from row P on and t before: (T - P)(P - 1) + P(P - 1)/2 in all. For P = 1
  every row attends to itself. Each row makes one choice: no entropy.
* The previous-token map has the induction score 1 at period 2, where the position after the earlier
  occurrence is the token before; at every other period 0.
* A map with ties: each row spread over the first and the last visible position alike has the entropy
  log 2 / log(t+1) in row t >= 1, the diagonal (T + 1)/2 over T and the mean distance T(T - 1)/4 over T.
"""

from __future__ import annotations

import numpy as np

from properties.cases import LENGTHS, LengthCase
from properties.check import Check, Comparison, Law, Outcome
from properties.target import Target, require
from properties.tolerances import ELEMENTARY_ULPS, rounding


def _profile(target: Target, attention: np.ndarray, expected: dict[str, float], what: str) -> Outcome:
    T = len(attention)
    profile = target.head_profile(attention)
    for name, value in expected.items():
        # A metric sums products of T^2 entries; the entropy takes two logarithms of each row.
        bound = rounding(value, T * T + 4 + 2 * ELEMENTARY_ULPS, target.dtype)
        yield Comparison(f"{name} of {what}", require(profile, name, "head_profile"), value, bound)


def _perfect_induction(target: Target, case: LengthCase) -> Outcome:
    T, P = case.length, case.period
    rows = np.arange(T)
    perfect = np.zeros((T, T))
    perfect[rows, np.where(rows >= P, rows - P + 1, 0)] = 1.0
    previous = {1: 0, 2: T - 1}.get(P, 1)
    distance = (T - P) * (P - 1) + P * (P - 1) / 2
    expected = {
        "entropy": 0.0,
        "diagonal": 1.0 if P == 1 else 1 / T,
        "previous": previous / T,
        "distance": distance / T,
    }
    yield from _profile(target, perfect, expected, "a perfect induction head")


def _tied(target: Target, case: LengthCase) -> Outcome:
    T = case.length
    rows = np.arange(T)
    tied = np.zeros((T, T))
    tied[rows, 0] += 0.5
    tied[rows, rows] += 0.5
    expected = {
        "entropy": float((np.log(2) / np.log(rows[1:] + 1)).sum()) / T,
        "diagonal": (T + 1) / 2 / T,
        "distance": (T - 1) / 4,
    }
    yield from _profile(target, tied, expected, "a map of ties")


def _previous_token(target: Target, case: LengthCase) -> Outcome:
    T, P = case.length, case.period
    rows = np.arange(T)
    previous = np.zeros((T, T))
    previous[rows, np.maximum(rows - 1, 0)] = 1.0
    expected = 1.0 if P == 2 else 0.0
    got = target.induction_score(previous, P)
    what = "induction score of the previous-token map"
    yield Comparison(what, got, expected, rounding(expected, T + 2, target.dtype))


def _check(name: str, statement: str, law: Law, needs: str) -> Check:
    return Check(
        id=f"heads.{name}",
        statement=statement,
        source="derived here",
        cases=LENGTHS,
        law=law,
        needs=(needs,),
    )


CHECKS = (
    _check(
        "perfect_induction_profile",
        "A perfect induction head has the profile that counting its rows gives.",
        _perfect_induction,
        "head_profile",
    ),
    _check(
        "ties_profile",
        "A map that ties its first and last position has the profile of a fair coin.",
        _tied,
        "head_profile",
    ),
    _check(
        "previous_token_induction",
        "The previous-token map scores 1 as an induction head of period 2, else 0.",
        _previous_token,
        "induction_score",
    ),
)
