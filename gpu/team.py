"""The processes that work on one run: how many, which one this is, and what they send each other.

A team of one is all that a run in one process needs; it sends nothing and needs no torch.
`gpu.processes` makes one of several.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


class Team:
    """One process by itself.

    Attributes:
        rank: the number of this process, from 0 on.
        size: how many there are.
    """

    rank = 0
    size = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes files and tells of progress."""
        return self.rank == 0

    def send(self, tensor: Any, source: int) -> None:
        """Overwrite a tensor with that of the process `source`, in every process."""

    def shared(self, array: np.ndarray, source: int) -> np.ndarray:
        """Return the array of the process `source`; all must have the same shape and type."""
        return array

    def total(self, array: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays, of one shape, of all processes, in the order of their ranks."""
        return array

    def agree(self, what: str, value: str) -> None:
        """Refuse to go on where processes differ.

        Raises:
            InputError: they have not all the same value.
        """


@contextmanager
def joined_team(device: str) -> Iterator[Team]:
    """Join the processes that `torchrun` started; without it, be a team of one.

    Raises:
        InputError: the processes do not find each other.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1":
        yield Team()
        return
    from gpu.processes import processes

    with processes(device) as team:
        yield team


def local_device(device: str) -> str:
    """Return the device of this process: of several on a machine each gets a GPU of its own."""
    number = os.environ.get("LOCAL_RANK")
    return f"cuda:{number}" if device == "cuda" and number is not None else device
