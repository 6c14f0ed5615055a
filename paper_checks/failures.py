"""The failures of a run for the terminal: where to begin in full, and the others by name.

What a slip explains comes first, and then the laws that are cheapest, which speak of single answers; what
follows from these follows them. Of the failures that one slip explains the smallest stands for all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from properties.catalogue import BY_ID
from properties.explaining import tells_slips
from properties.failure import failure_lines, wrapped, wrapped_command
from properties.results import BAD, Result
from reference.errors import counted

# More of one target are not read: who mends these finds the next ones by running again.
IN_FULL = 6
# More are not copied one by one.
COMMANDS = 3


def failures(results: Sequence[Result]) -> Iterator[RenderableType]:
    """Yield what a person needs to see of the failures, where the first of each slip and target is.

    Laws on which no slip is tried, of orders or bounds, stand behind a slip in what they run.
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
    in_order = sorted(groups, key=lambda key: (key not in named, min(map(_cost, groups[key]))))
    for target in dict.fromkeys(result.target for result in results):
        mine = [key for key in in_order if groups[key][0].target == target]
        for key in mine[:IN_FULL]:
            told = min(groups[key], key=_size)
            yield failure(told, [one for one in groups[key] if one is not told], behind.get(key, ()))
        left = [one for key in mine[IN_FULL:] for one in [*groups[key], *behind.get(key, ())]]
        if left:
            yield _left(target, left)


def _left(target: str, results: Sequence[Result]) -> RenderableType:
    """Return which failures were not told."""
    heading = f"{target}: {counted(len(results), 'more check')} failed; mend those above first."
    ids = ", ".join(one.check for one in results)
    how = "--check ID tells one in full, --json FILE keeps all."
    told = [Text(wrapped(f"  {line}")) for line in (ids, how)]
    return Group(Text(wrapped(heading), style="bold red"), *told, Text(""))


def _cost(result: Result) -> int:
    """How dear the law is, least where it is none of the catalogue."""
    return BY_ID[result.check].cost if result.check in BY_ID else 0


def _runs(slipped: Sequence[Result], result: Result) -> bool:
    """Return whether a law on which no slip is tried asks for a method that has this one.

    A call that broke off is news of its own.
    """
    law = BY_ID.get(result.check)
    if law is None or tells_slips(law) or "error" in (result.counterexample or {"error": ""}):
        return False
    wrong = [BY_ID[one.check].needs for one in slipped if one.check in BY_ID and one.target == result.target]
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
        laws = f"{counted(len(behind), 'more check')} that {'runs' if len(behind) == 1 else 'run'} it {fail}"
        told += _listed(f"Mend this first: {laws}, by this or another slip:", result, behind)
    return Group(Text(first, style="bold red"), *told, Text(""))


def _listed(heading: str, result: Result, others: Sequence[Result]) -> Iterator[Text]:
    """Yield the heading and the command of each other failure, one for many that differ in the check."""
    yield Text(wrapped(f"  {heading}"), style="yellow")
    by_command: dict[str, list[Result]] = {}
    for one in others:
        by_command.setdefault(one.command.replace(f"--check {one.check}", "--check ID"), []).append(one)
    for command, those in by_command.items():
        ids = ", ".join(one.check for one in those)
        if command and command == result.command:
            yield Text(wrapped(f"  {ids} (by the same command)"))
        elif not command:
            yield Text(wrapped(f"  {ids}"))
        elif len(those) > COMMANDS:
            yield Text(wrapped(f"  {ids}; each by"))
            yield Text(wrapped_command(command, "  "), style="cyan")
        else:
            yield from (Text(wrapped_command(one.command, "  "), style="cyan") for one in those)


def _size(result: Result) -> int:
    """How much there is to read of the case that failed."""
    return len(json.dumps((result.counterexample or {}).get("case"), default=str))
