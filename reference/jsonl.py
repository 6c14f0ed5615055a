"""A file of JSON lines to documents: each line is an object, one field of which is the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from reference.errors import InputError, listed
from reference.text import check_readable, not_utf8, unix_lines, unreadable

DEFAULT_FIELD = "text"


def read_jsonl(path: Path, field: str) -> Iterator[str]:
    """Yield the text in `field` of each line, in order; blank lines are passed over.

    Raises:
        InputError: the file is missing, unreadable or not UTF-8, or a line is no JSON object with a text in
            that field.
    """
    check_readable(path)
    try:
        with path.open(encoding="utf-8-sig") as file:
            for line, content in enumerate(file, start=1):
                if not content.isspace():
                    yield unix_lines(_text(path, line, content, field))
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except OSError as error:
        raise unreadable(path, error) from None


def _text(path: Path, line: int, content: str, field: str) -> str:
    try:
        row = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}, line {line} is not JSON ({error}); give one object a line.") from None
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {line} is a {type(row).__name__} and no object; give one a line.")
    if field not in row:
        raise InputError(f"{path}, line {line} has no field '{field}' (it has {listed(row)}); give --field.")
    if not isinstance(row[field], str):
        raise InputError(
            f"{path}, line {line} has no text in '{field}' but {json.dumps(row[field])[:40]}; "
            "give another --field, or leave the line out."
        )
    return str(row[field])
