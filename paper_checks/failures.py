"""The failures of a run for the terminal: where to begin in full, and the others by name.

What a slip explains comes first, and then the laws that are cheapest, which speak of single answers; what
follows from these follows them. Of the failures that one slip explains, or that break off with one error or
end in NaN, the smallest stands for all. A command goes on after a backslash, to be copied whole: what is
yielded here is to be printed without wrapping it again, with `soft_wrap`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from properties.catalogue import BY_ID
from properties.explaining import tells_slips
from properties.failure import COLUMNS, failure_lines, wrapped, wrapped_command
from properties.results import BAD, Result
from properties.runner import NAN, THE_LAW
from reference.errors import counted

# More of one target are not read: who mends these finds the next ones by running again.
IN_FULL = 6
# More are not copied one by one.
COMMANDS = 3
# What runs the model: a NaN in one of these is one in all.
OF_THE_MODEL = frozenset({"logits", "attention", "loss", "gradients", "train"})
# How the failures that one stands for are told, by what they have in common.
HEADINGS = {"slip": "By the same slip", "error": "By the same error", "NaN": "With NaN"}


def failures(results: Sequence[Result], columns: int = COLUMNS) -> Iterator[RenderableType]:
    """Yield what a person needs to see of the failures, where the first of each slip and target is.

    Laws on which no slip is tried, of orders or bounds, stand behind a slip in what they run.
    """
    groups: dict[object, list[Result]] = {}
    for number, result in enumerate(results):
        if result.result in BAD:
            groups.setdefault(_cause(result) or number, []).append(result)
    named = {key: group for key, group in groups.items() if "looks_like" in (group[0].counterexample or {})}
    behind: dict[object, list[Result]] = {}
    for other in [key for key in groups if key not in named]:
        for result in [*groups[other]]:
            slip = next((key for key, group in named.items() if _runs(group, result)), None)
            if slip is not None:
                behind.setdefault(slip, []).append(result)
                groups[other].remove(result)
    groups = {key: group for key, group in groups.items() if group}
    in_order = sorted(groups, key=lambda key: (key not in named, min(map(_cost, groups[key]))))
    for target in dict.fromkeys(result.target for result in results):
        mine = [key for key in in_order if groups[key][0].target == target]
        for key in mine[:IN_FULL]:
            told = min(groups[key], key=_size)
            others = [one for one in groups[key] if one is not told]
            yield failure(told, others, behind.get(key, ()), columns)
        left = [one for key in mine[IN_FULL:] for one in [*groups[key], *behind.get(key, ())]]
        if left:
            yield _left(target, left, columns)


def _cause(result: Result) -> tuple[str, ...]:
    """Return what a failure has in common with others of its target; nothing where it stands alone.

    A slip; an error, which may tell other sizes of another case; or NaN in what runs the same method.
    """
    shown = result.counterexample or {}
    if slip := shown.get("looks_like"):
        return (result.target, "slip", slip)
    error = shown.get("error") or (result.note if result.result == "errored" else None)
    if error:
        return (result.target, "error", re.sub(r"\d+", "0", error))
    if result.note == NAN and result.check in BY_ID:
        needs = BY_ID[result.check].needs
        return (result.target, "NaN", *(("model",) if OF_THE_MODEL & {*needs} else needs))
    return ()


def _left(target: str, results: Sequence[Result], columns: int) -> RenderableType:
    """Return which failures were not told."""
    heading = f"{target}: {counted(len(results), 'more check')} failed; mend those above first."
    ids = ", ".join(one.check for one in results)
    how = "--check ID tells one in full, --json FILE keeps all."
    told = [Text(wrapped(f"  {line}", columns)) for line in (ids, how)]
    return Group(Text(wrapped(heading, columns), style="bold red"), *told, Text(""))


def _cost(result: Result) -> int:
    """How dear the law is, least where it is none of the catalogue."""
    return BY_ID[result.check].cost if result.check in BY_ID else 0


def _runs(slipped: Sequence[Result], result: Result) -> bool:
    """Return whether a law on which no slip is tried asks for a method that has this one.

    A call that broke off is news of its own; that a law finds nothing to compare is none.
    """
    law, shown = BY_ID.get(result.check), result.counterexample or {"error": ""}
    if law is None or tells_slips(law) or ("error" in shown and shown.get("comparison") != THE_LAW):
        return False
    wrong = [BY_ID[one.check].needs for one in slipped if one.check in BY_ID and one.target == result.target]
    return any(needs and {*needs} <= {*law.needs} for needs in wrong)


def failure(
    result: Result, others: Sequence[Result] = (), behind: Sequence[Result] = (), columns: int = COLUMNS
) -> RenderableType:
    """Return the law, the case, got and expected, the command; and the commands of others to look at later.

    `others` fail by the same slip or error; `behind` run what has it, and may fail by that or by another.
    """
    first, *lines = failure_lines(result)
    styles = {"  slip    ": "yellow", "  rerun   ": "cyan"}
    told = [Text(wrapped(line, columns), style=styles.get(line[:10], "")) for line in lines]
    if others:
        fail = "fails" if len(others) == 1 else "fail"
        how = HEADINGS[(_cause(result) or ("", "slip"))[1]]
        told += _listed(f"{how} {counted(len(others), 'more check')} {fail}:", result, others, columns)
    if behind:
        fail = "fails" if len(behind) == 1 else "fail"
        laws = f"{counted(len(behind), 'more check')} that {'runs' if len(behind) == 1 else 'run'} it {fail}"
        told += _listed(f"Mend this first: {laws}, by this or another slip:", result, behind, columns)
    return Group(Text(wrapped(first, columns), style="bold red"), *told, Text(""))


def _listed(heading: str, result: Result, others: Sequence[Result], columns: int) -> Iterator[Text]:
    """Yield the heading and the command of each other failure, one for many that differ in the check."""
    yield Text(wrapped(f"  {heading}", columns), style="yellow")
    by_command: dict[str, list[Result]] = {}
    for one in others:
        by_command.setdefault(one.command.replace(f"--check {one.check}", "--check ID"), []).append(one)
    for command, those in by_command.items():
        ids = ", ".join(one.check for one in those)
        if command and command == result.command:
            yield Text(wrapped(f"  {ids} (by the same command)", columns))
        elif not command:
            yield Text(wrapped(f"  {ids}", columns))
        elif len(those) > COMMANDS:
            yield Text(wrapped(f"  {ids}; each by", columns))
            yield Text(wrapped_command(command, "  ", columns), style="cyan")
        else:
            commands = (wrapped_command(one.command, "  ", columns) for one in those)
            yield from (Text(told, style="cyan") for told in commands)


def _size(result: Result) -> int:
    """How much there is to read of the case that failed."""
    return len(json.dumps((result.counterexample or {}).get("case"), default=str))
