"""What changed between two runs: results and claims by id, in sentences.

`python -m paper_checks.report.compare OLD.jsonl NEW.jsonl` prints them and fails if there are any: it keeps a
report that was written down from going stale.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from paper_checks.report.summary import findings
from properties.results import Run, read_run
from reference.errors import InputError

# What has sentences of its own, was asked for and not found, or depends on how long something took and with
# which versions.
APART = ("experiments", "corpus", "seed", "seconds", "versions", "sha256", "digest")
# What rows of readings are known by.
ROW_NAMES = ("weight", "prediction", "row", "id", "name")
# Differences of losses are rounding below the one; a reader sees less than the other as no change.
ROUNDING, SHOWN = 2.0**-40, 2.0**-8
UNCHANGED = "Nothing changed since then."


def changes(old: Run, new: Run) -> Iterator[str]:
    """Yield a sentence for each result, claim or experiment that is new, gone, or another than it was.

    A result is known by its check and its target, a claim by its id, an experiment by its name. Of what else
    was found, the texts are compared, and the numbers as far as other machines round them alike. Times are no
    change.
    """
    before = {f"{one.check} on {one.target}": str(one.result) for one in old.results}
    after = {f"{one.check} on {one.target}": str(one.result) for one in new.results}
    yield from _differences("Result", before, after)
    yield from _differences("Claim", _verdicts(old), _verdicts(new))
    yield from _differences("Experiment", _outcomes(old), _outcomes(new))
    yield from _readings(findings(old), findings(new))


def _verdicts(run: Run) -> dict[str, str]:
    return {
        claim[
            "id"
        ]: f"{claim['verdict']} ({claim.get('evidence')}: {claim.get('computed') or 'nothing computed'})"
        for claim in run.claims
    }


def _outcomes(run: Run) -> dict[str, str]:
    return {
        one["experiment"]: f"{'met' if one['met'] else 'not met'} ({one['verdict']})"
        for one in run.header.get("experiments") or ()
    }


def _numbers(found: Any, where: str = "") -> dict[str, float]:
    """Return every number at any depth by where it stands; a row by its name where it has one."""
    if isinstance(found, bool):
        return {}
    if isinstance(found, int | float):
        return {where: float(found)}
    if isinstance(found, Mapping):
        named = {str(name): one for name, one in found.items() if name not in APART}
    elif isinstance(found, list | tuple):
        named = dict(zip(_row_names(found), found, strict=True))
    else:
        return {}
    return {
        place: number
        for name, one in named.items()
        for place, number in _numbers(one, f"{where} {name}".strip()).items()
    }


def _texts(found: Any, where: str = "") -> dict[str, frozenset[str]]:
    """Return every text at any depth by where it stands; those of a list together, in no order.

    Words of equal rank may fall in another order on another machine.
    """
    if isinstance(found, str):
        return {where: frozenset([found])}
    if isinstance(found, Mapping):
        named = {str(name): one for name, one in found.items() if name not in APART}
    elif isinstance(found, list | tuple):
        if all(isinstance(one, str) for one in found):
            return {where: frozenset(found)}
        named = dict(zip(_row_names(found), found, strict=True))
    else:
        return {}
    return {
        place: text
        for name, one in named.items()
        for place, text in _texts(one, f"{where} {name}".strip()).items()
    }


def _row_names(rows: Sequence[Any]) -> list[str]:
    """Return what each row says it is, with its number where another says the same or it says nothing."""
    said = [
        " ".join(str(row[key]) for key in ROW_NAMES if isinstance(row, Mapping) and key in row)
        for row in rows
    ]
    return [
        name if name and said.count(name) == 1 else f"{name} {at}".strip() for at, name in enumerate(said)
    ]


def _readings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for part in dict.fromkeys([*before, *after]):
        if part in APART:
            continue
        if part not in after or part not in before:
            yield f"The part {part} is {'gone' if part in before else 'new'}."
            continue
        old, new = (_numbers(found[part], part) for found in (before, after))
        was, says = (_texts(found[part], part) for found in (before, after))
        if old.keys() != new.keys() or was.keys() != says.keys():
            yield f"The part {part} tells of other things than it did."
            continue
        for name in old:
            if not _alike(old[name], new[name]):
                yield f"The number {name} was {old[name]:.4g}, is {new[name]:.4g}."
        for name in was:
            if was[name] != says[name]:
                yield f"{name} was {_told(was[name] - says[name])}, is {_told(says[name] - was[name])}."


def _told(texts: frozenset[str]) -> str:
    return ", ".join(sorted(filter(None, texts))) or "nothing"


def _alike(old: float, new: float) -> bool:
    if not (math.isfinite(old) and math.isfinite(new)):
        return str(old) == str(new)
    return abs(new - old) <= ROUNDING + SHOWN * abs(old)


def _differences(what: str, before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield f"{what} {name} is gone; it was {before[name]}."
        elif name not in before:
            yield f"{what} {name} is new: {after[name]}."
        elif before[name] != after[name]:
            yield f"{what} {name} was {before[name]}, is {after[name]}."


def main(arguments: Sequence[str]) -> int:
    """Print what changed between two files; return 0 for nothing, 1 for something, 2 for bad input."""
    if len(arguments) != 2:
        print("Give two results files: the old one and the new one.", file=sys.stderr)
        return 2
    try:
        old, new = (read_run(Path(name)) for name in arguments)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    found = list(changes(old, new))
    print("\n".join(found) or UNCHANGED)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
