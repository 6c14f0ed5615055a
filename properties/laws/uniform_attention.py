"""What uniform causal attention scores: the zero point of every attention metric (derived here).

Row t (1-based) spreads 1/t over t positions. Averages over the T rows: diagonal H_T/T, previous token
(H_T - 1)/T, distance (T-1)/4, entropy over its maximum (T-1)/T where the first row counts as 0, induction
score (H_rP - H_P)/((r-1)P). `theory.baselines` computes them as fractions.
"""

from __future__ import annotations

import numpy as np
from flint import fmpq

from properties.cases import LADDER, LENGTHS, LengthCase, LengthsCase
from properties.check import Check, Comparison, Measurement, Outcome
from properties.laws.statistics_exact import to_float
from properties.target import Target, require
from properties.tolerances import ELEMENTARY_ULPS, rounding
from theory import baselines


def uniform_map(length: int) -> np.ndarray:
    """Return [T, T] uniform causal attention."""
    return np.tril(np.ones((length, length))) / np.arange(1, length + 1)[:, None]


def _compared(name: str, got: object, exact: fmpq, magnitude: float, T: int, dtype: str) -> Comparison:
    # The T*(T+1)/2 entries of the map are rounded, taken through log where the metric does, and summed.
    bound = rounding(magnitude, T * (T + 1) // 2 + 4 + 2 * ELEMENTARY_ULPS, dtype)
    return Comparison(name, got, to_float(exact), bound, exact=lambda index: str(exact))


def _profile(target: Target, case: LengthCase) -> Outcome:
    T = case.length
    profile = target.head_profile(uniform_map(T))
    exact = {
        "diagonal": baselines.mean_diagonal(T),
        "previous": baselines.mean_previous(T),
        "distance": baselines.mean_distance(T),
        "entropy": baselines.normalised_entropy(T),
    }
    magnitudes = {"diagonal": 1.0, "previous": 1.0, "distance": float(T), "entropy": 1.0}
    for name, value in exact.items():
        got = require(profile, name, "head_profile")
        yield _compared(name, got, value, magnitudes[name], T, target.dtype)


def _ladder(target: Target, case: LengthsCase) -> Outcome:
    """The three baselines that fall with T, along doubling lengths; the numbers of a figure."""
    closed = {
        "diagonal": [baselines.mean_diagonal(T) for T in case.lengths],
        "previous": [baselines.mean_previous(T) for T in case.lengths],
        "entropy": [baselines.normalised_entropy(T) for T in case.lengths],
    }
    profiles = [target.head_profile(uniform_map(T)) for T in case.lengths]
    measured = {name: [require(p, name, "head_profile") for p in profiles] for name in closed}
    for name, exact in closed.items():
        for T, got, value in zip(case.lengths, measured[name], exact, strict=True):
            yield _compared(f"{name} at T = {T}", got, value, 1.0, T, target.dtype)
    yield Measurement("T", list(case.lengths))
    yield Measurement("measured", {name: [float(got) for got in column] for name, column in measured.items()})
    yield Measurement("closed_form", {name: [to_float(v) for v in column] for name, column in closed.items()})


def _diagonal_of_the_model(target: Target, case: LengthCase) -> Outcome:
    T = case.length
    tokens = np.arange(T + 1, dtype=np.int64)[None, :] % 2
    zero = {
        "W_O": np.zeros((2, 2)),
        "V": np.zeros((1, 2, 2)),
        "W": np.zeros((1, 2, 2)),
        "P": np.zeros((1, T)),
    }
    A = target.attention(zero, tokens)
    exact = baselines.mean_diagonal(T)
    got = np.trace(A[0, 0]) / T
    yield _compared("mean diagonal of the model's attention", got, exact, 1.0, T, target.dtype)


def _induction(target: Target, case: LengthCase) -> Outcome:
    got = target.induction_score(uniform_map(case.length), case.period)
    exact = baselines.induction_score(case.period, case.length // case.period)
    yield _compared("induction score", got, exact, 1.0, case.length, target.dtype)


def _perfect(target: Target, case: LengthCase) -> Outcome:
    """A head that attends to the position after the earlier occurrence scores 1, and the diagonal 0 or 1."""
    T, period = case.length, case.period
    perfect = np.zeros((T, T))
    rows = np.arange(T)
    perfect[rows, np.where(rows >= period, rows - period + 1, 0)] = 1.0
    bound = rounding(1.0, T + 2, target.dtype)
    yield Comparison("induction score of a perfect head", target.induction_score(perfect, period), 1.0, bound)
    own = 1.0 if period == 1 else 0.0
    score = target.induction_score(np.eye(T), period)
    yield Comparison("induction score of the diagonal", score, own, bound)


def _one_hot_maps(target: Target, case: LengthCase) -> Outcome:
    """Closed forms on maps with one 1 a row: the diagonal, and the previous token."""
    T = case.length
    rows = np.arange(T)
    previous = np.zeros((T, T))
    previous[rows, np.maximum(rows - 1, 0)] = 1.0
    maps = {
        "diagonal map": (np.eye(T), {"entropy": 0.0, "diagonal": 1.0, "previous": 0.0, "distance": 0.0}),
        "previous-token map": (
            previous,
            {"entropy": 0.0, "diagonal": 1 / T, "previous": (T - 1) / T, "distance": (T - 1) / T},
        ),
    }
    for what, (attention, expected) in maps.items():
        profile = target.head_profile(attention)
        for name, value in expected.items():
            got = require(profile, name, "head_profile")
            yield Comparison(f"{name} of the {what}", got, value, rounding(value, T + 2, target.dtype))


CHECKS = (
    Check(
        id="uniform.head_profile",
        statement="Uniform attention: diagonal H_T/T, previous (H_T-1)/T, distance (T-1)/4, entropy (T-1)/T.",
        source="derived here",
        cases=LENGTHS,
        law=_profile,
        needs=("head_profile",),
        evidence="exact",
        claims=("normalised-entropy", "diag-prev-distance", "uniform-mean-distance"),
    ),
    Check(
        id="uniform.against_length",
        statement="Along doubling lengths the baselines of uniform attention follow their closed forms.",
        source="derived here",
        cases=LADDER,
        law=_ladder,
        needs=("head_profile",),
        evidence="exact",
    ),
    Check(
        id="uniform.model_diagonal",
        statement="The untrained model's attention has the mean diagonal H_T/T.",
        source="derived here",
        cases=LENGTHS,
        law=_diagonal_of_the_model,
        needs=("attention",),
        evidence="exact",
    ),
    Check(
        id="uniform.induction_score",
        statement="Uniform attention has the induction score (H_rP - H_P)/((r-1)P).",
        source="derived here",
        cases=LENGTHS,
        law=_induction,
        needs=("induction_score",),
        evidence="exact",
        claims=("induction-score-definition", "context-64-or-128"),
    ),
    Check(
        id="heads.induction_extremes",
        statement="A perfect induction head scores 1; the diagonal scores 0, or 1 at period 1.",
        source="derived here",
        cases=LENGTHS,
        law=_perfect,
        needs=("induction_score",),
        claims=("induction-score-definition", "ideal-induction-score"),
    ),
    Check(
        id="heads.one_hot_maps",
        statement="The diagonal and the previous-token map have the profiles that counting gives.",
        source="derived here",
        cases=LENGTHS,
        law=_one_hot_maps,
        needs=("head_profile",),
        claims=("normalised-entropy", "diag-prev-distance"),
    ),
)
