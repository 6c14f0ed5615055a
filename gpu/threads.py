"""Small work on one thread: handing it over to others costs more than doing it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

# Multiply-adds in a layer, below which a second thread only waits; a busy machine makes it worse.
WORTH_SHARING = 1 << 26


@contextmanager
def threads_for(tokens: torch.Tensor, width: int) -> Iterator[None]:
    """Compute on one thread while a layer's products on `tokens` [N, T] are small; put the setting back.

    Args:
        tokens: the tokens that go through a layer.
        width: of its matrices: V in the theory's model, d in a pretrained one.
    """
    with threads_worth(tokens.numel() * width * width):
        yield


@contextmanager
def threads_worth(multiply_adds: int, least: int = WORTH_SHARING) -> Iterator[None]:
    """Compute on one thread while there are fewer than `least` multiply-adds; put the setting back."""
    before = torch.get_num_threads()
    if multiply_adds < least:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
