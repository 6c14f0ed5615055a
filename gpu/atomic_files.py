"""Files that are there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from reference.errors import InputError

# The one metadata entry of a file: JSON facts about its arrays.
FACTS = "facts"


def write_atomically(path: Path, write: Callable[[Path], None]) -> None:
    """Call `write` with a path beside `path`, and put what it wrote in the place of `path` in one step.

    A process killed at any moment leaves the old file or the new one.

    Raises:
        InputError: the file cannot be written, for instance because the disk is full; the old file stays.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(beside)
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{path} cannot be written: {reason}; free some space or name another file."
        ) from None
    finally:
        beside.unlink(missing_ok=True)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays as safetensors with JSON facts in the metadata; raises as `write_atomically`."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {FACTS: json.dumps(facts, sort_keys=True)}
    write_atomically(path, lambda beside: save_file(contiguous, beside, metadata))


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; raises as `write_atomically`."""
    text = json.dumps(value, indent=2) + "\n"
    write_atomically(path, lambda beside: write_text(beside, text))


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, with LF for line breaks."""
    path.write_text(text, encoding="utf-8", newline="\n")


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and facts of a file that `write_arrays` wrote.

    Raises:
        InputError: the file is missing, unreadable or of another kind.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            facts = json.loads((file.metadata() or {})[FACTS])
            return {name: file.get_tensor(name) for name in file.keys()}, facts  # noqa: SIM118
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except (OSError, SafetensorError, KeyError, ValueError) as error:
        raise InputError(
            f"{path} holds no saved sums or checkpoint ({error}); remove it to start anew."
        ) from None
