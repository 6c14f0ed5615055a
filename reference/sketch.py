"""A short vector for a large array that keeps scalar products: feature hashing.

Each row of an array is laid down from a place of its own, drawn at random, on a ring of cells, each entry
with a random sign, and what falls on one cell is added up:

    s_c = sum over entries e on cell c of sign_e x_e.

Signs of different entries are independent, so the products <s(x), s(y)> average <x, y>. Two entries of one
row never meet, since a row is no longer than the ring; those of two rows do with a probability of one in the
number of cells, and only they add to the scatter:

    E (<s(x), s(y)> - <x, y>)^2 <= (|x|^2 |y|^2 + <x, y>^2) / cells    [derived here; Weinberger et al. 2009],

each pair {e, f} that meets gives (x_e y_f + x_f y_e)^2, whose sum over all pairs is at most that in brackets.
Where there is a cell for each entry none meet, and products are what they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int8, Int64

CELLS = 2**17


@dataclass(frozen=True)
class Sketch:
    """How arrays of one shape are laid down.

    Attributes:
        signs: +1 or -1 for each entry.
        starts: the cell of each row's first entry, in 0..cells-1.
        cells: how many there are; a row is no longer.
    """

    signs: Int8[np.ndarray, "rows columns"]
    starts: Int64[np.ndarray, " rows"]
    cells: int

    @classmethod
    def drawn(cls, shape: tuple[int, ...], seed: int, cells: int = CELLS) -> Sketch:
        """Draw one for arrays of a shape; an array of one axis is one row.

        Raises:
            ValueError: a row is longer than the ring.
        """
        rows, columns = (1, *shape)[-2:]
        if columns > cells:
            raise ValueError(f"rows of {columns} entries are longer than a ring of {cells} cells")
        rng = np.random.default_rng(seed)
        signs = rng.integers(0, 2, size=(rows, columns), dtype=np.int8) * np.int8(2) - np.int8(1)
        if rows * columns <= cells:
            return cls(signs, np.arange(rows) * columns, rows * columns)
        return cls(signs, rng.integers(0, cells, size=rows), cells)

    def of(self, x: Float64[np.ndarray, "*shape"]) -> Float64[np.ndarray, " cells"]:
        """Return the sketch of an array; linear in it."""
        columns = self.signs.shape[1]
        # The ring is cut open, with room for a row that goes around.
        line = np.zeros(self.cells + columns)
        for start, row in zip(self.starts, x.reshape(self.signs.shape) * self.signs, strict=True):
            line[start : start + columns] += row
        line[:columns] += line[self.cells :]
        return line[: self.cells]
