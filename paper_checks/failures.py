"""The failures of a run for the terminal: in full, but of those that one slip explains the smallest alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from properties.catalogue import CHECKS
from properties.explaining import DEAREST
from properties.failure import failure_lines, wrapped, wrapped_command
from properties.results import BAD, Result
from reference.errors import counted

_LAWS = {check.id: check for check in CHECKS}


def failures(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield what a person needs to see of the failures, where the first of each slip and target is.

    Laws of many runs, on which no slip is tried, stand behind a slip in what they run where there is one.
    """
    groups: dict[object, list[Result]] = {}
    for number, result in enumerate(results):
        if result.result in BAD:
            slip = (result.counterexample or {}).get("looks_like")
            groups.setdefault((result.target, slip) if slip else number, []).append(result)
    named = {key: group for key, group in groups.items() if not isinstance(key, int)}
    behind: dict[object, list[Result]] = {}
    for alone in [key for key in groups if key not in named]:
        slip = next((key for key, group in named.items() if _runs(group, *groups[alone])), None)
        if slip is not None:
            behind.setdefault(slip, []).extend(groups.pop(alone))
    for key, group in groups.items():
        told = min(group, key=_size)
        yield failure(told, [one for one in group if one is not told], behind.get(key, ()))


def _runs(slipped: Sequence[Result], result: Result) -> bool:
    """Return whether a law of many runs, on which no slip is tried, asks for a method that has this one.

    A call that broke off is news of its own.
    """
    law = _LAWS.get(result.check)
    if law is None or law.cost <= DEAREST or "error" in (result.counterexample or {"error": ""}):
        return False
    wrong = [_LAWS[one.check].needs for one in slipped if one.check in _LAWS and one.target == result.target]
    return any(needs and {*needs} <= {*law.needs} for needs in wrong)


def failure(result: Result, others: Sequence[Result] = (), behind: Sequence[Result] = ()) -> RenderableType:
    """Return the law, the case, got and expected, the command; and the commands of others to look at later.

    `others` fail by the same slip; `behind` run what has it, and may fail by that or by another.
    """
    first, *lines = failure_lines(result)
    styles = {"  slip    ": "yellow", "  rerun   ": "cyan"}
    told = [Text(wrapped(line), style=styles.get(line[:10], "")) for line in lines]
    if others:
        fail = "fails" if len(others) == 1 else "fail"
        told += _listed(f"By the same slip {counted(len(others), 'more check')} {fail}:", result, others)
    if behind:
        fail = "fails" if len(behind) == 1 else "fail"
        laws = f"{counted(len(behind), 'more check')} of many runs of the same {fail}"
        told += _listed(f"Mend this first: {laws}, by this or another slip:", result, behind)
    return Group(Text(first, style="bold red"), *told, Text(""))


def _listed(heading: str, result: Result, others: Sequence[Result]) -> Iterator[Text]:
    """Yield the heading and the command of each other failure, those of one command together."""
    yield Text(wrapped(f"  {heading}"), style="yellow")
    along = [one.check for one in others if one.command == result.command]
    if along:
        yield Text(wrapped(f"  {', '.join(along)} (by the same command)"))
    alone = [one.command or one.check for one in others if one.check not in along]
    yield from (Text(wrapped_command(command, "  "), style="cyan") for command in alone)


def _size(result: Result) -> int:
    """How much there is to read of the case that failed."""
    return len(json.dumps((result.counterexample or {}).get("case"), default=str))
