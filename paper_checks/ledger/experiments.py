"""Results of training experiments as JSON lines: what claims about trained models are decided from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paper_checks.ledger.training_runs import read_training_run
from reference.errors import InputError


def read_experiments(path: Path) -> dict[str, dict[str, Any]]:
    """Return experiments by name: of a folder of `leadterms train`, or of a file of JSON lines.

    A line that decides claims has a `name` and what was measured; lines that only have an `experiment` or a
    `kind` are outcomes for people.

    Raises:
        InputError: the file or folder cannot be read, or a line is not such an object.
    """
    if path.is_dir():
        return read_training_run(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The experiments {path} cannot be read: {error}.") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            raise InputError(f"{path}, line {number} is not JSON.") from None
        if isinstance(value, dict) and "name" not in value and {"experiment", "kind"} & set(value):
            continue
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise InputError(f"{path}, line {number} is not an experiment: it needs a name.")
        found[value["name"]] = value
    return found
