"""Arrays and JSON in files that are there whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from reference.atomic_files import write_atomically, write_text
from reference.errors import InputError, no_such_file, reason

# The metadata of a file: JSON facts about its arrays, and a digest of both.
FACTS, DIGEST = "facts", "sha256"
# Of the safetensors form: the bytes that say how long the header is, and what it calls the metadata.
SIZE_BYTES, METADATA = 8, "__metadata__"


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any]) -> None:
    """Write arrays of any shape as safetensors with JSON facts and a digest; raises as `write_atomically`."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_safetensors(path, contiguous, metadata(contiguous, json.dumps(facts, sort_keys=True)))


def metadata(arrays: Mapping[str, np.ndarray], facts: str) -> dict[str, str]:
    """Return the metadata of a file: facts in JSON, and the SHA-256 of these and of arrays of any shape."""
    whole = hashlib.sha256(f"{facts}\n".encode())
    for name in sorted(arrays):
        whole.update(f"{name} {arrays[name].dtype} {arrays[name].shape}\n".encode())
        whole.update(np.ascontiguousarray(arrays[name]).data)
    return {FACTS: facts, DIGEST: whole.hexdigest()}


def write_safetensors(path: Path, arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Write contiguous arrays of any shape with metadata; raises as `write_atomically`."""

    def write(beside: Path) -> None:
        try:
            save_file(arrays, beside, metadata)
            if len(metadata) > 1:
                _sort_metadata(beside)
        except SafetensorError as error:  # a full disk is one of these
            raise InputError(f"{path} cannot be written: {reason(error)}; free some space.") from None

    write_atomically(path, write)


def _sort_metadata(path: Path) -> None:
    """Put the metadata of a file into the order of their names: the library has another one each time."""
    with path.open("rb+") as file:
        size = int.from_bytes(file.read(SIZE_BYTES), "little")
        header = json.loads(file.read(size))
        header[METADATA] = dict(sorted(header[METADATA].items()))
        told = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        if len(told) <= size:
            file.seek(SIZE_BYTES)
            file.write(told.ljust(size))


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON; raises as `write_atomically`."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def read_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays, of any shape, and the facts of a file that `write_arrays` wrote.

    Raises:
        InputError: the file is missing, unreadable, of another kind, or not as it was written.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            told = file.metadata() or {}
            facts = json.loads(told[FACTS])
            if not isinstance(facts, dict):
                raise damaged(path, "its facts are no object")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if told != metadata(arrays, told[FACTS]):
            raise damaged(path, "it is not as it was written")
        return arrays, facts
    except FileNotFoundError:
        raise no_such_file("file", path, "check the path") from None
    except InputError:
        raise
    except (OSError, SafetensorError, KeyError, ValueError, RecursionError) as error:
        raise damaged(path, reason(error)) from None


def damaged(path: Path, why: str) -> InputError:
    """Return what to raise for a file that `write_arrays` has not written so."""
    return InputError(f"{path} holds no saved sums or checkpoint ({why}); remove it to start anew.")
