"""The one exception that means: the input is wrong, and here is what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

# Characters of a name that are shown: it may be as long as a file.
LONGEST_SHOWN = 60
KEPT_OF_BEGINNING, KEPT_OF_END = 600, 300
# Files of a folder that are looked at for a name like the one given.
MOST_FILES = 2000


class InputError(ValueError):
    """Bad input, told in one sentence that names the thing and says what to do.

    The command line prints the sentence and exits with 2; it never shows a traceback for it. What is quoted
    of a file may be as long as the file: of a long sentence the beginning is kept, and the end, which says
    what to do. It may also hold what would break the line or steer a terminal: that is shown as an escape.
    """

    def __init__(self, told: str) -> None:
        if not told.isprintable():
            told = "".join(char if char.isprintable() else repr(char)[1:-1] for char in told)
        if len(told) > KEPT_OF_BEGINNING + KEPT_OF_END:
            told = f"{told[:KEPT_OF_BEGINNING]} ... {told[-KEPT_OF_END:]}"
        super().__init__(told)


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


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular where there is one."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def meant(name: str, known: Iterable[str]) -> str:
    """Return the sentence " Did you mean X?" for the name most like `name`, or nothing where none is like it.

    Case does not count in what is alike; `name` itself is never proposed.
    """
    from difflib import get_close_matches  # the start of a command can do without

    by_key = {one.casefold(): one for one in reversed(list(known)) if one != name}
    close = get_close_matches(name.casefold(), by_key, n=1)
    return f" Did you mean {_short(by_key[close[0]])}?" if close else ""


def no_such_file(what: str, path: Path, hint: str) -> InputError:
    """Return what to raise for a file that is not there; a name like its own in the folder is proposed."""
    try:
        names = [one.name for one in islice(path.parent.iterdir(), MOST_FILES)]
    except OSError:
        names = []
    return InputError(f"There is no {what} {path}; {hint}.{meant(path.name, names)}")


def _short(name: str) -> str:
    shown = name if len(name) <= LONGEST_SHOWN else f"{name[:LONGEST_SHOWN]}..."
    return shown if shown.isprintable() and shown.strip() else repr(shown)
