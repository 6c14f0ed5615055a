"""What a person needs to see of one failure, as lines of text: the law, the case, the entry, the command."""

from __future__ import annotations

import json
import shlex
import textwrap
from typing import Any

from properties.results import Result

COLUMNS = 80
LONGEST_VALUE = 300
RERUN = "  rerun     "
NUMBERS = ("error", "got", "expected", "exact", "bound", "ratio")


def failure_lines(result: Result) -> list[str]:
    """Return the verdict, the law, the shrunk case, got and expected, what it looks like, the command."""
    lines = [f"{result.check} on {result.target}: {result.result}"]
    lines.append(f"  law       {result.statement} ({result.source})")
    shown = result.counterexample or {}
    if result.note and result.note != shown.get("error"):
        lines.append(f"  note      {result.note}")
    lines += [f"  {name:9} {_short(value)}" for name, value in shown.get("case", {}).items()]
    if shown:
        where = f" at {shown['index']}" if shown.get("index") else ""
        lines.append(f"  entry     {shown['comparison']}{where}")
    lines += [f"  {name:9} {_unsigned_zero(shown[name])}" for name in NUMBERS if name in shown]
    if "diagnosis" in shown:
        lines.append(f"  slip      {shown['diagnosis']}")
    if result.command:
        lines.append(f"{RERUN}{result.command}")
    return lines


def wrapped(line: str) -> str:
    """Return a line of a failure in 80 columns; a command goes on after a backslash, to be copied whole."""
    indent = " " * 12
    if not line.startswith(RERUN):
        return textwrap.fill(line, COLUMNS, subsequent_indent=indent, break_on_hyphens=False)
    rows = [RERUN]
    for number, word in enumerate(map(shlex.quote, shlex.split(line.removeprefix(RERUN)))):
        if number and len(rows[-1]) + len(word) > COLUMNS - 3:
            rows[-1] += " \\"
            rows.append(indent + word)
        else:
            rows[-1] += f" {word}" if number else word
    return "\n".join(rows)


def _unsigned_zero(value: Any) -> Any:
    """Return the value, 0.0 for -0.0: no law tells them apart."""
    return 0.0 if isinstance(value, float) and value == 0 else value


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + " ..."
