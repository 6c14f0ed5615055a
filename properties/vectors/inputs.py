"""What the vectors ask: every case with its permanent id. A published id keeps its content for ever.

Rationals are strings, "p/q" or "p"; those of parameters, weights and rates are dyadic with few bits, so that
float32 and float64 hold them exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Each says which mistake a case is there to find.
FLAGS = {
    "Ordinary": "General position: every word occurs, nothing is symmetric, so a transpose or a swap shows.",
    "OnePosition": "T = 1: prefixes are single tokens and means over an earlier part are empty.",
    "OneWord": "V = 1: everything is uniform, every difference vanishes, a division by V - 1 fails.",
    "TwoWords": "V = 2: columns are opposite to each other, so a sign that is lost shows.",
    "OneSequence": "N = 1: an average over sequences hides nothing here, and an axis that was dropped shows.",
    "Repeated": "One word throughout: all keys pull alike, and what is not centred does not vanish.",
    "Unseen": "Words that never occur keep rows and columns: the uniform part is 1/V of all words.",
    "Ties": "Words, scores or keys that nothing tells apart: no index may decide between them.",
    "WordZero": "Word 0 is a word like any other, and no padding.",
    "Boundary": "Sequences are separate: the last token of one does not predict the first of the next.",
    "SelfIncluded": "The prefix of a position holds the position itself (k <= t).",
    "Zero": "Zero parameters, directions or factors: a uniform softmax, and no division by zero.",
    "ManyLayers": "More than one layer: gradients flow through values, queries and keys of the layer above.",
    "LargeScores": "Scores of a thousand: exp overflows unless the largest is subtracted first.",
    "QueryKey": "W [query, key] is not symmetric and enters as h W h^T.",
    "ByDistance": "Distances are t - k: not the position of the key, and not k - t.",
    "ExactZero": "The answer is exactly zero: parameters that have not started to move.",
    "Scale": "Small or large factors that must drop out.",
    "Shape": "Matrices that are not square.",
    "EdgeSize": "The smallest or largest size that is allowed, or sizes that are no multiples of each other.",
    "Refuse": "Input that has no answer; to answer all the same would hide somebody's mistake.",
    "NegativeIndex": "A negative number indexes from the end in some languages; it is no token.",
    "Broadcast": "Shapes that some libraries stretch to fit; they do not fit.",
    "Recurring": "A row counts once, if its token occurred before, with its weight on all that followed it.",
    "Removed": "A head is removed before W_O mixes the heads; no part of the output is a head's own.",
    "Split": "Rows of one sequence stay together, whatever their order; the share is of sequences.",
}


@dataclass(frozen=True)
class Vector:
    """One case: a method of the protocol with its parameters; `refuse` says why there is no answer, if so."""

    id: str
    comment: str
    flags: tuple[str, ...]
    params: dict[str, Any] = field(hash=False)
    refuse: str | None = None

    @property
    def method(self) -> str:
        """The part of the id before the slash."""
        return self.id.split("/")[0]


ORDINARY = [[0, 0, 1, 2, 1, 3], [3, 1, 0, 2, 2, 0], [1, 1, 3, 0, 3, 2]]
SMALL = [[0, 1, 1, 2], [2, 0, 1, 0]]


def text(numbers: np.ndarray) -> Any:
    """Return an array of dyadic numbers, of any shape, as nested lists of "p/q"."""
    if numbers.ndim:
        return [text(part) for part in numbers]
    numerator, denominator = float(numbers).as_integer_ratio()
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


def drawn(seed: int, *shape: int, scale: int = 16) -> np.ndarray:
    """Return numbers n/16 with |n| <= 16, or other units, of any shape, by a generator that never changes."""
    # A plain congruential generator: NumPy does not promise its streams from version to version.
    state, values = seed * 2654435761 + 12345, []
    for _ in range(int(np.prod(shape))):
        state = (6364136223846793005 * state + 1442695040888963407) % 2**64
        values.append((state >> 33) % 33 - 16)
    return np.array(values).reshape(shape) / scale


def parameters(seed: int, V: int, T: int, L: int, /, scale: int = 16, **given: np.ndarray) -> dict[str, Any]:
    """Return W_O [V, V], V and W [L, V, V], P [L, T] as text; `given` replaces a group."""
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, T)}
    made = {name: drawn(seed + i, *shape, scale=scale) for i, (name, shape) in enumerate(shapes.items())}
    return {name: text(array) for name, array in {**made, **given}.items()}
