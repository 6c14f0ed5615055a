"""A method leaves what it is given as it was given.

Many things are asked of one corpus and the same weights. A method that works in them, by `+=`, `out=` or an
assignment into an argument, answers right the first time, and what is asked next is answered for a corpus or
weights that nobody has. All other laws hand over copies, so that none of them would notice. A program gets
its input as text or bytes and has nothing of its caller's to change: it keeps this law by what it is.
A tensor or a list that is put in an array's place, of the same numbers, is a change as well: whoever asks
next handles an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from properties.answers import numbers
from properties.cases import Cases
from properties.check import Check, Comparison, Law, Outcome
from properties.target import Target

IN_PLACE = "changed in place"

Arguments = Callable[[Any], dict[str, Any]]


def leaves_as_given(method: str, arguments: Arguments) -> Law:
    """Return the law that what is handed to a method of the protocol is the same after the call.

    Args:
        method: one of `properties.target.METHODS`.
        arguments: makes of a case what is handed over, by name and in the method's order: arrays, mappings
            and lists that nobody else holds, made anew each time, and numbers.
    """

    def law(target: Target, case: Any) -> Outcome:
        handed, given = arguments(case), arguments(case)
        target.ask(method, *handed.values())
        for name, value in given.items():
            yield from _compared(f"{name} after the call", handed[name], value)

    return law


def _compared(name: str, now: Any, given: Any) -> Iterator[Comparison]:
    if isinstance(given, np.ndarray):
        is_array = isinstance(now, np.ndarray)
        yield Comparison(f"whether {name} is an array", is_array, True, 0.0, slip=IN_PLACE)
    if not isinstance(given, Mapping):
        yield Comparison(name, numbers(now, name), given, 0.0, slip=IN_PLACE)
        return
    for part in [*given, *(part for part in now if part not in given)]:
        yield Comparison(f"'{part}' in {name}", part in now, part in given, 0.0, slip=IN_PLACE)
        yield from _compared(f"{part} in {name}", now[part], given[part])


def given_check(
    id: str, method: str, statement: str, cases: Cases, arguments: Arguments, cost: int = 1
) -> Check:
    """Return the check of that law for one method."""
    law = leaves_as_given(method, arguments)
    return Check(id, statement, "derived here", cases, law, needs=(method,), cost=cost)
