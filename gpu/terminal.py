"""What commands print on: every text as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def terminal(*, quiet: bool = False, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Return a console on standard output, or on standard error.

    rich would take `[red]` in a text for a style, `:tm:` for a trademark sign, and colour what looks like a
    number. Names of files and of targets, and the words of a corpus, may have any of these: here nothing in
    a text means anything, and a style is given beside it.
    """
    from rich.console import Console

    class Terminal(Console):
        """A console that leaves it to the command line what a reader that goes away means."""

        def on_broken_pipe(self) -> None:
            """Raise the error again; rich would exit with the status of a check that fails."""
            raise

    return Terminal(
        quiet=quiet, stderr=stderr, soft_wrap=soft_wrap, markup=False, emoji=False, highlight=False
    )
