"""Read the claims: the TOML files beside this one, into `Claim`s, refusing what is not well formed.

A claim may name a shared table, or a part of it, in `given` or `numbers`: "table:FILE/TABLE/COLUMN".
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from paper_checks.ledger.claim import KINDS, NEEDS, Claim, Source
from paper_checks.ledger.printed import decimal
from reference.errors import InputError
from reference.small_files import parsed_toml, read_small

FOLDER = Path(__file__).parent / "claims"
NOT_CLAIMS = ("sources.toml", "obtained.toml")
_SHARED = "table:"
_REQUIRED = ("id", "source", "section", "statement", "stated", "checks")
_OPTIONAL = tuple(
    field.name for field in fields(Claim) if field.name not in _REQUIRED and field.name != "topic"
)


@cache
def sources() -> dict[str, Source]:
    """Return the sources by their keys."""
    tables = _table(FOLDER / "sources.toml")
    return {key: Source(key=key, **values) for key, values in tables.items()}


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Return the printed tables that several claims share: `tables-NAME.toml` by NAME, as they stand."""
    return {path.stem.removeprefix("tables-"): _table(path) for path in sorted(FOLDER.glob("tables-*.toml"))}


@cache
def obtained() -> dict[str, str]:
    """Return what has to be obtained before a `run_with` runs: by the name in it, what it is."""
    return _table(FOLDER / "obtained.toml")


def to_obtain(command: str) -> dict[str, str]:
    """Return those of `obtained` that a command reads, in its order."""
    known = obtained()
    return {word: known[word] for word in shlex.split(command) if word in known}


@cache
def claims() -> tuple[Claim, ...]:
    """Return every claim, source by source, and file by file in each.

    Raises:
        InputError: a file is not TOML, a claim lacks a field or has an unknown one, or an id occurs twice.
    """
    found = tuple(claim for path in sorted(FOLDER.glob("*.toml")) for claim in _claims(path))
    ids = [claim.id for claim in found]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise InputError(f"The claim '{twice[0]}' is in the ledger twice; an id is given once.")
    order = list(sources())
    return tuple(sorted(found, key=lambda claim: order.index(claim.source)))


def _claims(path: Path) -> Iterator[Claim]:
    if path.name in NOT_CLAIMS or path.name.startswith("tables-"):
        return
    table = _table(path)
    for number, entry in enumerate(table.get("claim", []), start=1):
        yield _claim(f"{path.name}, claim {number}", path.stem, entry)


def _claim(where: str, topic: str, entry: dict[str, Any]) -> Claim:
    """Return the claim in a table, or say what is wrong with it and where."""
    missing = [name for name in _REQUIRED if name not in entry]
    unknown = sorted(set(entry) - {*_REQUIRED, *_OPTIONAL})
    if missing or unknown:
        what = f"lacks {', '.join(missing)}" if missing else f"has the unknown field {unknown[0]}"
        raise InputError(f"{where} ({entry.get('id', 'no id')}) {what}.")
    where = f"{where} ({entry['id']})"
    for name, allowed in (("kind", KINDS), ("needs", NEEDS), ("source", tuple(sources()))):
        if name in entry and entry[name] not in allowed:
            raise InputError(f"{where}: {name} is '{entry[name]}'; it is one of {', '.join(allowed)}.")
    if "quoted" in entry and set(entry["quoted"]) not in ({"fact", "work"}, {"theorem", "work"}):
        raise InputError(f"{where}: quoted has a fact or a theorem, and the work that it stands in.")
    for name, phrase in entry.get("words", {}).items():
        if name not in entry.get("numbers", {}) or phrase.count("{}") != 1:
            raise InputError(f"{where}: words for '{name}' need one {{}}, and a number of that name.")
    entry |= {name: filled_in(where, entry[name]) for name in ("numbers", "given") if name in entry}
    for number in _leaves(entry.get("numbers", {})):
        if not isinstance(number, str):
            raise InputError(f"{where}: the number {number!r} is not a string; write it as it is printed.")
        try:
            decimal(number)
        except ValueError as error:
            raise InputError(f"{where}: {error}") from None
    values: dict[str, Any] = {
        name: tuple(value) if name in ("checks", "also") else value for name, value in entry.items()
    }
    return Claim(topic=topic, **values)


def filled_in(where: str, value: Any) -> Any:
    """Return `value` with each "table:..." in it replaced by what it names in `tables`.

    Raises:
        InputError: there is no such table or column.
    """
    if isinstance(value, dict):
        return {name: filled_in(where, one) for name, one in value.items()}
    if isinstance(value, list):
        return [filled_in(where, one) for one in value]
    if not (isinstance(value, str) and value.startswith(_SHARED)):
        return value
    part: Any = tables()
    for name in value.removeprefix(_SHARED).split("/"):
        if not isinstance(part, dict) or name not in part:
            raise InputError(f"{where}: there is no '{value}' in tables-*.toml.")
        part = part[name]
    return part


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def _table(path: Path) -> dict[str, Any]:
    return parsed_toml(read_small(path, "file of claims"), path.name)
