"""A text file to documents, a block at a time: memory holds one document, however large the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from reference.errors import InputError, no_such_file

SEPARATOR = "<|endoftext|>"
# Characters that are read at once.
BLOCK = 1 << 22


def read_documents(path: Path) -> Iterator[str]:
    """Yield the documents of a UTF-8 text file, in their order.

    Documents are what stands between lines `<|endoftext|>`; a file without such a line is one document.
    Between two of them a blank one is a document without a token; before the first and after the last one
    there is none. A byte-order mark is dropped, and every line break (CR LF, CR) becomes LF.

    Raises:
        InputError: the file is missing, a folder, unreadable, binary or not UTF-8; told when the first
            document is asked for, or at the place.
    """
    check_readable(path)
    # Of the document at hand only the end may belong to a separator: the rest is not searched again.
    first, end, searched = True, "", list[str]()
    for block in _blocks(path):
        piece, *others = (end + block).split(SEPARATOR)
        for other in others:
            document, searched = "".join([*searched, piece]), []
            if not first or _is_text(document):
                yield document
            first, piece = False, other
        searched.append(piece[: 1 - len(SEPARATOR)])
        end = piece[1 - len(SEPARATOR) :]
    last = "".join([*searched, end])
    if first or _is_text(last):
        yield last


def check_readable(path: Path) -> None:
    """Refuse a path that no text can be read from.

    Raises:
        InputError: it is a folder, a device, a pipe, or not there.
    """
    if path.is_dir():
        raise InputError(f"The corpus {path} is a folder; give a file.")
    if not path.exists():
        raise no_such_file("corpus file", path, "check the path")
    if not path.is_file():
        raise InputError(f"The corpus {path} is a device or a pipe; give a regular text file.")


def name_of(path: Path) -> str:
    """Return the name of a file for people; bytes of it that are no UTF-8 are shown by their numbers."""
    return path.name.encode(errors="backslashreplace").decode()


def unix_lines(text: str) -> str:
    """Return `text` with LF for every line break, as text files are read."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unreadable(path: Path, error: OSError) -> InputError:
    """Return what to raise where the operating system does not let a file be read."""
    return InputError(f"The corpus {path} cannot be read: {error.strerror}.")


def _is_text(document: str) -> bool:
    return bool(document) and not document.isspace()


def _blocks(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            while block := file.read(BLOCK):
                if "\0" in block:
                    raise _binary(path)
                yield block
    except UnicodeDecodeError:
        raise not_utf8(path) from None
    except OSError as error:
        raise unreadable(path, error) from None


def not_utf8(path: Path) -> InputError:
    """Return what to raise for a file that is not UTF-8: its first line that is not."""
    line = 0
    with path.open("rb") as file:
        for line, raw in enumerate(file, start=1):
            if b"\0" in raw:
                return _binary(path)
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                return InputError(
                    f"The corpus {path} is not UTF-8 (byte 0x{raw[error.start]:02x} in line {line}); "
                    "convert it first, for instance with iconv -t utf-8."
                )
    return InputError(f"The corpus {path} changed while it was read (line {line}); run the command again.")


def _binary(path: Path) -> InputError:
    with path.open("rb") as file:
        line = next((number for number, raw in enumerate(file, start=1) if b"\0" in raw), 0)
    return InputError(f"The corpus {path} looks binary (a zero byte in line {line}); give a text file.")
