"""The folder of a training run: one process at a time writes into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from reference.errors import InputError

CHECKPOINT, LOG, ABOUT, LOCK = FILES = ("checkpoint.safetensors", "log.jsonl", "run.json", "run.lock")


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make the folder, and keep other runs out of it; a process that is killed lets go of it.

    Raises:
        InputError: it cannot be made or written to, or another run is at work in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / LOCK, timeout=0)
        lock.acquire()
    except Timeout:
        raise InputError(
            f"Another run is at work in {folder}; wait for it, stop it, or give another folder."
        ) from None
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made or written to: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()
