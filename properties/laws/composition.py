"""The composition score |first second| / (|first| |second|) in Frobenius norms (Elhage et al. 2021).

The norm is submultiplicative, so the score lies in 0..1; scaling a factor scales both sides; an orthogonal
change of the basis in which the factors meet, here a permutation with signs, drops out. Transposing the
product exchanges the transposed factors and leaves every norm. With a factor of one the score is |A| / (|A|
sqrt(n)) = 1 / sqrt(n); matrices of rank one u v^T and w z^T have |<v, w>| / (|v| |w|), 1 where they meet in
one direction and 0 where they do not meet; a zero factor scores 0.
"""

from __future__ import annotations

import numpy as np

from properties.cases import MATRICES, MatrixCase
from properties.check import Check, Comparison, Law, Outcome, within
from properties.laws.given import given_check
from properties.target import Target
from properties.tolerances import gamma, rounding, unit_roundoff


def composition_bound(case: MatrixCase, dtype: str) -> float:
    """Return the rounding bound of a score of square matrices, for each of their rows.

    Entries of the product are sums of n terms within |first| |second|; then two norms and a ratio.
    """
    return float(rounding(1.0, 4 * case.first.size + 8, dtype))


def _formula(target: Target, case: MatrixCase) -> Outcome:
    size = np.linalg.norm(case.first) * np.linalg.norm(case.second)
    expected = np.linalg.norm(case.first @ case.second) / size if size else 0.0
    got = target.composition_score(case.first, case.second)
    # A norm of a cancelled product inherits the absolute error of its entries.
    yield Comparison(
        "composition score", got, expected, len(case.first) * composition_bound(case, target.dtype)
    )
    yield within(
        "composition score", got, 0.0, 1.0, gamma(4 * case.first.size + 8, unit_roundoff(target.dtype))
    )


def _scale(target: Target, case: MatrixCase) -> Outcome:
    plain = target.composition_score(case.first, case.second)
    scaled = target.composition_score(case.scale * case.first, case.second)
    bound = 2 * len(case.first) * composition_bound(case, target.dtype)
    yield Comparison("composition score of a scaled factor", scaled, plain, bound)


def _basis(target: Target, case: MatrixCase) -> Outcome:
    size = len(case.first)
    rng = np.random.default_rng(size)
    change = np.eye(size)[rng.permutation(size)] * rng.choice([-1.0, 1.0], size)
    plain = target.composition_score(case.first, case.second)
    changed = target.composition_score(case.first @ change, change.T @ case.second)
    bound = 2 * size * composition_bound(case, target.dtype)
    yield Comparison("composition score in another basis", changed, plain, bound)


def _reversed(target: Target, case: MatrixCase) -> Outcome:
    plain = target.composition_score(case.first, case.second)
    turned = target.composition_score(case.second.T, case.first.T)
    bound = 2 * len(case.first) * composition_bound(case, target.dtype)
    yield Comparison("composition score of the transposed factors, reversed", turned, plain, bound)


def _extremes(target: Target, case: MatrixCase) -> Outcome:
    size = len(case.first)
    bound = size * composition_bound(case, target.dtype)
    one, zero = np.eye(size), np.zeros((size, size))
    expected = 1 / np.sqrt(size) if case.first.any() else 0.0
    yield Comparison("score with the identity", target.composition_score(case.first, one), expected, bound)
    for pair in ((case.first, zero), (zero, case.first)):
        yield Comparison("score of a zero factor", target.composition_score(*pair), 0.0, 0.0)
    # One row or column of ones in each place: the factors meet in one direction, or in none.
    left, meets, misses = zero.copy(), zero.copy(), zero.copy()
    left[:, 0], meets[0], misses[-1] = 1.0, 1.0, 1.0
    yield Comparison("score of factors that meet", target.composition_score(left, meets), 1.0, bound)
    if size > 1:
        yield Comparison("score of factors that miss", target.composition_score(left, misses), 0.0, 0.0)


def _arguments(case: MatrixCase) -> dict[str, np.ndarray]:
    return {"the first factor": case.first.copy(), "the second factor": case.second.copy()}


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"composition.{name}",
        statement=statement,
        source="Elhage et al. 2021; derived here",
        cases=MATRICES,
        law=law,
        needs=("composition_score",),
    )


CHECKS = (
    _check("formula", "The score is |first second| / (|first| |second|), in 0..1.", _formula),
    _check("scale_free", "The score does not depend on the scale of a factor.", _scale),
    _check("basis_free", "The score does not depend on the basis between the factors.", _basis),
    _check("reversed", "Both factors transposed and exchanged have the same score.", _reversed),
    _check(
        "extremes", "The score is 1/sqrt(n) with the identity, 1 and 0 at rank one, 0 of zero.", _extremes
    ),
    given_check(
        "composition.given",
        "composition_score",
        "Scoring a composition leaves both factors as they were given.",
        MATRICES,
        _arguments,
    ),
)
