"""Adding a part of a corpus to the sums with torch: on a GPU, and on a CPU without numba."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float64, UInt32

from gpu.boundary import to_numpy, usable_device
from gpu.statistics import evidence_sums, pair_counts, prefix_shares
from gpu.sums import FirstSums, SecondSums


def check(device: str) -> None:
    """Refuse a device that this machine does not have.

    Raises:
        InputError: it does not have it.
    """
    usable_device(device)


def add_first(tokens: UInt32[np.ndarray, "n T_plus_1"], sums: FirstSums, device: str) -> None:
    """Add the sequences to the first pass's sums; their tokens must be below V."""
    numbers = _on_device(tokens, device)
    V = len(sums.count)
    sums.count += to_numpy(pair_counts(numbers, V))
    sums.share += to_numpy(prefix_shares(numbers, V))
    sums.sequences += len(tokens)


def add_second(
    tokens: UInt32[np.ndarray, "n T_plus_1"],
    G_bar: Float64[np.ndarray, "V V"],
    sums: SecondSums,
    device: str,
) -> None:
    """Add the sequences to the second pass's sums; their tokens must be below V."""
    numbers = _on_device(tokens, device)
    by_cell, by_distance = evidence_sums(numbers, torch.tensor(G_bar, device=numbers.device))
    sums.by_cell += to_numpy(by_cell)
    sums.by_distance[0] += to_numpy(by_distance)
    sums.sequences += len(tokens)


def _on_device(tokens: UInt32[np.ndarray, "n T_plus_1"], device: str) -> torch.Tensor:
    return torch.tensor(tokens.astype(np.int64), device=usable_device(device))
