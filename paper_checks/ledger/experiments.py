"""Results of training experiments as JSON lines: what claims about trained models are decided from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from paper_checks.ledger.training_runs import read_training_run
from reference.errors import InputError
from reference.small_files import parsed, read_small


def read_experiments(path: Path) -> dict[str, dict[str, Any]]:
    """Return experiments by name: of a folder of `leadterms train`, or of a file of JSON lines.

    A line that decides claims has a `name` and what was measured; lines that only have an `experiment` or a
    `kind` are outcomes for people.

    Raises:
        InputError: the file or folder cannot be read, or a line is not such an object.
    """
    if path.is_dir():
        return read_training_run(path)
    text = read_small(path, "file of experiments")
    found = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = parsed(line, f"{path}, line {number}")
        if isinstance(value, dict) and "name" not in value and {"experiment", "kind"} & set(value):
            continue
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise InputError(f"{path}, line {number} is not an experiment: it needs a name.")
        found[value["name"]] = value
    return found
