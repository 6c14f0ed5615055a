"""The sparse sums of both passes: added up part by part, saved, and joined over processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float64
from scipy import sparse

from gpu.progress import Sums
from gpu.team import Team

KIND = "sparse statistics"
PARTS = ("indptr", "indices", "data")


@dataclass
class SparseFirstSums(Sums):
    """What the first pass adds up; the arrays [V, V] are SciPy CSR, float64.

    Attributes:
        count: how often each pair [current, next] occurs.
        share: the sum of 1/(t+1) over pairs (t, k) by [target, context].
        sequences: how many sequences are in.
        length: T.
    """

    count: Any
    share: Any
    sequences: int
    length: int
    kind: ClassVar[str] = KIND

    @classmethod
    def zero(cls, vocab_size: int, length: int) -> SparseFirstSums:
        """Return the sums of no sequence."""
        return cls(_empty(vocab_size), _empty(vocab_size), 0, length)

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int
    ) -> SparseFirstSums:
        """Return the sums that `arrays` gave, of [V, V].

        Raises:
            KeyError: one is missing.
            ValueError: one is of another type or shape.
        """
        count, share = (matrix_of(arrays, name, vocab_size) for name in ("count", "share"))
        return cls(count, share, sequences, length)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the parts of count and share [V, V], which determine the sums."""
        return arrays_of({"count": self.count, "share": self.share})

    def add(self, count: Any, share: Any, sequences: int) -> None:
        """Take in the sums of some more sequences."""
        self.count, self.share = self.count + count, self.share + share
        self.sequences += sequences

    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""
        self.count, self.share = _total(self.count, team), _total(self.share, team)
        self.sequences = int(team.total(np.array(self.sequences)))

    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""
        self.count, self.share = _shared(self.count, team, source), _shared(self.share, team, source)
        self.sequences = int(team.shared(np.array(self.sequences), source))


@dataclass
class SparseSecondSums(Sums):
    """What the second pass adds up.

    Attributes:
        by_cell: the sum of the entries of Q_i by [query, key], SciPy CSR, float64.
        by_distance: the same by t - k.
        sequences: how many sequences are in.
    """

    by_cell: Any
    by_distance: Float64[np.ndarray, " T"]
    sequences: int
    kind: ClassVar[str] = KIND

    @classmethod
    def zero(cls, vocab_size: int, length: int) -> SparseSecondSums:
        """Return the sums of no sequence."""
        return cls(_empty(vocab_size), np.zeros(length), 0)

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int
    ) -> SparseSecondSums:
        """Return the sums that `arrays` gave, of [V, V] and [T].

        Raises:
            KeyError: one is missing.
            ValueError: one is of another type or shape.
        """
        by_distance = arrays["by_distance"]
        if (by_distance.dtype, by_distance.shape) != (np.dtype(np.float64), (length,)):
            raise ValueError(f"by_distance is {by_distance.dtype} {list(by_distance.shape)}")
        return cls(matrix_of(arrays, "by_cell", vocab_size), by_distance, sequences)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the parts of by_cell [V, V], and by_distance [T], which determine the sums."""
        return arrays_of({"by_cell": self.by_cell}) | {"by_distance": self.by_distance}

    def add(self, by_cell: Any, by_distance: Float64[np.ndarray, " T"], sequences: int) -> None:
        """Take in the sums of some more sequences."""
        self.by_cell, self.by_distance = self.by_cell + by_cell, self.by_distance + by_distance
        self.sequences += sequences

    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""
        self.by_cell, self.by_distance = _total(self.by_cell, team), team.total(self.by_distance)
        self.sequences = int(team.total(np.array(self.sequences)))

    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""
        self.by_cell = _shared(self.by_cell, team, source)
        self.by_distance = team.shared(self.by_distance, source)
        self.sequences = int(team.shared(np.array(self.sequences), source))


def arrays_of(matrices: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return the parts of CSR arrays [V, V], as NAME.indptr [V + 1], NAME.indices and NAME.data."""
    return {f"{name}.{part}": getattr(matrix, part) for name, matrix in matrices.items() for part in PARTS}


def matrix_of(arrays: Mapping[str, np.ndarray], name: str, vocab_size: int) -> Any:
    """Return the CSR array [V, V] that `arrays_of` took apart.

    Raises:
        ValueError: these are the parts of no such array.
    """
    indptr, indices, data = (arrays[f"{name}.{part}"] for part in PARTS)
    if data.dtype != np.float64 or {indptr.dtype.kind, indices.dtype.kind} != {"i"}:
        raise ValueError(f"{name} is no array of numbers")
    matrix = sparse.csr_array((data, indices, indptr), shape=(vocab_size, vocab_size))
    # An index out of range would read and write past the ends of arrays.
    matrix.check_format(full_check=True)
    return matrix


def _empty(vocab_size: int) -> Any:
    return sparse.csr_array((vocab_size, vocab_size))


def _shared(matrix: Any, team: Team, source: int) -> Any:
    """Return the array of the process `source`."""
    if team.size == 1:
        return matrix
    entries = int(team.shared(np.array(matrix.nnz, dtype=np.int64), source))
    ours = {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}
    if team.rank != source:
        ours |= {"indices": np.empty(entries), "data": np.empty(entries)}
    types = {"indptr": np.int64, "indices": np.int64, "data": np.float64}
    theirs = {f"m.{part}": team.shared(ours[part].astype(types[part]), source) for part in PARTS}
    return matrix_of(theirs, "m", matrix.shape[0])


def _total(matrix: Any, team: Team) -> Any:
    """Return the sum of the arrays of all processes, added in the order of their ranks."""
    found = _shared(matrix, team, 0)
    for source in range(1, team.size):
        found = found + _shared(matrix, team, source)
    return found
