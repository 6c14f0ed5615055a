"""Remember what was computed: a dozen laws look at the same statistics, and at many implementations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")
_KEPT = 4
# Answers to what is larger are as large themselves, and are not asked for twice in a row.
_LARGEST_BYTES = 2**16


def by_corpus(function: Callable[[np.ndarray, int], Answer]) -> Callable[[np.ndarray, int], Answer]:
    """Decorate a function of (tokens, vocab_size) to keep a few of its answers, which nobody may write to.

    What goes first is the answer for the smallest corpus, the cheapest to find again: a large corpus is
    counted once, however many small generated ones come between two looks at it.
    """
    kept: dict[tuple[bytes, tuple[int, ...], int], Answer] = {}

    @wraps(function)
    def remembered(tokens: np.ndarray, vocab_size: int) -> Answer:
        key = (tokens.tobytes(), tokens.shape, vocab_size)
        if key not in kept:
            kept[key] = function(tokens, vocab_size)
            if len(kept) > _KEPT:
                del kept[min(list(kept)[:-1], key=lambda old: len(old[0]))]
        return kept[key]

    return remembered


def by_value(kept_at_most: int) -> Callable[[Callable[Arguments, Answer]], Callable[Arguments, Answer]]:
    """Decorate a pure function to keep its latest answers for small arguments, which nobody may write to."""

    def decorated(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
        kept: dict[tuple[Any, ...], Answer] = {}

        @wraps(function)
        def remembered(*arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
            key = tuple(_parts((arguments, named)))
            if sum(len(part) for part in key if isinstance(part, bytes)) > _LARGEST_BYTES:
                return function(*arguments, **named)
            if key not in kept:
                kept[key] = function(*arguments, **named)
                if len(kept) > kept_at_most:
                    del kept[next(iter(kept))]
            return kept[key]

        return remembered

    return decorated


def _parts(value: Any) -> Iterator[Any]:
    """Yield what tells a value from others: arrays by shape, type and bytes, collections by their parts."""
    if isinstance(value, np.ndarray):
        yield from (value.shape, value.dtype.str, value.tobytes())
    elif isinstance(value, Mapping):
        yield len(value)
        for name, part in value.items():
            yield name
            yield from _parts(part)
    elif isinstance(value, (list, tuple)):
        yield len(value)
        for part in value:
            yield from _parts(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
    else:
        yield value
