"""Removing a projection: W - <W, D>/<D, D> D in the Frobenius inner product (toy-model, 6; derived here)."""

from __future__ import annotations

import numpy as np

from properties.cases import MATRICES, MatrixCase
from properties.check import Check, Comparison, Law, Outcome
from properties.laws.given import given_check
from properties.target import Target
from properties.tolerances import rounding


def projection_bound(case: MatrixCase, dtype: str) -> np.ndarray:
    """Return the rounding bound of each entry of the rest, [n, n].

    A coefficient <W, D>/<D, D> from n products and two passes, times D, is taken from W; what is taken is at
    most |W| in norm.
    """
    operations = 8 * case.first.size + 16
    return rounding(np.abs(case.first) + np.linalg.norm(case.first), operations, dtype)


def _formula(target: Target, case: MatrixCase) -> Outcome:
    square = (case.second**2).sum()
    share = (case.first * case.second).sum() / square if square else 0.0
    expected = case.first - share * case.second
    got = target.remove_projection(case.first, case.second)
    yield Comparison("the rest", got, expected, projection_bound(case, target.dtype))


def _orthogonal(target: Target, case: MatrixCase) -> Outcome:
    rest = target.remove_projection(case.first, case.second)
    bound = (np.abs(case.second) * projection_bound(case, target.dtype)).sum()
    yield Comparison("<rest, direction>", (rest * case.second).sum(), 0.0, bound)


def _idempotent(target: Target, case: MatrixCase) -> Outcome:
    once = target.remove_projection(case.first, case.second)
    twice = target.remove_projection(once, case.second)
    yield Comparison("the rest of the rest", twice, once, 2 * projection_bound(case, target.dtype))


def _scale_free(target: Target, case: MatrixCase) -> Outcome:
    plain = target.remove_projection(case.first, case.second)
    scaled = target.remove_projection(case.first, case.scale * case.second)
    yield Comparison(
        "the rest along a scaled direction", scaled, plain, 2 * projection_bound(case, target.dtype)
    )


def _zero_direction(target: Target, case: MatrixCase) -> Outcome:
    got = target.remove_projection(case.first, np.zeros_like(case.first))
    yield Comparison("the rest along zero", got, case.first, rounding(np.abs(case.first), 1, target.dtype))


def _arguments(case: MatrixCase) -> dict[str, np.ndarray]:
    return {"the weight": case.first.copy(), "the direction": case.second.copy()}


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"projection.{name}",
        statement=statement,
        source="toy-model, 6; derived here",
        cases=MATRICES,
        law=law,
        needs=("remove_projection",),
    )


CHECKS = (
    _check("formula", "What is left is W - <W, D>/<D, D> D.", _formula),
    _check("orthogonal", "What is left has no part along the direction.", _orthogonal),
    _check("idempotent", "Removing a projection twice is removing it once.", _idempotent),
    _check("scale_free", "The length and sign of the direction do not matter.", _scale_free),
    _check("zero_direction", "Along a zero direction nothing is removed.", _zero_direction),
    given_check(
        "projection.given",
        "remove_projection",
        "Removing a projection leaves the weight and the direction as they were given.",
        MATRICES,
        _arguments,
    ),
)
