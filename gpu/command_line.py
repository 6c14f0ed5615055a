"""Running a command line: what it exits with, and what a person reads when it stops."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from reference.errors import InputError


def run_command(command: Callable[[], object], name: str) -> None:
    """Run a command line: exit 0 when all is well, 1 when a check fails, 2 when the input is wrong."""
    try:
        command()
    except InputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print(f"{name}: stopped before the end; nothing was written.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe went away; there is nobody left to tell.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        print(f"{name}: the output cannot be written: {error.strerror or error}.", file=sys.stderr)
        sys.exit(2)


def require_folder(path: Path | None) -> None:
    """Refuse a file to write whose folder is missing, before any work is done.

    Raises:
        InputError: the folder is missing, or the path is a folder.
    """
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file to write.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"There is no folder {path.absolute().parent}; create it or name another file.")


def require_different(*paths: Path | None) -> None:
    """Refuse to write over what is read, or one output over another.

    Raises:
        InputError: two of the paths, those that are not None, are the same file.
    """
    places = [path.resolve() for path in paths if path is not None]
    if len(set(places)) < len(places):
        raise InputError("The corpus and the files to write must be different files; name another one.")
