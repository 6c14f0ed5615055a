"""Remember what was computed for a case: a dozen laws look at the same statistics, gradients and descents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

Answer = TypeVar("Answer")
Arguments = ParamSpec("Arguments")
_KEPT = 4
# A ladder of rates has up to ten, and a descent at each is asked for by the law of every weight.
_RECENT = 12


def by_corpus(function: Callable[[np.ndarray, int], Answer]) -> Callable[[np.ndarray, int], Answer]:
    """Decorate a function of (tokens [N, T+1], vocab_size) to keep a few answers, not to be written to.

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


def recently(function: Callable[Arguments, Answer]) -> Callable[Arguments, Answer]:
    """Decorate a function of numbers, arrays and mappings of arrays to keep its latest answers.

    Nobody may write to them. Laws of one family look at the same small cases one after the other, and a
    ladder of learning rates asks for each rate once a weight.
    """
    kept: dict[Hashable, Answer] = {}

    @wraps(function)
    def remembered(*arguments: Arguments.args, **named: Arguments.kwargs) -> Answer:
        key = (*map(_key, arguments), *((name, _key(value)) for name, value in sorted(named.items())))
        if key not in kept:
            kept[key] = function(*arguments, **named)
            if len(kept) > _RECENT:
                del kept[next(iter(kept))]
        return kept[key]

    return remembered


def _key(value: Any) -> Hashable:
    if isinstance(value, np.ndarray):
        return value.tobytes(), value.shape, value.dtype.str
    if isinstance(value, Mapping):
        return tuple((name, _key(value[name])) for name in sorted(value))
    return value
