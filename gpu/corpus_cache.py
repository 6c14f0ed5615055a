"""Tokenized corpora that are kept between runs, in the user's cache folder: one file by what it was made of.

A file that is damaged is made again, and where none can be written the work is done each time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from gpu.array_files import read_arrays, write_arrays
from gpu.cache_folder import cache_folder
from reference.errors import InputError
from reference.tokenized import Tokenized

# Names the form of the files; another one is not read.
KIND = "tokenized corpus, form 2"


def kept(made_of: str, make: Callable[[], Tokenized]) -> Tokenized:
    """Return the tokenized corpus that is kept under `made_of`, which determines it, or make and keep it."""
    path = cache_folder() / f"{hashlib.sha256(made_of.encode()).hexdigest()}.safetensors"
    found = _read(path, made_of)
    if found is None:
        found = make()
        _write(path, made_of, found)
    return found


def _read(path: Path, made_of: str) -> Tokenized | None:
    """Return what a file holds; None if it is not there, damaged, or of another form."""
    if not path.exists():
        return None
    with suppress(InputError, KeyError, ValueError, TypeError):
        arrays, facts = read_arrays(path)
        if facts == _facts(made_of):
            words = json.loads(arrays["words"].tobytes())
            return Tokenized(arrays["ranks"], arrays["ends"], tuple(words))
    return None


def _write(path: Path, made_of: str, tokenized: Tokenized) -> None:
    words = json.dumps(tokenized.words).encode()
    arrays = {
        "ranks": tokenized.ranks,
        "ends": tokenized.ends,
        "words": np.frombuffer(words, dtype=np.uint8),
    }
    with suppress(InputError, OSError):  # a full disk or a folder that cannot be written to
        path.parent.mkdir(parents=True, exist_ok=True)
        write_arrays(path, arrays, _facts(made_of))


def _facts(made_of: str) -> dict[str, str]:
    return {"kind": KIND, "made_of": made_of}
