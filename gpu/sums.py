"""The sums that the statistics are made of: additive over sequences, so that parts of a corpus merge.

The first pass over a corpus counts, the second one needs G_bar of the whole corpus. Sums of two parts add
up to those of the corpus; counts exactly, the others to within the rounding of one addition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float64, Int64

from gpu.progress import Sums
from gpu.team import Team
from reference.errors import InputError

# Sums by distance are kept in lanes that are added up in their order at the end: whichever process or
# thread adds to a lane, the result is the same.
LANES = 64


@dataclass
class FirstSums(Sums):
    """What the first pass adds up.

    Attributes:
        count: how often each pair [current, next] occurs.
        share: the sum of 1/(t+1) over pairs (t, k) by [target, context].
        sequences: how many sequences are in.
        length: T, the predicted positions of each.
    """

    count: Int64[np.ndarray, "V V"]
    share: Float64[np.ndarray, "V V"]
    sequences: int
    length: int
    kind: ClassVar[str] = "statistics"

    @classmethod
    def zero(cls, vocab_size: int, length: int) -> FirstSums:
        """Return the sums of no sequence."""
        square = (vocab_size, vocab_size)
        return cls(np.zeros(square, dtype=np.int64), np.zeros(square), 0, length)

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int
    ) -> FirstSums:
        """Return the sums with these arrays, [V, V].

        Raises:
            KeyError: one is missing.
            ValueError: one is of another type or shape.
        """
        found = _like(arrays, cls.zero(vocab_size, length).arrays())
        return cls(found["count"], found["share"], sequences, length)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays [V, V] by name."""
        return {"count": self.count, "share": self.share}

    def add(self, other: FirstSums) -> None:
        """Take in the sums of another part of the corpus.

        Raises:
            InputError: its sizes differ.
        """
        _check_same((len(self.count), self.length), (len(other.count), other.length))
        self.count += other.count
        self.share += other.share
        self.sequences += other.sequences

    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""
        self.count, self.share = team.total(self.count), team.total(self.share)
        self.sequences = int(team.total(np.array(self.sequences)))

    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""
        self.count, self.share = team.shared(self.count, source), team.shared(self.share, source)
        self.sequences = int(team.shared(np.array(self.sequences), source))

    @property
    def positions(self) -> int:
        """N*T."""
        return self.sequences * self.length

    def B_bar(self) -> Float64[np.ndarray, "V V"]:
        """B_bar [current, next] = (1/NT) sum X^T (Y - 1/V) (eq. 9)."""
        V = len(self.count)
        # Whole numbers up to here, and then one rounding.
        surplus = V * self.count - self.count.sum(axis=1, keepdims=True)
        return np.asarray(surplus / (V * self.positions))

    def Phi_bar(self) -> Float64[np.ndarray, "V V"]:
        """Phi_bar [target, context] = (1/NT) sum (Y - 1/V)^T A0 X (eq. 11)."""
        centred: np.ndarray = self.share - self.share.mean(axis=0, keepdims=True)
        return centred / self.positions


@dataclass
class SecondSums(Sums):
    """What the second pass adds up, given G_bar of the whole corpus.

    Attributes:
        by_cell: the sum of the entries of Q_i by [query, key].
        by_distance: the same by t - k, in lanes.
        sequences: how many sequences are in.
    """

    by_cell: Float64[np.ndarray, "V V"]
    by_distance: Float64[np.ndarray, "lanes T"]
    sequences: int
    kind: ClassVar[str] = "statistics"

    @classmethod
    def zero(cls, vocab_size: int, length: int) -> SecondSums:
        """Return the sums of no sequence."""
        return cls(np.zeros((vocab_size, vocab_size)), np.zeros((LANES, length)), 0)

    @classmethod
    def of_arrays(
        cls, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int
    ) -> SecondSums:
        """Return the sums with these arrays, [V, V] and [LANES, T].

        Raises:
            KeyError: one is missing.
            ValueError: one is of another type or shape.
        """
        found = _like(arrays, cls.zero(vocab_size, length).arrays())
        return cls(found["by_cell"], found["by_distance"], sequences)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, [V, V] and [LANES, T]."""
        return {"by_cell": self.by_cell, "by_distance": self.by_distance}

    def add(self, other: SecondSums) -> None:
        """Take in the sums of another part of the corpus.

        Raises:
            InputError: its sizes differ.
        """
        _check_same((len(self.by_cell), self.length), (len(other.by_cell), other.length))
        self.by_cell += other.by_cell
        self.by_distance += other.by_distance
        self.sequences += other.sequences

    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""
        self.by_cell, self.by_distance = team.total(self.by_cell), team.total(self.by_distance)
        self.sequences = int(team.total(np.array(self.sequences)))

    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""
        self.by_cell = team.shared(self.by_cell, source)
        self.by_distance = team.shared(self.by_distance, source)
        self.sequences = int(team.shared(np.array(self.sequences), source))

    @property
    def length(self) -> int:
        """T."""
        return int(self.by_distance.shape[1])

    @property
    def positions(self) -> int:
        """N*T."""
        return self.sequences * self.length

    def Q_bar(self) -> Float64[np.ndarray, "V V"]:
        """Q_bar [query, key] = (1/NT) sum X^T Q_i X (eq. 14, 17)."""
        return self.by_cell / self.positions

    def Delta_bar(self) -> Float64[np.ndarray, " T"]:
        """Delta_bar [T], entry d = (1/NT) sum of Q_i[t, t-d]."""
        total: np.ndarray = self.by_distance.sum(axis=0)
        return total / self.positions


def _like(arrays: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays; ValueError if one has not the type and shape of the expected one of its name."""
    for name, one in expected.items():
        if (arrays[name].dtype, arrays[name].shape) != (one.dtype, one.shape):
            raise ValueError(f"{name} is {arrays[name].dtype} {list(arrays[name].shape)}")
    return arrays


def _check_same(ours: tuple[int, int], theirs: tuple[int, int]) -> None:
    if ours != theirs:
        raise InputError(
            f"Sums over {ours[0]} words and {ours[1]} positions cannot take in sums over {theirs[0]} words "
            f"and {theirs[1]} positions; count both parts with the same vocabulary and length."
        )
