"""The one exception that means: the input is wrong, and here is what to do about it."""

from __future__ import annotations


class InputError(ValueError):
    """Bad input, told in one sentence that names the thing and says what to do.

    The command line prints the sentence and exits with 2; it never shows a traceback for it.
    """


def reason(error: BaseException) -> str:
    """Return why something went wrong, in words alone: no error number, no path, one line."""
    told = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(told).splitlines()[0].rstrip(".")
