"""A text file to documents."""

from __future__ import annotations

from pathlib import Path

from reference.errors import InputError

SEPARATOR = "<|endoftext|>"


def read_documents(path: Path) -> list[str]:
    """Return the documents of a UTF-8 text file, in their order, empty ones left out.

    Documents are what stands between lines `<|endoftext|>`; a file without such a line is one document.
    A byte-order mark is dropped.

    Raises:
        InputError: the file is missing, a folder, unreadable, empty, binary or not UTF-8.
    """
    documents = [piece for piece in _decode(path).split(SEPARATOR) if not piece.isspace() and piece]
    if not documents:
        raise InputError(f"The corpus {path} is empty; give a text file with at least one document.")
    return documents


def _decode(path: Path) -> str:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"The corpus {path} is a device or a pipe; give a regular text file.")
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no corpus file {path}; check the path given to --corpus.") from None
    except IsADirectoryError:
        raise InputError(f"The corpus {path} is a folder; give one text file.") from None
    except OSError as error:
        raise InputError(f"The corpus {path} cannot be read: {error.strerror}.") from None
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise InputError(f"The corpus {path} looks binary (a zero byte in line {line}); give a text file.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise InputError(
            f"The corpus {path} is not UTF-8 (byte 0x{raw[error.start]:02x} in line {line}); "
            "convert it first, for instance with iconv -t utf-8."
        ) from None
