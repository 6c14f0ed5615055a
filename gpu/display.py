"""How far long work has come, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Between the lines that are written where nobody watches.
SECONDS_BETWEEN_LINES = 30.0

# Told how much is done, and in words what.
Show = Callable[[int, str], None]


@contextmanager
def display(total: int, shown: bool = True) -> Iterator[Show]:
    """Yield what shows how far work on `total` units has come; it does nothing unless `shown`."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from gpu.terminal import terminal

    console = terminal(stderr=True)
    columns = (BarColumn(24), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
    on_terminal = shown and console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=not on_terminal) as bar:
        task = bar.add_task("", total=total)
        last = time.monotonic()

        def show(done: int, what: str) -> None:
            nonlocal last
            if on_terminal:
                bar.update(task, completed=done, description=what)
            elif shown and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
                print(f"{done:,} of {total:,}: {what}", file=sys.stderr, flush=True)
                last = time.monotonic()

        yield show


def clock(seconds: float) -> str:
    """Return a time as 1:02:03 or 2:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
