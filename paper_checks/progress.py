"""A progress bar on standard error, for people only: nothing of it is written where output is piped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def progress_bar(shown: bool = True) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function of (what, done, total) that moves the bar; it does nothing unless `shown`."""
    console = Console(stderr=True)
    columns = (BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(
        *columns, console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        task = bar.add_task("", total=None)

        def move(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield move
