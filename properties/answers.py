"""What an implementation answers, as NumPy arrays of numbers with the shape that the protocol asks for."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

LONGEST_MESSAGE = 300
# Where what is installed lies: a line there is not where somebody's own slip is.
PACKAGES = frozenset({"site-packages", "dist-packages"})
STANDARD_LIBRARY = Path(traceback.__file__).parent


class ImplementationError(Exception):
    """The implementation raised, or answered something that is no answer; the message says what.

    Attributes:
        shrinks: whether a smaller case is worth looking for; not where each costs a new process.
        refuses: whether it failed, as it must where there is no answer, and did not answer nonsense.
        lost: whether it said nothing that a law could be held against, neither an answer nor an error.
    """

    shrinks = True
    refuses = False
    lost = False


class Refused(ImplementationError):
    """The implementation raised, or answered an error."""

    refuses = True


def numbers(value: Any, what: str) -> np.ndarray:
    """Return a copy of an answer of any shape as float64; NaN and infinities pass, for a law to show where.

    A copy: the implementation may write its next answer into the same arrays, and a law that compares two
    answers of its own would then compare one with itself.

    Raises:
        ImplementationError: it is no rectangular array of real numbers. NumPy alone would read numbers out
            of strings and NaN out of None.
    """
    try:
        array = np.asarray(value)
    except Exception as error:  # what an object answers to being read is its own: torch raises RuntimeError
        ragged = isinstance(value, list | tuple) and isinstance(error, ValueError)
        why = " whose rows differ in length, so it is no array of numbers"
        told = why if ragged else f" that NumPy cannot read: {one_line(error)}"
        raise ImplementationError(f"{what} is {_named(value)}{told}") from None
    if array.dtype.kind == "O":
        for item in array.flat:
            if item is None or isinstance(item, (str, bytes, Mapping, list)):
                raise ImplementationError(f"{what} {_holds(array, item)}, so it is no array of numbers")
    elif array.dtype.kind not in "iuf":
        raise ImplementationError(
            f"{what} {_holds(array, array.flat[0] if array.size else None)}, so it is no array of numbers"
        )
    try:
        return np.array(array, dtype=np.float64)
    except Exception:  # as above, of each entry
        raise ImplementationError(f"{what} is {_named(value)} that is no array of numbers") from None


def shaped(array: np.ndarray, what: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the array, of any shape that is asked for.

    Raises:
        ImplementationError: it has another shape.
    """
    if array.shape != shape:
        raise ImplementationError(f"{what}: its shape is {list(array.shape)}, not {list(shape)}")
    return array


class Answer(dict[str, np.ndarray]):
    """The arrays, each of its own shape, that a method answered by name; one that it lacks is its failure."""

    def __init__(self, found: Mapping[str, np.ndarray], method: str) -> None:
        super().__init__(found)
        self._method = method

    def __missing__(self, name: str) -> np.ndarray:
        """Refuse a name that was not answered.

        Raises:
            ImplementationError: always.
        """
        return require(self, name, self._method)


def require(answer: Mapping[str, np.ndarray], name: str, method: str) -> np.ndarray:
    """Return one entry, of any shape, of an answer.

    Raises:
        ImplementationError: the answer has no such entry.
    """
    if name not in answer:
        raise ImplementationError(
            f"{method} answered no '{name}' (it has {', '.join(sorted(answer)) or 'none'})"
        )
    return answer[name]


def one_line(text: object) -> str:
    """Return what somebody's program says as part of a sentence: on one line, and not much of it."""
    # What is not printable could move the cursor of a terminal, or clear it.
    printable = "".join(letter if letter.isprintable() else " " for letter in str(text))
    line = " ".join(printable.split())
    return line if len(line) <= LONGEST_MESSAGE else line[:LONGEST_MESSAGE] + " ..."


def place(error: BaseException) -> str:
    """Return where in somebody's own file an error was raised, as " (mine.py, line 7)", or nothing."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # without that of the caller, which is ours
    own = [frame for frame in frames if _is_own(Path(frame.filename))]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _is_own(path: Path) -> bool:
    return path.is_file() and not PACKAGES & {*path.parts} and not path.is_relative_to(STANDARD_LIBRARY)


def _holds(array: np.ndarray, item: Any) -> str:
    verb = "holds" if array.ndim else "is"
    if item is None:
        why = "an entry was never set" if array.ndim else "a return is missing"
        return (
            f"{verb} None (null in JSON, which is also what JavaScript writes for NaN and Infinity; or {why})"
        )
    return f"{verb} {_named(item)}"


def _named(value: Any) -> str:
    name = type(value).__name__.rstrip("_")
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
