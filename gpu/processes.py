"""Several processes on torch.distributed, as `torchrun` starts them: gloo on CPU, NCCL on GPU.

Every sum over processes is added in the order of their ranks, so that it does not depend on which of them
is fast.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import FrameType
from typing import NoReturn

import numpy as np
import torch
from torch import distributed

from gpu.boundary import usable_device
from gpu.team import Team
from reference.errors import InputError

# A process that does not answer for so long has failed. Loading a corpus or counting it takes less.
PATIENCE = timedelta(minutes=30)
LOST = (
    "another process of this run has ended; what was saved stays, and the same command goes on from there "
    "(gpu.train: with --resume)."
)


@contextmanager
def processes(device: str) -> Iterator[Team]:
    """Join the other processes, which compute on `device` each.

    Raises:
        InputError: this machine does not have the device, or the processes do not find each other.
        InputError: SIGTERM came, which torchrun sends when one of them has ended.
    """
    before = signal.getsignal(signal.SIGTERM)
    try:
        if device.startswith("cuda"):
            torch.cuda.set_device(usable_device(device))
        _join("cpu:gloo,cuda:nccl" if device.startswith("cuda") else "gloo")
        # Not before: while a process waits for the others to come, the handler would not get its turn.
        signal.signal(signal.SIGTERM, _terminated)
        yield Processes(distributed.get_rank(), distributed.get_world_size())
    finally:
        signal.signal(signal.SIGTERM, before)
        if distributed.is_initialized():
            distributed.destroy_process_group()


class Processes(Team):
    """One of several processes, on torch.distributed."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank = rank
        self.size = size

    def send(self, tensor: torch.Tensor, source: int) -> None:
        """Overwrite a tensor of any shape with that of the process `source`, in every process.

        Raises:
            InputError: another process has ended.
        """
        try:
            distributed.broadcast(tensor, source)
        except RuntimeError:
            raise InputError(f"Process {self.rank} of {self.size} stops: {LOST}") from None

    def shared(self, array: np.ndarray, source: int) -> np.ndarray:
        """Return the array of the process `source`; all must have the same shape and type."""
        tensor = torch.tensor(array)
        self.send(tensor, source)
        return tensor.numpy()

    def total(self, array: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays, of one shape, of all processes, in the order of their ranks."""
        found = self.shared(array, 0)
        for source in range(1, self.size):
            found = np.asarray(found + self.shared(array, source))
        return found

    def agree(self, what: str, value: str) -> None:
        """Refuse to go on where processes differ.

        Raises:
            InputError: they have not all the same value.
        """
        ours = np.frombuffer(hashlib.sha256(value.encode()).digest(), dtype=np.int64)
        theirs = [self.shared(ours, source) for source in range(self.size)]
        # Each process sees all of them, so that all of them stop.
        for rank, digest in enumerate(theirs):
            if (digest != theirs[0]).any():
                raise InputError(f"Process {rank} has another {what} than process 0; give all the same.")


def _join(backend: str) -> None:
    try:
        distributed.init_process_group(backend, timeout=PATIENCE)
    except (RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"The processes do not find each other ({reason}); start them with torchrun."
        ) from None


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    raise InputError(f"Process {os.environ.get('RANK', '?')} stops: {LOST}")
