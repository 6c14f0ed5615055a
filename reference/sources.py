"""Where documents come from: a text file, a folder of them, JSON lines, Parquet, or a named data set."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reference.errors import InputError
from reference.hub import HUB_CORPORA
from reference.jsonl import DEFAULT_FIELD, read_jsonl
from reference.parquet import read_parquet
from reference.text import check_readable, name_of, read_documents, unreadable

# How the name of a file ends, and what then reads the documents in a field of it.
BY_FIELD = {".jsonl": read_jsonl, ".ndjson": read_jsonl, ".parquet": read_parquet}


@dataclass(frozen=True)
class Source:
    """Documents that have not been read yet.

    Attributes:
        name: for people.
        documents: yields them in their order, each time the same; raises InputError where it cannot.
        digest: returns what determines the documents, a SHA-256 of the content of files.
    """

    name: str
    documents: Callable[[], Iterator[str]]
    digest: Callable[[], str]


def find_source(place: str, field: str = DEFAULT_FIELD) -> Source:
    """Return the source that `place` names: a path, or the name of a data set on the hub.

    A folder gives the documents of its `.txt` files, in the order of their paths; hidden ones are left out.

    Args:
        place: the path of a text file, a folder, `.jsonl`, `.ndjson` or `.parquet`, or a name such as
            `tinystories`; a file of that name is `./tinystories`.
        field: the field or column that holds the text, where there are several.

    Raises:
        InputError: there is no such file, or a folder holds no text file.
    """
    if place in HUB_CORPORA:
        found = HUB_CORPORA[place]
        return Source(place, found.documents, lambda: found.digest)
    path = Path(place)
    if path.is_dir():
        return _folder(path)
    check_readable(path)
    read = BY_FIELD.get(path.suffix.lower())
    if read is None:
        return Source(name_of(path), partial(read_documents, path), partial(_digest, "text", [path]))
    kind = f"{path.suffix.lower()} {field}"
    return Source(name_of(path), partial(read, path, field), partial(_digest, kind, [path]))


def _folder(folder: Path) -> Source:
    paths = sorted(
        (path for path in folder.rglob("*.txt") if path.is_file() and not _hidden(path, folder)),
        key=lambda path: path.relative_to(folder).as_posix(),
    )
    if not paths:
        raise InputError(f"The folder {folder} holds no .txt file; give a folder of text files, or one file.")

    def documents() -> Iterator[str]:
        for path in paths:
            yield from read_documents(path)

    return Source(name_of(folder.resolve()), documents, partial(_digest, "text", paths))


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def _digest(kind: str, paths: list[Path]) -> str:
    """Return the SHA-256 of how the files are read, and of the content of each."""
    whole = hashlib.sha256(kind.encode())
    for path in paths:
        try:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise unreadable(path, error) from None
    return whole.hexdigest()
