"""What changed between two runs: results and claims by id, in sentences.

`python -m paper_checks.report.compare OLD.jsonl NEW.jsonl` prints them and fails if there are any: it keeps a
report that was written down from going stale.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from paper_checks.report.summary import findings, listed
from properties.results import Run, read_run
from reference.errors import InputError

# What has sentences of its own, was asked for and not found, or depends on how long something took and with
# which versions.
APART = ("experiments", "corpus", "seed", "seconds", "versions", "sha256", "digest")
# Of results and claims: the time, and the sizes of rounding errors, which are others on another machine.
NOT_RETOLD = ("seconds", "error_over_bound", "measurements")
# What rows of readings are known by.
ROW_NAMES = ("weight", "prediction", "row", "id", "name")
# Differences of losses are rounding below the one; a reader sees less than the other as no change.
ROUNDING, SHOWN = 2.0**-40, 2.0**-8
UNCHANGED = "Nothing changed since then."

Leaf = float | frozenset[str]


def read_earlier(path: Path) -> Run:
    """Return the run of a results file, all of which can be compared.

    Raises:
        InputError: it is no results file, or a part of it is not of the form that a report writes. That is
            known before another run takes its minutes: compared with itself, all of it is looked at.
    """
    run = read_run(path)
    try:
        list(changes(run, run))
    except (TypeError, LookupError, AttributeError, ValueError, RecursionError):
        raise InputError(
            f"{path} tells of claims or experiments in another form than a report does; give the "
            "results.jsonl of a report, or what verify wrote with --json."
        ) from None
    return run


def changes(old: Run, new: Run) -> Iterator[str]:
    """Yield a sentence for each result, claim or experiment that is new, gone, or another than it was.

    A result is known by its check and its target, a claim by its id, an experiment by its name. Of a result
    or a claim that came out alike it is said what else that is told of it changed. Of what else was found,
    the texts are compared, and the numbers as far as other machines round them alike. Times are no change.
    """
    yield from _differences("Result", _states(old), _states(new))
    yield from _differences("Claim", _verdicts(old), _verdicts(new))
    yield from _differences("Experiment", _outcomes(old), _outcomes(new))
    yield from _readings(findings(old), findings(new))
    yield from _retold("Result", ("result",), _laws(old), _laws(new))
    yield from _retold("Claim", ("verdict", "evidence", "computed"), _claims(old), _claims(new))


def _states(run: Run) -> dict[str, str]:
    return {f"{one.check} on {one.target}": str(one.result) for one in run.results}


def _laws(run: Run) -> dict[str, dict[str, Any]]:
    return {f"{one.check} on {one.target}": asdict(one) for one in run.results}


def _verdicts(run: Run) -> dict[str, str]:
    return {
        one["id"]: f"{one['verdict']} ({one.get('evidence')}: {one.get('computed') or 'nothing computed'})"
        for one in run.claims
    }


def _claims(run: Run) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in run.claims}


def _retold(
    what: str, came_out: Sequence[str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[str]:
    """Yield which parts of a row changed if it came out alike; once what only one version tells at all."""
    was, now = (dict.fromkeys(part for row in rows.values() for part in row) for rows in (before, after))
    if before and after:
        yield from (f"{what}s tell of {part} no more." for part in was if part not in now)
        yield from (f"{what}s tell of {part} as well now." for part in now if part not in was)
    for name, old in before.items():
        new = after.get(name, {})
        if any(old.get(part) != new.get(part) for part in came_out):
            continue  # gone, or another sentence tells it
        compared = [part for part in was if part in now and part not in (*came_out, *NOT_RETOLD)]
        if other := [part for part in compared if not _same(old.get(part), new.get(part))]:
            yield f"{what} {name} has another {listed(other)}."


def _same(old: Any, new: Any) -> bool:
    was, now = dict(_leaves(old)), dict(_leaves(new))
    return _of_a_kind(was, now) and not any(
        told for name in was for told in _reread(name, was[name], now[name])
    )


def _of_a_kind(was: Mapping[str, Leaf], now: Mapping[str, Leaf]) -> bool:
    """Whether they tell of the same things, each in both by a number or by texts."""
    return was.keys() == now.keys() and all(type(was[name]) is type(now[name]) for name in was)


def _outcomes(run: Run) -> dict[str, str]:
    return {
        one["experiment"]: f"{'met' if one['met'] else 'not met'} ({one['verdict']})"
        for one in run.header.get("experiments") or ()
    }


def _leaves(found: Any, where: str = "") -> Iterator[tuple[str, Leaf]]:
    """Yield every number, text and yes or no at any depth with its place; a row by its name where it has one.

    Texts of a list stand together and in no order: words of equal rank may change places on another machine.
    """
    if isinstance(found, str | bool):
        yield where, frozenset([str(found)])
    elif isinstance(found, int | float):
        yield where, float(found)
    elif isinstance(found, list | tuple) and all(isinstance(one, str) for one in found):
        yield where, frozenset(found)
    elif isinstance(found, Mapping | list | tuple):
        for name, one in _named(found):
            yield from _leaves(one, f"{where} {name}".strip())


def _named(found: Mapping[Any, Any] | Sequence[Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(found, Mapping):
        yield from ((str(name), one) for name, one in found.items() if name not in APART)
    else:
        yield from zip(_row_names(found), found, strict=True)


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
        was, now = (dict(_leaves(found[part], part)) for found in (before, after))
        if not _of_a_kind(was, now):
            yield f"The part {part} tells of other things than it did."
            continue
        for name, old in was.items():
            yield from _reread(name, old, now[name])


def _reread(name: str, old: Leaf, new: Leaf) -> Iterator[str]:
    if isinstance(old, frozenset) and isinstance(new, frozenset):
        if old != new:
            yield f"{name} was {_told(old - new)}, is {_told(new - old)}."
    elif isinstance(old, float) and isinstance(new, float) and not _alike(old, new):
        yield f"The number {name} was {old:.4g}, is {new:.4g}."


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
        old, new = (read_earlier(Path(name)) for name in arguments)
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    found = list(changes(old, new))
    print("\n".join(found) or UNCHANGED)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
