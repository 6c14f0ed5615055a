"""Values as JSON has them, nan and infinity as null: what the commands write for `--json`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from reference.atomic_files import write_text


def finite(value: Any) -> Any:
    """Return a value of mappings, sequences and numbers with None for every number that JSON has not."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, np.generic):
        return finite(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_json(path: Path, value: Any) -> None:
    """Write a value of mappings, sequences and numbers as JSON for people and programs, whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(path, json.dumps(finite(value), indent=2) + "\n")
