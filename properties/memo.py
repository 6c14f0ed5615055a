"""Remember what was computed for a corpus: a dozen laws look at the same statistics."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import numpy as np

Answer = TypeVar("Answer")
_KEPT = 4


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
