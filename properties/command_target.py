"""`cmd:PROGRAM ARGS`: an implementation in any language, spoken to in JSON lines.

A line `{"id": 1, "method": "logits", "params": {...}}` on the program's standard input is answered by a line
`{"id": 1, "result": ...}` or `{"id": 1, "error": "..."}` on its standard output; arrays are nested lists. The
method `describe` answers name, dtype and methods, `stop` ends the program.

Before any law is tried the program must get through a smoke stage: a harness that does not work is told as
such and never as wrong mathematics.
"""

from __future__ import annotations

import atexit
import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from properties.answers import ImplementationError, Refused, one_line
from properties.child_process import Broken, ChildProcess
from properties.target import AXES, METHODS
from properties.tolerances import UNIT_ROUNDOFF
from reference.errors import InputError, meant

TIMEOUT_SECONDS = 60.0
# A program that has hung this often is not asked any more: a hundred laws would take hours to say so.
MOST_TIMEOUTS = 3
# Digits of the largest float64, and a sign.
LONGEST_NUMBER = 310

# The names under which the protocol's arguments travel, in the order of their place.
PARAMETERS = {
    "statistics": ("tokens", "vocab_size"),
    "logits": ("parameters", "tokens"),
    "attention": ("parameters", "tokens"),
    "loss": ("parameters", "tokens"),
    "gradients": ("parameters", "tokens"),
    "train": ("tokens", "vocab_size", "layers", "rate", "steps"),
    "remove_projection": ("weight", "direction"),
    "head_profile": ("attention",),
    "induction_score": ("attention", "period"),
    "sequence_induction_score": ("attention", "tokens"),
    "composition_score": ("first", "second"),
    "multi_head_output": ("weights", "stream", "ablated"),
    "probe_split": ("sequences", "share", "seed"),
}


class Lost(ImplementationError):
    """The conversation with the program broke off; a new one begins with the next law."""

    shrinks = False  # every further case would start the program again only to lose it again
    lost = True

    def __init__(self, message: str, ended: bool = False) -> None:
        super().__init__(message)
        self.refuses = ended


class _Misunderstood(Exception):
    """The program wrote a line that is no answer to what it was asked."""


class CommandImplementation:
    """The methods that the program says it has, as methods of this object.

    Args:
        command: the program and its arguments as a shell would split them.
        timeout: seconds that one answer may take.

    Raises:
        InputError: the program cannot be started, or does not get through the smoke stage.
    """

    def __init__(self, command: str, timeout: float = TIMEOUT_SECONDS) -> None:
        self._spec = f"cmd:{command}"
        self._timeout = timeout
        self._child: ChildProcess | None = None
        self._asked = 0
        self._timeouts = 0
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"The target {self._spec} cannot be split into words: {error}.") from None
        if not self._words:
            raise InputError("The target cmd: is incomplete; write cmd:PROGRAM ARGS, quoted as one word.")
        atexit.register(self.close_connection)
        try:
            said = self._smoke()
        except InputError:
            self.close_connection()
            raise
        self.name, self.dtype = said["name"], said["dtype"]
        self.orientation: Mapping[str, str] = said.get("orientation", {})
        for method in said["methods"]:
            setattr(self, method, self._method(method))

    def close_connection(self) -> None:
        """Tell the program to stop, and end it if it does not; a later call starts it again."""
        child, self._child = self._child, None
        if child is not None:
            self._asked += 1
            child.close(_line(self._asked, "stop", {}))

    def _smoke(self) -> dict[str, Any]:
        """Ask for the description twice: the second answer shows that ids are followed and lines flushed."""
        try:
            first, second = self._exchange("describe", {}), self._exchange("describe", {})
        except OSError as error:
            a_file = Path(self._words[0]).is_file()
            how = (
                "this is a file: name first what runs it, or make it executable"
                if a_file
                else "check its name"
            )
            raise InputError(
                f"The program of {self._spec} cannot be started: {error.strerror}; {how}."
            ) from None
        except (Broken, _Misunderstood) as error:
            raise InputError(f"{self._spec}, asked to describe itself, {error}.") from None
        except ImplementationError as error:
            raise InputError(f"{self._spec}: {error}.") from None
        if first != second:
            raise InputError(
                f"{self._spec} described itself differently the second time; make it one answer."
            )
        return _checked_description(self._spec, first)

    def _method(self, method: str) -> Callable[..., Any]:
        def asked(*arguments: Any) -> Any:
            return self._call(method, dict(zip(PARAMETERS[method], arguments, strict=True)))

        return asked

    def _call(self, method: str, parameters: Mapping[str, Any]) -> Any:
        if self._timeouts >= MOST_TIMEOUTS:
            raise Lost(f"{method} was not asked: {MOST_TIMEOUTS} answers before it did not come in time")
        try:
            return self._exchange(method, parameters)
        except (Broken, _Misunderstood, OSError) as error:
            # What is in the pipe now belongs to no question: the next one is put to a new process.
            child, self._child = self._child, None
            if child is not None:
                child.close()
            self._timeouts += isinstance(error, Broken) and error.timed_out
            ended = isinstance(error, Broken) and error.ended
            raise Lost(f"the program, asked for {method}, {error}", ended) from None

    def _exchange(self, method: str, parameters: Mapping[str, Any]) -> Any:
        if self._child is None:
            self._child = ChildProcess(self._words)
        self._asked += 1
        answer = self._child.ask(_line(self._asked, method, parameters), self._timeout)
        return _result(answer, self._asked, method)


