"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from glob import escape
from pathlib import Path

from reference.errors import InputError, reason


def write_atomically(path: Path, write: Callable[[Path], object]) -> None:
    """Call `write` with a path beside `path`, and put what it wrote in the place of `path` in one step.

    A process killed at any moment leaves the old file or the new one. The new file has the permissions of
    the old one, or those of any new file. Of a symbolic link the file that it leads to is replaced; a device
    or a pipe is written to as it is.

    Raises:
        InputError: the file cannot be written, for instance because the disk is full; the old file stays.
    """
    beside: Path | None = None
    try:
        if path.exists() and not path.is_file():
            write(path)
            return
        place = Path(os.path.realpath(path))
        _remove_abandoned(place)
        beside = place.with_name(f".{place.name}.{os.getpid()}.part")
        beside.touch()
        mode = stat.S_IMODE((place if place.exists() else beside).stat().st_mode)
        write(beside)
        # What `write` calls may have chosen its own permissions.
        beside.chmod(mode)
        with beside.open("rb+") as written:
            os.fsync(written.fileno())
        beside.replace(place)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {reason(error)}; free some space or name another file."
        ) from None
    finally:
        if beside is not None:
            beside.unlink(missing_ok=True)


def _remove_abandoned(place: Path) -> None:
    """Remove what processes that were killed left half written beside a file."""
    if os.name != "posix":  # elsewhere the question below would end the process that is asked about
        return
    for part in place.parent.glob(f".{escape(place.name)}.*.part"):
        number = part.name.split(".")[-2]
        if number.isdecimal() and not _is_running(int(number)):
            part.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text with LF for line breaks; raises as `write_atomically`."""
    write_atomically(path, lambda beside: beside.write_text(text, encoding="utf-8", newline="\n"))
