"""Results of training experiments as JSON lines: what claims about trained models are decided from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reference.errors import InputError


def read_experiments(path: Path) -> dict[str, dict[str, Any]]:
    """Return the experiments in a file by name: each line a JSON object with `name` and what was measured.

    Raises:
        InputError: the file cannot be read, or a line is not such an object.
    """
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
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            raise InputError(f"{path}, line {number} is not an experiment: it needs a name.")
        found[value["name"]] = value
    return found