def _line(number: int, method: str, parameters: Mapping[str, Any]) -> bytes:
    message = {"id": number, "method": method, "params": _plain(parameters)}
    return json.dumps(message, allow_nan=False).encode() + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return value


def _result(answer: bytes, number: int, method: str) -> Any:
    """Return the result in an answer.

    Raises:
        Refused: the program answered an error.
        ImplementationError: it answered NaN or an infinity.
        _Misunderstood: the line is no answer to this question.
    """
    try:
        said = json.loads(
            answer, parse_constant=lambda name: _refuse(method, name), parse_int=lambda n: _whole(method, n)
        )
    except RecursionError:
        raise _Misunderstood(f"wrote {_shown(answer)}, which is nested without end") from None
    except ValueError:
        raise _Misunderstood(
            f"wrote {_shown(answer)}, which is not JSON (notes belong on standard error)"
        ) from None
    if not isinstance(said, dict) or len(said.keys() & {"result", "error"}) != 1:
        raise _Misunderstood(
            f"wrote {_shown(answer)}, not an object with an id and either a result or an error"
        )
    if said.get("id") != number or isinstance(said.get("id"), bool):
        raise _Misunderstood(
            f"answered id {json.dumps(said.get('id'))[:LONGEST_NUMBER]} when asked id {number} "
            "(each question is answered once, with its own id)"
        )
    if "error" in said:
        if not said["error"]:
            raise Refused(f"{method} answered an error that says nothing; let it say what is wrong")
        raise Refused(f"{method} answered the error: {one_line(said['error'])}")
    return said["result"]


def _refuse(method: str, name: str) -> None:
    raise ImplementationError(f"{method} answered {name}, which JSON does not have; answer finite numbers")


def _whole(method: str, digits: str) -> int:
    """Return an integer of JSON, which may have any number of digits; float64 ends at 10^308."""
    if len(digits) > LONGEST_NUMBER:
        raise ImplementationError(
            f"{method} answered a whole number of {len(digits)} digits; answer numbers that float64 can hold"
        )
    return int(digits)


def _shown(answer: bytes) -> str:
    text = one_line(answer[:LONGEST_NUMBER].decode("utf-8", "replace"))
    return repr(text if len(text) <= 60 else text[:60] + "...")


def _checked_description(spec: str, said: Any) -> dict[str, Any]:
    """Return a description in which everything is what it must be.

    Raises:
        InputError: it is no mapping, something is missing, or an entry is none of the protocol's.
    """
    if not isinstance(said, dict):
        raise InputError(f"{spec} described itself by no object; answer name, dtype and methods.")
    missing = [name for name in ("name", "dtype", "methods") if name not in said]
    if missing:
        raise InputError(
            f"{spec} described itself without {' and '.join(missing)}; answer name, dtype, methods."
        )
    if not isinstance(said["name"], str):
        raise InputError(f"{spec} gave the name {said['name']!r}; answer a string.")
    if said["dtype"] not in tuple(UNIT_ROUNDOFF):
        raise InputError(
            f"{spec} gave the dtype {said['dtype']!r}; answer one of {', '.join(UNIT_ROUNDOFF)}."
        )
    methods = said["methods"]
    if not isinstance(methods, list) or not methods:
        raise InputError(f"{spec} named no methods; answer a list of some of {', '.join(METHODS)}.")
    for method in methods:
        if method not in METHODS:
            raise InputError(
                f"{spec} named the method {method!r}, which the protocol lacks.{meant(str(method), METHODS)}"
            )
    orientation = said.get("orientation", {})
    if not isinstance(orientation, dict) or not all(
        name in AXES and isinstance(axes, str) for name, axes in orientation.items()
    ):
        raise InputError(
            f"{spec} gave the orientation {orientation!r}; answer axes by the name of a statistic."
        )
    return said
