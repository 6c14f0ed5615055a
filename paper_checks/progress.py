"""A progress bar on standard error, for people; where it is piped nothing, or of long work a line a part."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from gpu.terminal import terminal

Clock = Callable[[], float]


class TimeLeft:
    """How long work goes on at the pace that it had, from how much of it is done and when that was told."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock, self._started = clock, clock()
        self._told: tuple[float, float] | None = None  # the seconds that were left, and when

    def tell(self, done: float, total: float) -> None:
        """Take how much is done; what stands still is not told again."""
        now = self._clock()
        self._told = ((now - self._started) * (total - done) / done, now) if done > 0 else None

    def __str__(self) -> str:
        if self._told is None:
            return ""
        left, when = self._told
        seconds = left - (self._clock() - when)
        if seconds < 60:
            return "less than a minute left"
        return (
            f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"
        )


@contextmanager
def progress_bar(shown: bool = True, *, lines: bool = False) -> Iterator[Callable[[str, float, float], None]]:
    """Yield a function of (what, done, total) that moves the bar; it does nothing unless `shown`.

    Args:
        shown: whether a person wants to see it.
        lines: of work that takes an hour each part is a line where standard error is no terminal, as a log.
    """
    console = terminal(stderr=True)
    columns = (
        BarColumn(24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.description}", markup=False),
    )
    logged = shown and lines and not console.is_terminal
    with Progress(
        *columns, console=console, transient=True, disable=not (shown and console.is_terminal)
    ) as bar:
        left = TimeLeft()
        task = bar.add_task("", total=None, left=left)
        before: list[tuple[str, float]] = [("", -1.0)]

        def move(what: str, done: float, total: float) -> None:
            if done != before[0][1]:
                left.tell(done, total)
            bar.update(task, description=what, completed=done, total=total)
            if logged and what != before[0][0]:
                told = f"{done / total:4.0%} done" if total else ""
                console.print(", ".join(filter(None, (told, str(left), what))))
            before[0] = (what, done)

        yield move
