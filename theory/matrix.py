"""What an exact matrix must be able to do, and the operations on one that flint does not have.

Written once for rational matrices (flint's fmpq_mat) and for matrices of polynomials
(`theory.polynomial_matrix.PolynomialMatrix`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, Self, TypeVar

from flint import fmpq


class Matrix(Protocol):
    """The operations that the theory asks of a matrix."""

    def nrows(self) -> int: ...  # noqa: D102
    def ncols(self) -> int: ...  # noqa: D102
    def entries(self) -> list[Any]: ...  # noqa: D102
    def tolist(self) -> list[list[Any]]: ...  # noqa: D102
    def transpose(self) -> Self: ...  # noqa: D102
    def __bool__(self) -> bool: ...
    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self | fmpq, /) -> Self: ...


M = TypeVar("M", bound=Matrix)


def build(like: M, rows: int, columns: int, entries: Iterable[Any]) -> M:
    """A matrix of the same kind as `like`, [rows, columns]."""
    return type(like)(rows, columns, list(entries))  # type: ignore[call-arg]


def add_all(terms: Iterable[M | None]) -> M | None:
    """The sum of those terms that are not None; None when there are none."""
    result: M | None = None
    for term in terms:
        if term is not None:
            result = term if result is None else result + term
    return result


def negated(a: M) -> M:
    """-a."""
    return a * fmpq(-1)


def hadamard(a: M, b: M) -> M:
    """The product entry by entry."""
    return build(
        a,
        a.nrows(),
        a.ncols(),
        (x * y if x and y else fmpq(0) for x, y in zip(a.entries(), b.entries(), strict=True)),
    )


def row_sums(a: M) -> M:
    """[rows, 1]."""
    return build(a, a.nrows(), 1, (sum(row[1:], row[0]) for row in a.tolist()))


def scale_rows(column: M, a: M) -> M:
    """Row t of a [rows, columns] times column[t] [rows, 1]."""
    factors = column.entries()
    return build(
        a,
        a.nrows(),
        a.ncols(),
        (f * x if f and x else fmpq(0) for f, row in zip(factors, a.tolist(), strict=True) for x in row),
    )


def on_diagonals(by_distance: M) -> M:
    """D(P) [T, T] from P [T, 1]: entry d on the d-th sub-diagonal, zero above the diagonal (eq. 2)."""
    T = by_distance.nrows()
    P = by_distance.entries()
    return build(by_distance, T, T, (P[t - k] if k <= t else fmpq(0) for t in range(T) for k in range(T)))


def along_diagonals(S: M) -> M:
    """The adjoint of `on_diagonals`: [T, 1], entry d the sum of the d-th sub-diagonal of S [T, T]."""
    T = S.nrows()
    rows = S.tolist()
    return build(S, T, 1, (sum((rows[t][t - d] for t in range(d + 1, T)), rows[d][0]) for d in range(T)))


def through_uniform_softmax(scores: M) -> M:
    """The softmax Jacobian at uniform causal attention applied to each row of [T, T] (eq. 16, 82).

    Row t is cut to k <= t, its mean over k <= t is subtracted and the rest divided by t + 1: with p uniform
    over n = t + 1 keys, (diag(p) - p p^T) m = (m - mean m) / n.
    """
    T = scores.nrows()
    entries: list[Any] = []
    for t, row in enumerate(scores.tolist()):
        visible = row[: t + 1]
        mean = sum(visible[1:], visible[0]) / fmpq(t + 1)
        entries += [(m - mean) / fmpq(t + 1) for m in visible] + [fmpq(0)] * (T - t - 1)
    return build(scores, T, T, entries)
