"""Layers of attention to remove heads from, and rows of sequences to split."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from properties.cases import Cases


@dataclass(frozen=True)
class HeadsCase:
    """The weights of one layer, W_Q, W_K, W_V [H, d, k] and W_O [H, k, d], and a stream [N, T, d]."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray
    stream: np.ndarray

    @property
    def weights(self) -> Mapping[str, np.ndarray]:
        """The weights by name, fresh arrays each time."""
        return {name: getattr(self, name).copy() for name in ("W_Q", "W_K", "W_V", "W_O")}

    @property
    def heads(self) -> int:
        """H."""
        return len(self.W_Q)


@dataclass(frozen=True)
class RowsCase:
    """Rows of activations: the sequence that each belongs to, int64 [rows], the test share and a seed."""

    sequences: np.ndarray
    share: float
    seed: int


def _layer(heads: int, width: int, sequences: int, length: int, seed: int) -> HeadsCase:
    rng = np.random.default_rng(seed)
    d = heads * width

    def drawn(*shape: int) -> np.ndarray:
        return rng.integers(-16, 17, shape) / 16

    return HeadsCase(
        W_Q=drawn(heads, d, width),
        W_K=drawn(heads, d, width),
        W_V=drawn(heads, d, width),
        W_O=drawn(heads, width, d),
        stream=drawn(sequences, length, d),
    )


@st.composite
def _rows(draw: st.DrawFn) -> RowsCase:
    numbers = draw(
        st.lists(st.integers(0, 5), min_size=1, max_size=20).filter(lambda rows: len(set(rows)) > 1)
    )
    share = draw(st.sampled_from([0.25, 0.5, 0.75]))
    return RowsCase(np.array(numbers, dtype=np.int64), share, draw(st.integers(0, 100)))


HEADS = Cases(
    st.builds(
        _layer,
        heads=st.integers(1, 3),
        width=st.integers(1, 3),
        sequences=st.integers(1, 2),
        length=st.integers(1, 4),
        seed=st.integers(0, 2**16),
    ),
    _layer(heads=3, width=2, sequences=2, length=4, seed=1),
)
# Numbers of sequences are names: none is a place in the list of them.
ROWS = Cases(_rows(), RowsCase(np.repeat(10 * np.arange(1, 9), 3), 0.25, 0))
