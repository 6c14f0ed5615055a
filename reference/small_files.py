"""Files of settings and of results: read as text, after a look at how large they are."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from reference.errors import InputError, no_such_file, reason

# JSON and TOML need some twenty times the memory of their text: less than 1 GiB for this much.
LARGEST = 1 << 25
SHOWN_OF_A_KEY = 60


def read_small(path: Path, what: str, *, largest: int = LARGEST, hint: str = "check the name") -> str:
    """Return the text of a UTF-8 file; `what` is what it is to be, as "certificate", and `hint` how to mend.

    Raises:
        InputError: it is missing, no regular file, larger than `largest` bytes, or not UTF-8.
    """
    try:
        if not path.exists():
            raise no_such_file(what, path, hint)
        if not path.is_file():
            raise InputError(f"The {what} {path} is no regular file; {hint}.")
        # Read no further, also where the size is not told or grows.
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {reason(error)}; {hint}.") from None
    if len(content) > largest:
        raise InputError(f"The {what} {path} is larger than {largest >> 20} MiB; {hint}.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"The {what} {path} is not UTF-8 (byte 0x{content[error.start]:02x} at {error.start}); {hint}."
        ) from None


def parsed(text: str, where: str, hint: str = "write it again") -> Any:
    """Return what JSON says; `where` is named if it is none.

    Raises:
        InputError: the text is no JSON, nested too deeply, has a number of too many digits, or a key twice in
            one object.
    """
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON ({reason(error)}); {hint}.") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object; of two values of one key a reader would take either, so there must be one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"an object has the key {twice[:SHOWN_OF_A_KEY]!r} twice")
    return found


def parsed_toml(text: str, where: str) -> dict[str, Any]:
    """Return what TOML says; `where` is named if it is none.

    Raises:
        InputError: the text is no TOML, nested too deeply, or has a number of too many digits.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not TOML: {reason(error)}; mend that line.") from None
