"""What a run left out of each target: how many checks, and for want of what."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from properties.results import Result
from properties.slips import STATISTICS
from reference.errors import counted, meant

# How the runner says that an implementation lacks something that it need not have.
NO_METHOD = "the implementation has no "
NO_STATISTIC = re.compile(r"statistics answers no '(\w+)'")
HAS = re.compile(r"statistics answers no '\w+' \(it has (.*)\)")


def left_out(results: Sequence[Result]) -> list[str]:
    """Return a sentence or two for each target some of whose checks did not apply or were skipped."""
    by_target: dict[str, list[str]] = {}
    for result in results:
        if result.result in ("not_applicable", "skipped"):
            by_target.setdefault(result.target, []).append(result.note or result.result)
    return [sentence for target, notes in by_target.items() for sentence in _told(target, notes)]


def _told(target: str, notes: Sequence[str]) -> Iterator[str]:
    wanted: dict[str, None] = {}
    lacking = 0
    others: Counter[str] = Counter()
    for note in notes:
        names = wanting(note)
        lacking += bool(names)
        wanted |= dict.fromkeys(names)
        if not names:
            others[note] += 1
    if lacking:
        need = "needs" if lacking == 1 else "need"
        what = f"methods or statistics that {target} has not: {', '.join(wanted)}"
        yield f"{counted(lacking, 'check')} {need} {what}{_misnamed(notes)}"
    if others:
        parts = [f"{counted(count, 'check')}, {note}" for note, count in others.items()]
        yield f"{target}: {'; '.join(parts)}"


def _misnamed(notes: Sequence[str]) -> str:
    """Return what is answered under a name of no statistic, which may be that of one with a slip in it."""
    found = [name for note in notes for one in HAS.findall(note) for name in one.split(", ")]
    unknown = {name: meant(name, STATISTICS) for name in found if name not in (*STATISTICS, "none")}
    told = [f"It answers '{name}', which is no statistic.{hint}" for name, hint in unknown.items()]
    return f". {' '.join(told)}" if told else ""


def wanting(note: str) -> list[str]:
    """Return the methods or the statistic that a note says are missing."""
    if note.startswith(NO_METHOD):
        return note.removeprefix(NO_METHOD).split(" and no ")
    found = NO_STATISTIC.match(note)
    return [found[1]] if found else []
