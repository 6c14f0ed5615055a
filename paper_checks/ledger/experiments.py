"""Results of training experiments as JSON lines: what claims about trained models are decided from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reference.errors import InputError
from reference.small_files import parsed, read_small


def read_experiments(path: Path) -> dict[str, dict[str, Any]]:
    """Return the experiments in a file by name: each line a JSON object with `name` and what was measured.

    Raises:
        InputError: the file cannot be read, or a line is not such an object.
    """
    text = read_small(path, "file of experiments")
    found = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = parsed(line, f"{path}, line {number}")
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise InputError(f"{path}, line {number} is not an experiment: it needs a name.")
        found[value["name"]] = value
    return found
