"""The one exception that means: the input is wrong, and here is what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

# Characters of a name that are shown: it may be as long as a file.
LONGEST_SHOWN = 60


class InputError(ValueError):
    """Bad input, told in one sentence that names the thing and says what to do.

    The command line prints the sentence and exits with 2; it never shows a traceback for it.
    """


def reason(error: BaseException) -> str:
    """Return why something went wrong, in words alone: no error number, no path, one line."""
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(told).splitlines()[0].rstrip(".")


def listed(names: Iterable[str], most: int = 8) -> str:
    """Return names that a file has as a list for a sentence: the first ones, in one line, cut where long."""
    found = list(names)
    shown = [_short(name) for name in found[:most]]
    more = [f"{len(found) - most:,} more"] if len(found) > most else []
    return ", ".join(shown + more) or "none"


def _short(name: str) -> str:
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}..."
    return shown if shown.isprintable() and shown.strip() else repr(shown)
