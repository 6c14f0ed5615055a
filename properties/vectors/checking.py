"""Whether a folder of vectors is one: its files against the schema, and what a schema cannot say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from properties.vectors.files import PUBLISHED, SCHEMA, digest, published, read, schema_text
from reference.errors import InputError


def faults(folder: Path) -> Iterator[str]:
    """Yield a sentence for each fault of a folder of vectors; none where all is well.

    Raises:
        InputError: there is no such folder, no vectors in it, or a file that cannot be read.
    """
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; leadterms vectors --out {folder} writes one.")
    paths = sorted(path for path in folder.glob("*.json") if path.name not in (SCHEMA, PUBLISHED))
    if not paths:
        raise InputError(f"There are no vectors in {folder}; leadterms vectors --out {folder} writes them.")
    seen: dict[str, str] = {}
    for path in paths:
        document = read(path)
        wrong = list(_against_schema(path, document))
        yield from wrong
        if not wrong:
            yield from _beyond_schema(path, document, seen)
    if not (folder / SCHEMA).exists() or (folder / SCHEMA).read_text(encoding="utf-8") != schema_text():
        yield f"{SCHEMA} is not the schema of this version"
    listed = published(folder)
    for id in dict.fromkeys([*seen, *listed]):
        if seen.get(id) != listed.get(id):
            yield f"{PUBLISHED}: {id} is {_state(id, seen, listed)}"


def cases(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each case of a folder with its method.

    Raises:
        InputError: the folder has a fault; the first is told.
    """
    for fault in faults(folder):
        raise InputError(f"{folder} is no folder of vectors: {fault}.")
    for path in sorted(folder.glob("*.json")):
        if path.name not in (SCHEMA, PUBLISHED):
            document = read(path)
            for case in document["cases"]:
                yield document["method"], case


def _state(id: str, seen: dict[str, str], listed: dict[str, str]) -> str:
    if id not in listed:
        return "not listed"
    return "listed and not there" if id not in seen else "not what was published under this id"


def _against_schema(path: Path, document: dict[str, Any]) -> Iterator[str]:
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(schema_text()))
    for error in sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.absolute_path))):
        where = "/".join(map(str, error.absolute_path)) or "the file"
        yield f"{path.name}: {where}: {error.message[:200]}"


def _beyond_schema(path: Path, document: dict[str, Any], seen: dict[str, str]) -> Iterator[str]:
    """What needs more than one place: ids are unique, flags explained, bounds shaped like their values."""
    if path.stem != document["method"]:
        yield f"{path.name} holds the method {document['method']}"
    used: set[str] = set()
    for case in document["cases"]:
        id = case["id"]
        if id in seen:
            yield f"{path.name}: the id {id} occurs twice"
        seen[id] = digest(case)
        used |= set(case["flags"])
        if id.split("/")[0] != document["method"]:
            yield f"{path.name}: the id {id} is of another method"
        for flag in case["flags"]:
            if flag not in document["flags"]:
                yield f"{path.name}: {id} has the flag {flag}, which is not explained"
        for name, answer in case.get("expected", {}).items():
            if answer["kind"] == "split":
                yield from (f"{path.name}: {id}: {fault}" for fault in _of_a_split(answer, case["params"]))
                continue
            shape = _shape(answer["value"])
            if shape is None:
                yield f"{path.name}: {id}: the value of {name} is no array: its rows differ in length"
            for dtype, bound in answer["bound"].items():
                if shape is not None and _shape(bound) != shape:
                    yield f"{path.name}: {id}: the {dtype} bound of {name} has another shape than its value"
    for flag in document["flags"]:
        if flag not in used:
            yield f"{path.name}: the flag {flag} is of no case"


def _shape(nested: Any) -> tuple[int, ...] | None:
    """Return the shape of numbers in nested lists; None where they are ragged, and so no array."""
    try:
        return np.array(nested).shape
    except ValueError:
        return None


def _of_a_split(answer: dict[str, Any], params: dict[str, Any]) -> Iterator[str]:
    """The rows of each sequence follow from the call, and some sequence must be on each side."""
    sequences = params.get("sequences", [])
    rows = [[row for row, other in enumerate(sequences) if other == one] for one in sorted(set(sequences))]
    if answer["together"] != rows:
        yield "together does not hold the rows of each sequence"
    if not answer["least"] <= answer["most"] < len(rows):
        yield f"between {answer['least']} and {answer['most']} of {len(rows)} sequences leave one side empty"
