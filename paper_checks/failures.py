"""The failures of a run for the terminal: in full, but of those that one slip explains the smallest alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from properties.failure import failure_lines, wrapped, wrapped_command
from properties.results import BAD, Result
from reference.errors import counted


def failures(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield what a person needs to see of the failures, where the first of each slip and target is."""
    groups: dict[object, list[Result]] = {}
    for number, result in enumerate(results):
        if result.result in BAD:
            slip = (result.counterexample or {}).get("looks_like")
            groups.setdefault((result.target, slip) if slip else number, []).append(result)
    for group in groups.values():
        first = min(group, key=_size)
        yield failure(first, [one for one in group if one is not first])


def failure(result: Result, others: Sequence[Result] = ()) -> RenderableType:
    """Return the law, the case, got and expected, the command; and the commands of others of that slip."""
    first, *lines = failure_lines(result)
    styles = {"  slip    ": "yellow", "  rerun   ": "cyan"}
    told = [Text(wrapped(line), style=styles.get(line[:10], "")) for line in lines]
    if others:
        fail = "fails" if len(others) == 1 else "fail"
        told.append(Text(f"  By the same slip {counted(len(others), 'more check')} {fail}:", style="yellow"))
        along = [one.check for one in others if one.command == result.command]
        if along:
            told.append(Text(wrapped(f"  {', '.join(along)} (by the same command)")))
        alone = [one.command or one.check for one in others if one.check not in along]
        told += [Text(wrapped_command(command, "  "), style="cyan") for command in alone]
    return Group(Text(first, style="bold red"), *told, Text(""))


def _size(result: Result) -> int:
    """How much there is to read of the case that failed."""
    return len(json.dumps((result.counterexample or {}).get("case"), default=str))
