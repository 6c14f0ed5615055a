"""Attention maps as a source prints them: some rows of a causal map, each entry with its digits."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from paper_checks.ledger.printed import exact

Printed = Mapping[str, list[str]]
Map = dict[int, list[Fraction]]


def rows_of(printed: Printed) -> Map:
    """Return the printed rows by query position, as fractions.

    Raises:
        ValueError: row i does not have the i + 1 entries that a causal map shows there.
    """
    found = {int(position): [exact(one) for one in row] for position, row in printed.items()}
    for position, row in found.items():
        if len(row) != position + 1:
            raise ValueError(f"row {position} of a causal map has {position + 1} entries, not {len(row)}")
    return found


def previous(row: list[Fraction]) -> Fraction:
    """Return the weight that a row gives to the position before its own."""
    return row[-2]


def own(row: list[Fraction]) -> Fraction:
    """Return the weight that a row gives to its own position."""
    return row[-1]
