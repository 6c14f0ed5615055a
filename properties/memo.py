"""Remember what was computed for a corpus: a dozen laws look at the same statistics."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import numpy as np

Answer = TypeVar("Answer")
_KEPT = 4


def by_corpus(function: Callable[[np.ndarray, int], Answer]) -> Callable[[np.ndarray, int], Answer]:
    """Decorate a function of (tokens, vocab_size) to keep its last few answers, which nobody may write to."""
    kept: OrderedDict[tuple[bytes, tuple[int, ...], int], Answer] = OrderedDict()

    @wraps(function)
    def remembered(tokens: np.ndarray, vocab_size: int) -> Answer:
        key = (tokens.tobytes(), tokens.shape, vocab_size)
        if key not in kept:
            kept[key] = function(tokens, vocab_size)
            if len(kept) > _KEPT:
                kept.popitem(last=False)
        kept.move_to_end(key)
        return kept[key]

    return remembered
