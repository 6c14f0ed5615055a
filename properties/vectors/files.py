"""The vectors as files: one a method, their schema, and what was published before.

`published.json` maps each id to the SHA-256 of its case. A case that was published may not change: an
implementation that was held to it would be held to something else under the same name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from properties.vectors import answers, corpora_cases, head_cases, matrix_cases, model_cases
from properties.vectors.inputs import FLAGS, Vector
from reference.atomic_files import write_text
from reference.errors import InputError

FORMAT = 1
PUBLISHED, SCHEMA = "published.json", "schema.json"
PROVENANCE = {
    "statistics": "Rational arithmetic on the literal one-hot definitions (theory.exact_statistics).",
    "logits": "The model evaluated at 150 decimal digits (properties.arbitrary_precision).",
    "attention": "The model evaluated at 150 decimal digits (properties.arbitrary_precision).",
    "loss": "The model evaluated at 150 decimal digits (properties.arbitrary_precision).",
    "gradients": "The derivative of that loss by the complex step with h = 10^-60, at 150 decimal digits.",
    "train": "Descent by those gradients at 150 digits; rationals where the paper's Lemma D.4 is exact.",
    "remove_projection": "Fractions, by W - <W, D> / <D, D> D.",
    "head_profile": "Fractions; the entropy by logarithms at 150 decimal digits.",
    "induction_score": "Fractions, the mean weight on t - period + 1 over t = period .. T - 1.",
    "sequence_induction_score": "Fractions, the mean weight on all targets over the rows that have one.",
    "composition_score": "The root at 150 decimal digits of a ratio of fractions.",
    "multi_head_output": "Fractions where all scores of a row are equal, else at 150 decimal digits.",
    "probe_split": "What all right splits have in common, from the sequences and the share.",
}


def vectors() -> Iterator[Vector]:
    """Yield every case, method by method."""
    yield from corpora_cases.statistics()
    for method in model_cases.METHODS:
        yield from model_cases.of(method)
    yield from corpora_cases.train()
    yield from matrix_cases.remove_projection()
    yield from matrix_cases.head_profile()
    yield from matrix_cases.induction_score()
    yield from matrix_cases.composition_score()
    # Published later, so they come last.
    yield from matrix_cases.sequence_induction_score()
    yield from head_cases.multi_head_output()
    yield from head_cases.probe_split()


def as_json(vector: Vector) -> dict[str, Any]:
    """Return a case as it stands in its file."""
    case: dict[str, Any] = {"id": vector.id, "comment": vector.comment, "flags": list(vector.flags)}
    if vector.refuse is not None:
        return {**case, "outcome": "refuse", "params": vector.params, "why": vector.refuse}
    expected = answers.expected(vector.method, vector.params)
    return {**case, "outcome": "answer", "params": vector.params, "expected": expected}


@cache
def documents() -> dict[str, dict[str, Any]]:
    """Return the content of each file of vectors by name; nobody may write to it."""
    made: dict[str, dict[str, Any]] = {}
    for vector in vectors():
        made.setdefault(vector.method, {"cases": []})["cases"].append(as_json(vector))
    for method, document in made.items():
        used = {flag for case in document["cases"] for flag in case["flags"]}
        made[method] = {
            "format": FORMAT,
            "method": method,
            "provenance": PROVENANCE[method],
            "flags": {flag: sentence for flag, sentence in FLAGS.items() if flag in used},
            "cases": document["cases"],
        }
    return {f"{method}.json": document for method, document in made.items()}


def schema_text() -> str:
    """Return the schema as it is written beside the vectors."""
    return Path(__file__).with_name(SCHEMA).read_text(encoding="utf-8")


def digest(case: dict[str, Any]) -> str:
    """Return the SHA-256 of a case, whatever the white space and the order of names in its file."""
    return hashlib.sha256(json.dumps(case, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def published(folder: Path) -> dict[str, str]:
    """Return the digest of each id that was published in this folder; none where it is new.

    Raises:
        InputError: the list cannot be read.
    """
    path = folder / PUBLISHED
    return dict(read(path)) if path.exists() else {}


def write(folder: Path) -> int:
    """Write all vectors into a folder, and return how many there are.

    Raises:
        InputError: a case that was published there before would change or vanish, or nothing can be written.
    """
    made = documents()
    digests = {case["id"]: digest(case) for document in made.values() for case in document["cases"]}
    before = published(folder)
    for id, old in before.items():
        if digests.get(id) != old:
            raise InputError(
                f"{id} was published in {folder} and would {'change' if id in digests else 'vanish'}; "
                "keep it as it was, and give what is new a new id."
            )
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in made.items():
        write_text(folder / name, dumped(document))
    write_text(folder / SCHEMA, schema_text())
    # The order of publication: what is new comes last.
    write_text(folder / PUBLISHED, json.dumps({**before, **digests}, indent=1) + "\n")
    return len(digests)


def dumped(document: dict[str, Any]) -> str:
    """Return a file's text: a line for each parameter and answer, so that a difference shows where it is."""
    head = {name: value for name, value in document.items() if name != "cases"}
    cases = ",\n".join(_case_text(case) for case in document["cases"])
    return json.dumps(head, indent=1)[:-2] + f',\n "cases": [\n{cases}\n ]\n}}\n'


def _case_text(case: dict[str, Any]) -> str:
    fields = []
    for name, value in case.items():
        if name in ("params", "expected"):
            inner = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value[key])}" for key in value)
            fields.append(f'   "{name}": {{\n{inner}\n   }}')
        else:
            fields.append(f'   "{name}": {json.dumps(value)}')
    return "  {\n" + ",\n".join(fields) + "\n  }"


def read(path: Path) -> dict[str, Any]:
    """Return a JSON object from a file.

    Raises:
        InputError: the file is missing or holds no JSON object.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{path} is not JSON: {error}.") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no JSON object.")
    return found
