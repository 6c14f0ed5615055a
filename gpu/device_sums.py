"""Sums that stay on a device from part to part, and come back as NumPy arrays when they are asked for.

Tables [V, V] take longer to fetch and to add on a CPU than a GPU takes to count a part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import torch

from gpu.boundary import to_numpy
from gpu.progress import Sums
from gpu.sums import FirstSums, SecondSums
from gpu.team import Team


class DeviceSums(Sums):
    """Sums with tensors in place of arrays.

    Attributes:
        like: the sums that they become when they are fetched; what is in its arrays does not count.
        tensors: the arrays of `like` by name, [V, V] and [lanes, T], on the device.
        sequences: how many sequences are in.
    """

    kind: ClassVar[str] = FirstSums.kind

    def __init__(self, sums: FirstSums | SecondSums, device: torch.device):
        self.like = sums
        self._take(sums, device)

    @property
    def device(self) -> torch.device:
        """Where the sums are."""
        return next(iter(self.tensors.values())).device

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, [V, V] and [lanes, T]."""
        return {name: to_numpy(tensor) for name, tensor in self.tensors.items()}

    def fetched(self) -> Any:
        """Return the sums with NumPy arrays."""
        found: dict[str, Any] = self.arrays()
        return replace(self.like, **found, sequences=self.sequences)

    def join(self, team: Team) -> None:
        """Take in the sums of the other processes."""
        sums = self.fetched()
        sums.join(team)
        self._take(sums, self.device)

    def copy_from(self, team: Team, source: int) -> None:
        """Take the sums that the process `source` has."""
        sums = self.fetched()
        sums.copy_from(team, source)
        self._take(sums, self.device)

    def _take(self, sums: FirstSums | SecondSums, device: torch.device) -> None:
        self.tensors = {name: torch.tensor(array, device=device) for name, array in sums.arrays().items()}
        self.sequences = sums.sequences


@dataclass(frozen=True)
class OnDevice:
    """What makes sums that stay on a device; see `gpu.progress.Kind`.

    Attributes:
        of: the class of the sums that they become.
        device: where they stay.
    """

    of: type[FirstSums] | type[SecondSums]
    device: torch.device

    @property
    def kind(self) -> str:
        """The kind's name in files, the same as without a device."""
        return self.of.kind

    def zero(self, vocab_size: int, length: int) -> DeviceSums:
        """Return the sums of no sequence."""
        return DeviceSums(self.of.zero(vocab_size, length), self.device)

    def of_arrays(
        self, arrays: dict[str, np.ndarray], vocab_size: int, length: int, sequences: int
    ) -> DeviceSums:
        """Return the sums whose `arrays` these are, [V, V] and [lanes, T].

        Raises:
            KeyError: one is missing.
            ValueError: one is of another type or shape.
        """
        return DeviceSums(self.of.of_arrays(arrays, vocab_size, length, sequences), self.device)
