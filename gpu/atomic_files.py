"""Arrays and JSON in files that are there whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from reference.atomic_files import write_atomically, write_text
from reference.errors import InputError, reason

# The one metadata entry of a file: JSON facts about its arrays.
FACTS = "facts"


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays as safetensors with JSON facts in the metadata; raises as `write_atomically`."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_safetensors(path, contiguous, {FACTS: json.dumps(facts, sort_keys=True)})


def write_safetensors(path: Path, arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Write contiguous arrays with metadata; raises as `write_atomically`."""

    def write(beside: Path) -> None:
        try:
            save_file(arrays, beside, metadata)
        except SafetensorError as error:  # a full disk is one of these
            raise InputError(f"{path} cannot be written: {reason(error)}; free some space.") from None

    write_atomically(path, write)


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; raises as `write_atomically`."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and facts of a file that `write_arrays` wrote.

    Raises:
        InputError: the file is missing, unreadable or of another kind.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {})[FACTS])
            if not isinstance(facts, dict):
                raise damaged(path, "its facts are no object")
            return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except InputError:
        raise
    except (OSError, SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise damaged(path, reason(error)) from None


def damaged(path: Path, why: str) -> InputError:
    """Return what to raise for a file that `write_arrays` has not written so."""
    return InputError(f"{path} holds no saved sums or checkpoint ({why}); remove it to start anew.")
