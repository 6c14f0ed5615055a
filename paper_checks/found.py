"""What a few checks say and what they measured, for the terminal: of a whole run, the table is enough."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from properties.failure import COLUMNS
from properties.results import BAD, Result
from reference.errors import counted

FEW = 10
"""Checks up to which each is told in full."""

LONGEST_LIST = 8
LONGEST_ROW = 4 * COLUMNS


def in_full(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield of each check, where they are few, the law, how it is held and what was measured.

    A failure tells its law itself, and a checkpoint's weights have a table.
    """
    by_check: dict[str, list[Result]] = {}
    for result in results:
        if result.family != "checkpoint":
            by_check.setdefault(result.check, []).append(result)
    for check, row in by_check.items() if len(by_check) <= FEW else ():
        tried = [one for one in row if one.result not in (*BAD, "not_applicable", "skipped")]
        if not tried:
            continue
        first = tried[0]
        cases = counted(min(one.cases for one in tried), "case")
        lines = [_filled(f"{first.statement} ({first.evidence}, on {cases}; {first.source})", 1)]
        for one in tried:
            whose = f"{one.target}, " if len(row) > 1 else ""
            for name, value in one.measurements.items():
                lines += _rows(f"{whose}{name}", value, 1)
        yield Group(Text(check, style="bold"), *map(Text, lines))


def _rows(name: str, value: Any, depth: int) -> Iterator[str]:
    """Yield a measurement in lines: a mapping of mappings has one for each of these."""
    if isinstance(value, Mapping) and any(isinstance(one, Mapping) for one in value.values()):
        yield _filled(f"{name}:", depth)
        for key, one in value.items():
            yield from _rows(str(key), one, depth + 1)
    else:
        yield _filled(f"{name}: {_short(readable(value))}", depth)


def readable(value: Any) -> str:
    """Return a number, or numbers by name or in a row, as one would write them: "W_O 1, V 3"."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {readable(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        first = [readable(one) for one in value[:LONGEST_LIST]]
        more = [f"and {len(value) - LONGEST_LIST} more"] if len(value) > LONGEST_LIST else []
        return ("; " if isinstance(value[0], Mapping) else " ").join([*first, *more]) if value else "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_ROW else f"{text[:LONGEST_ROW]} ... (--json FILE has all)"


def _filled(text: str, depth: int) -> str:
    indent = "  " * depth
    return textwrap.fill(
        text, COLUMNS, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False
    )
