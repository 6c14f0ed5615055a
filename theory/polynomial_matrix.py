"""Matrices whose entries are rational numbers or polynomials over them, mixed as they come."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpq, fmpq_mat


class PolynomialMatrix:
    """A [rows, columns] matrix of fmpq or fmpq_mpoly entries with the operations of
    `theory.power_series.Matrix`.

    Constants stay plain rationals: a one-hot factor then copies polynomials and multiplies none.

    Raises:
        ValueError: there are not rows * columns entries.
    """

    __slots__ = ("_columns", "_rows", "_table")

    def __init__(self, rows: int, columns: int, entries: Iterable[Any]) -> None:
        flat = list(entries)
        if len(flat) != rows * columns:
            raise ValueError(f"a [{rows}, {columns}] matrix needs {rows * columns} entries, not {len(flat)}")
        self._rows, self._columns = rows, columns
        self._table = [flat[i * columns : (i + 1) * columns] for i in range(rows)]

    @classmethod
    def lift(cls, a: fmpq_mat) -> PolynomialMatrix:
        """The same matrix [rows, columns] of constants."""
        return cls(a.nrows(), a.ncols(), a.entries())

    def nrows(self) -> int:
        """The number of rows."""
        return self._rows

    def ncols(self) -> int:
        """The number of columns."""
        return self._columns

    def entries(self) -> list[Any]:
        """All entries, row by row."""
        return [x for row in self._table for x in row]

    def tolist(self) -> list[list[Any]]:
        """The rows."""
        return [list(row) for row in self._table]

    def transpose(self) -> PolynomialMatrix:
        """[columns, rows]."""
        return PolynomialMatrix(
            self._columns, self._rows, (row[j] for j in range(self._columns) for row in self._table)
        )

    def __bool__(self) -> bool:
        return any(bool(x) for row in self._table for x in row)

    def __add__(self, other: PolynomialMatrix) -> PolynomialMatrix:
        return PolynomialMatrix(
            self._rows, self._columns, (x + y for x, y in zip(self.entries(), other.entries(), strict=True))
        )

    def __sub__(self, other: PolynomialMatrix) -> PolynomialMatrix:
        return PolynomialMatrix(
            self._rows, self._columns, (x - y for x, y in zip(self.entries(), other.entries(), strict=True))
        )

    def __mul__(self, other: Any) -> PolynomialMatrix:
        """The matrix product, or every entry times a rational or a polynomial."""
        if not isinstance(other, PolynomialMatrix):
            return PolynomialMatrix(self._rows, self._columns, (x * other for x in self.entries()))
        columns = other.transpose()._table
        return PolynomialMatrix(
            self._rows, other._columns, (_inner(row, column) for row in self._table for column in columns)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PolynomialMatrix):
            return NotImplemented
        return (self._rows, self._columns) == (other._rows, other._columns) and not self - other

    __hash__ = None  # type: ignore[assignment]


def _inner(row: list[Any], column: list[Any]) -> Any:
    """The inner product, skipping zeros and multiplications by one."""
    total: Any = fmpq(0)
    for x, y in zip(row, column, strict=True):
        if not x or not y:
            continue
        term = y if x == 1 else x if y == 1 else x * y
        total = term if total == 0 else total + term
    return total
