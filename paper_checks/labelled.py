"""Rows of a label and a text, for the terminal: what does not fit on a line goes on under the text."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

# Columns that a label has at least, its indent of two included: blocks beneath each other are aligned.
NARROWEST = 18


def labelled(rows: Mapping[str, str | Text], narrowest: int = NARROWEST) -> Table:
    """Return the rows as a table without lines, as wide as the terminal lets it be."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(min_width=narrowest, no_wrap=True)
    grid.add_column()
    for label, text in rows.items():
        grid.add_row(Text(f"  {label}"), text if isinstance(text, Text) else Text(text))
    return grid
