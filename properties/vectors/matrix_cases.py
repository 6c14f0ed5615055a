"""The vectors of the methods on matrices: projections, attention metrics and composition."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from properties.vectors.inputs import Vector, drawn, text


def _map(rows: list[list[Fraction | int]]) -> list[list[str]]:
    return [[str(Fraction(entry)) for entry in row] for row in rows]


def _one_hot(keys: list[int]) -> list[list[str]]:
    return _map([[int(k == key) for k in range(len(keys))] for key in keys])


def _uniform(T: int) -> list[list[str]]:
    return _map([[Fraction(int(k <= t), t + 1) for k in range(T)] for t in range(T)])


_SPREAD = _map(
    [
        [1, 0, 0, 0],
        [Fraction(1, 4), Fraction(3, 4), 0, 0],
        [Fraction(1, 2), Fraction(1, 8), Fraction(3, 8), 0],
        [Fraction(1, 16), Fraction(1, 2), Fraction(1, 4), Fraction(3, 16)],
    ]
)
_HALVES = _map([[1, 0, 0], [Fraction(1, 2), Fraction(1, 2), 0], [Fraction(1, 2), 0, Fraction(1, 2)]])
_PERFECT = _one_hot([0, 0, 0, 1, 2, 3])
_PREVIOUS = _one_hot([0, 0, 1, 2])
_WIDE = _map([[1, 0, 0], [0, 1, 0]])


def remove_projection() -> Iterator[Vector]:
    """Yield the vectors of remove_projection."""
    W, D = drawn(101, 3, 3), drawn(102, 3, 3)
    left, right = np.diag([1.0, 0.0, 0.0]), np.diag([0.0, 0.0, 1.0])
    cases: dict[str, tuple[str, tuple[str, ...], np.ndarray, np.ndarray]] = {
        "ordinary": ("General position.", ("Ordinary",), W, D),
        "rectangular": ("Two rows, three columns.", ("Shape",), drawn(103, 2, 3), drawn(104, 2, 3)),
        "one-entry": ("One number: nothing is left.", ("ExactZero",), np.array([[0.75]]), np.array([[-0.5]])),
        "zero-direction": ("Nothing is removed.", ("Zero",), W, np.zeros((3, 3))),
        "zero-weight": ("Nothing is there.", ("Zero",), np.zeros((3, 3)), D),
        "itself": ("The direction is the weight.", ("ExactZero",), W, W),
        "orthogonal": ("The weight has no part along it.", ("ExactZero",), left, right),
        "small-direction": ("The direction times 2^-20.", ("Scale",), W, D / 2**20),
        "large-negative-direction": ("The direction times -1024.", ("Scale",), W, -1024 * D),
    }
    for name, (comment, flags, weight, direction) in cases.items():
        yield _projection(name, comment, flags, weight, direction)
    why = "the shapes differ"
    yield _projection("shapes-differ", "3 x 3 and 2 x 2.", ("Refuse",), W, drawn(105, 2, 2), why)
    yield _projection("row-direction", "3 x 3 and 1 x 3.", ("Refuse", "Broadcast"), W, D[:1], why)


def _projection(
    name: str, comment: str, flags: tuple[str, ...], W: np.ndarray, D: np.ndarray, why: str | None = None
) -> Vector:
    params = {"weight": text(W), "direction": text(D)}
    return Vector(f"remove_projection/{name}", comment, flags, params, why)


def head_profile() -> Iterator[Vector]:
    """Yield the vectors of head_profile."""
    cases: dict[str, tuple[str, tuple[str, ...], list[list[str]]]] = {
        "ordinary": ("Rows that are spread unevenly.", ("Ordinary",), _SPREAD),
        "uniform": ("Uniform attention.", ("Ties",), _uniform(4)),
        "one-position": ("One position.", ("OnePosition",), _uniform(1)),
        "two-positions": ("Two positions.", ("SelfIncluded",), _uniform(2)),
        "diagonal": ("Each attends to itself: no entropy.", ("SelfIncluded",), _one_hot([0, 1, 2, 3])),
        "previous-token": ("Each attends to the token before.", ("SelfIncluded",), _PREVIOUS),
        "first-token": ("Each attends to the first token.", ("ByDistance",), _one_hot([0, 0, 0, 0])),
        "perfect-induction": ("Period 3.", ("ByDistance",), _PERFECT),
        "halves": ("Half on the first and half on the last.", ("Ties",), _HALVES),
    }
    for name, (comment, flags, attention) in cases.items():
        yield Vector(f"head_profile/{name}", comment, flags, {"attention": attention})
    yield Vector("head_profile/not-square", "2 x 3.", ("Refuse",), {"attention": _WIDE}, "no square map")
    yield Vector("head_profile/empty", "No position.", ("Refuse",), {"attention": []}, "no position")


def induction_score() -> Iterator[Vector]:
    """Yield the vectors of induction_score."""
    cases: dict[str, tuple[str, tuple[str, ...], list[list[str]], int]] = {
        "ordinary": ("Rows that are spread unevenly.", ("Ordinary",), _SPREAD, 2),
        "uniform": ("Uniform attention.", ("Ties",), _uniform(6), 3),
        "uniform-period-one": (
            "The token after the earlier one is itself.",
            ("SelfIncluded",),
            _uniform(6),
            1,
        ),
        "perfect": ("A perfect induction head.", ("ByDistance",), _PERFECT, 3),
        "wrong-period": ("The same head, asked for period 2.", ("ByDistance",), _PERFECT, 2),
        "diagonal": ("The diagonal.", ("ExactZero",), _one_hot([0, 1, 2, 3]), 2),
        "previous-token": ("Period 2: the token before.", ("ByDistance",), _PREVIOUS, 2),
        "not-a-multiple": ("Five positions, period 3.", ("EdgeSize",), _uniform(5), 3),
        "last-row": ("Period T - 1: one row counts.", ("EdgeSize",), _SPREAD, 3),
    }
    for name, (comment, flags, attention, period) in cases.items():
        params: dict[str, Any] = {"attention": attention, "period": period}
        yield Vector(f"induction_score/{name}", comment, flags, params)
    wrong = {
        "period-zero": ("Period 0.", _SPREAD, 0, "a period outside 1..T-1"),
        "period-negative": ("Period -1.", _SPREAD, -1, "a period outside 1..T-1"),
        "period-too-long": ("Period T.", _SPREAD, 4, "a period outside 1..T-1"),
        "not-square": ("2 x 3.", _WIDE, 1, "no square map"),
    }
    for name, (comment, attention, period, why) in wrong.items():
        params = {"attention": attention, "period": period}
        yield Vector(f"induction_score/{name}", comment, ("Refuse",), params, why)


def sequence_induction_score() -> Iterator[Vector]:
    """Yield the vectors of sequence_induction_score."""
    cases: dict[str, tuple[str, tuple[str, ...], list[list[str]], list[int]]] = {
        "ordinary": ("Two words that take turns.", ("Ordinary", "Recurring"), _SPREAD, [0, 1, 0, 1]),
        "several-targets": (
            "What followed any earlier word 1.",
            ("Recurring",),
            _uniform(6),
            [1, 0, 1, 2, 1, 0],
        ),
        "perfect": ("A perfect induction head.", ("ByDistance",), _PERFECT, [0, 1, 2, 0, 1, 2]),
        "other-period": (
            "The same head, on a sequence of period 2.",
            ("ByDistance",),
            _PERFECT,
            [0, 1, 0, 1, 0, 1],
        ),
        "two-in-a-row": (
            "The token after the earlier one is itself.",
            ("SelfIncluded",),
            _uniform(4),
            [2, 0, 0, 1],
        ),
        "diagonal": ("A head that looks at itself.", ("ExactZero",), _one_hot([0, 1, 2, 3]), [0, 1, 0, 1]),
        "repeated-word": ("The same word throughout.", ("Repeated",), _SPREAD, [5, 5, 5, 5]),
        "two-positions": ("Two positions: one row counts.", ("EdgeSize",), _uniform(2), [3, 3]),
        "last-row": ("Only the last word recurs.", ("EdgeSize",), _SPREAD, [0, 2, 1, 0]),
        "word-zero": ("Word 0 recurs, and no other.", ("WordZero",), _uniform(5), [1, 0, 2, 0, 0]),
    }
    for name, (comment, flags, attention, tokens) in cases.items():
        yield _on_sequence(name, comment, flags, attention, tokens)
    map_of_one, misfit = _uniform(1), "the map does not fit the tokens"
    wrong: dict[str, tuple[str, tuple[str, ...], list[list[str]], list[int], str]] = {
        "none-recurs": ("All words differ.", ("Refuse",), _uniform(4), [3, 0, 2, 1], "no token recurs"),
        "one-position": ("One word cannot recur.", ("Refuse",), map_of_one, [0], "no token recurs"),
        "empty": ("No position.", ("Refuse",), [], [], "no position"),
        "not-square": ("2 x 3.", ("Refuse",), _WIDE, [0, 0, 0], "no square map"),
        "fewer-tokens": ("Four positions, three tokens.", ("Refuse",), _SPREAD, [0, 1, 0], misfit),
        "more-tokens": ("Three positions, four tokens.", ("Refuse",), _HALVES, [0, 1, 0, 1], misfit),
        "map-of-one": ("1 x 1, two tokens.", ("Refuse", "Broadcast"), map_of_one, [0, 0], misfit),
        "row-for-all": (
            "1 x 2, two tokens.",
            ("Refuse", "Broadcast"),
            _map([[0, 1]]),
            [0, 0],
            "no square map",
        ),
    }
    for name, (comment, flags, attention, tokens, why) in wrong.items():
        yield _on_sequence(name, comment, flags, attention, tokens, why)


def _on_sequence(
    name: str,
    comment: str,
    flags: tuple[str, ...],
    attention: list[list[str]],
    tokens: list[int],
    why: str | None = None,
) -> Vector:
    params = {"attention": attention, "tokens": tokens}
    return Vector(f"sequence_induction_score/{name}", comment, flags, params, why)


def composition_score() -> Iterator[Vector]:
    """Yield the vectors of composition_score."""
    A, B = drawn(111, 3, 3), drawn(112, 3, 3)
    column, row, last = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    column[:, 0], row[0], last[2] = 1.0, 1.0, 1.0
    cases: dict[str, tuple[str, tuple[str, ...], np.ndarray, np.ndarray]] = {
        "ordinary": ("General position.", ("Ordinary",), A, B),
        "reversed": ("The factors exchanged.", ("Ordinary",), B, A),
        "identity": ("1 / sqrt(3).", ("Zero",), A, np.eye(3)),
        "rank-one-meets": ("The score is 1.", ("Scale",), column, row),
        "rank-one-misses": ("The score is 0.", ("ExactZero",), column, last),
        "zero-factor": ("0 where a factor is zero.", ("Zero", "ExactZero"), np.zeros((3, 3)), B),
        "scaled": ("Both factors scaled.", ("Scale",), 1024 * A, B / 2**20),
        "rectangular": ("2 x 3 and 3 x 4.", ("Shape",), drawn(113, 2, 3), drawn(114, 3, 4)),
        "one-entry": ("Numbers: the score is 1.", ("EdgeSize",), np.array([[-0.5]]), np.array([[0.25]])),
    }
    for name, (comment, flags, first, second) in cases.items():
        params = {"first": text(first), "second": text(second)}
        yield Vector(f"composition_score/{name}", comment, flags, params)
    params = {"first": text(A), "second": text(drawn(115, 2, 3))}
    why = "the factors have no product"
    yield Vector("composition_score/no-product", "3 x 3 and 2 x 3.", ("Refuse",), params, why)
    params = {"first": text(A), "second": text(drawn(116, 1, 3))}
    yield Vector("composition_score/stretched", "3 x 3 and 1 x 3.", ("Refuse", "Broadcast"), params, why)
