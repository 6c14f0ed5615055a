"""An attention layer in whole numbers, so that two ways of removing a head are compared by equality.

The attention maps have rows that sum to PARTS instead of 1, which scales every output by PARTS.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

PARTS = 12
LARGEST = 9


@dataclass(frozen=True)
class Layer:
    """Heads with their maps, and the projection that their outputs share.

    Attributes:
        maps: int64 [heads, T, T], causal, each row with sum PARTS.
        values: int64 [heads, T, width of a head], no entry 0.
        projection: int64 [heads * width, heads * width], features in, features out, no entry 0.
    """

    maps: np.ndarray
    values: np.ndarray
    projection: np.ndarray

    @property
    def width(self) -> int:
        """Features of one head."""
        return int(self.values.shape[2])

    def slice(self, head: int) -> slice:
        """Return the features that the outputs of a head take once they are side by side."""
        return slice(head * self.width, (head + 1) * self.width)

    def features(self) -> np.ndarray:
        """Return [T, heads * width]: the heads' outputs side by side, what the projection is given."""
        by_head = self.maps @ self.values
        return side_by_side(by_head)

    def output(self) -> np.ndarray:
        """Return [T, heads * width]: what the layer adds to the residual stream."""
        output: np.ndarray = self.features() @ self.projection
        return output

    def without_map(self, head: int) -> Layer:
        """Return the layer with this head's attention weights all zero."""
        maps = self.maps.copy()
        maps[head] = 0
        return replace(self, maps=maps)


def side_by_side(by_head: np.ndarray) -> np.ndarray:
    """Return [T, heads * width] of [heads, T, width]: the head's axis after the position's, then merged."""
    heads, T, width = by_head.shape
    return by_head.transpose(1, 0, 2).reshape(T, heads * width)


def random_layer(seed: int, heads: int = 2, length: int = 5, width: int = 3) -> Layer:
    """Return a layer with random maps, values and projection, the same for the same seed."""
    random = np.random.default_rng(seed)
    maps = np.zeros((heads, length, length), dtype=np.int64)
    for head in range(heads):
        for t in range(length):
            maps[head, t, : t + 1] = random.multinomial(PARTS, [1 / (t + 1)] * (t + 1))
    return Layer(
        maps,
        random.integers(1, LARGEST + 1, (heads, length, width)),
        random.integers(1, LARGEST + 1, (heads * width, heads * width)),
    )


def zeroed(array: np.ndarray, *index: int | slice) -> np.ndarray:
    """Return a copy of `array`, of any shape, with zeros at an index."""
    copy = array.copy()
    copy[index] = 0
    return copy
