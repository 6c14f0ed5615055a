"""A folder that gets all its files at once, or none of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reference.errors import InputError


def check_folder(out: Path) -> None:
    """Fail now, before long work, if nothing can be written into the folder `out`.

    Raises:
        InputError: `out` or a folder above it is a file, or no file can be made there.
    """
    with _scratch(out):
        pass


@contextmanager
def filled_together(out: Path, is_stale: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield an empty folder; when the block ends well, what it then holds is moved into `out`.

    When the block raises, `out` is as it was before, or does not exist if it did not. Files of `out` that the
    block did not write again are removed if `is_stale` says so of their path relative to `out`, else kept.

    Raises:
        InputError: `out` or a folder above it is a file, or no file can be made there.
    """
    with _scratch(out) as scratch:
        # Made by mkdir and not by tempfile, so that it has the permissions of an ordinary folder.
        built = scratch / "built"
        built.mkdir()
        try:
            yield built
            _move(built, out, is_stale)
        except OSError as error:
            raise _unwritable(out, error) from None


def files_in(folder: Path) -> list[Path]:
    """Return the paths of the files in `folder` and below, relative to it, sorted."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


@contextmanager
def _scratch(out: Path) -> Iterator[Path]:
    """Yield a hidden folder on the same file system as `out`: in it if it exists, else where it will be."""
    home = out.absolute()
    while not os.path.lexists(home):
        home = home.parent
    if not home.is_dir():
        what = "a file" if home == out.absolute() else f"below {home}, which is a file"
        raise InputError(f"{out} is {what}; name a folder for the report.")
    try:
        folder = tempfile.TemporaryDirectory(dir=home, prefix=f".{out.name}.", suffix=".part")
    except OSError as error:
        raise _unwritable(out, error) from None
    with folder as name:
        yield Path(name)


def _move(built: Path, out: Path, is_stale: Callable[[Path], bool]) -> None:
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        built.replace(out)
        return
    names = files_in(built)
    in_the_way = [name for name in names if (out / name).is_dir()]
    if in_the_way:
        raise InputError(f"{out / in_the_way[0]} is a folder; move it away, or write the report elsewhere.")
    old = [name for name in files_in(out) if is_stale(name) and name not in names]
    for name in names:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).replace(out / name)
    for name in old:
        (out / name).unlink(missing_ok=True)


def _unwritable(out: Path, error: OSError) -> InputError:
    return InputError(f"No report can be written into {out}: {error.strerror}; name another folder.")
