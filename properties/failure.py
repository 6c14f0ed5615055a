"""What a person needs to see of one failure, as lines of text: the law, the case, the entry, the command."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Iterator
from typing import Any

from properties.results import Result

COLUMNS = 80
# What stands behind the names needs some room, on however narrow a terminal.
FEWEST_COLUMNS = 40
LONGEST_VALUE = 300
RERUN = "  rerun     "
INDENT = " " * len(RERUN)
NUMBERS = ("error", "got", "expected", "exact", "bound", "ratio")


def failure_lines(result: Result) -> list[str]:
    """Return the verdict, the law, the shrunk case, got and expected, what it looks like, the command."""
    lines = [f"{result.check} on {result.target}: {result.result}"]
    lines.append(f"  law       {result.statement} ({result.source})")
    lines += [f"  {name:9} {_short(value)}" for name, value in failure_rows(result)]
    if result.command:
        lines.append(f"{RERUN}{result.command}")
    return lines


def failure_rows(result: Result) -> Iterator[tuple[str, Any]]:
    """Yield what was found, a name and a value each: the note, the case, the entry, its numbers, the slip."""
    shown = dict(result.counterexample or {})
    if result.note and result.note != shown.get("error"):
        yield "note", result.note
    yield from shown.pop("case", {}).items()
    index = shown.pop("index", None)  # none, or an empty one, of a single number
    where = f" at {index}" if index else ""
    if "comparison" in shown:
        yield "entry", f"{shown.pop('comparison')}{where}"
    yield from ((name, _unsigned_zero(shown.pop(name))) for name in NUMBERS if name in shown)
    name, told = shown.pop("looks_like", None), shown.pop("diagnosis", None)
    if told or name:
        yield "slip", told or name
    yield from ((name.replace("_", " "), value) for name, value in shown.items())


def wrapped(line: str, columns: int = COLUMNS) -> str:
    """Return a line of a failure in some columns; a command goes on after a backslash, to be copied whole."""
    if line.startswith(RERUN):
        return wrapped_command(line.removeprefix(RERUN), RERUN, columns)
    return _filled(line, columns)


def wrapped_command(command: str, label: str, columns: int = COLUMNS) -> str:
    """Return a command after a label in some columns; it goes on after a backslash, to be copied whole.

    A word that is longer than a line stays whole: whoever prints this must not break it.
    """
    words = _words_of(command)
    if not words:
        return _filled(f"{label}{command}", columns)
    rows = [label]
    for number, word in enumerate(map(shlex.quote, words)):
        if number and len(rows[-1]) + len(word) > max(columns, FEWEST_COLUMNS) - 3:
            rows[-1] += " \\"
            rows.append(INDENT + word)
        else:
            rows[-1] += f" {word}" if number else word
    return "\n".join(rows)


def _filled(line: str, columns: int) -> str:
    return textwrap.fill(
        line,
        max(columns, FEWEST_COLUMNS),
        subsequent_indent=INDENT,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _words_of(command: str) -> list[str]:
    """Return the words of a command, none where it is not one: results may be of anybody's."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _unsigned_zero(value: Any) -> Any:
    """Return the value, 0.0 for -0.0: no law tells them apart."""
    return 0.0 if isinstance(value, float) and value == 0 else value


def _short(value: Any) -> str:
    if isinstance(value, str):
        return value
    text = json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + " ..."
