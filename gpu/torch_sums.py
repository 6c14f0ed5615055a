"""Adding a part of a corpus to the sums with torch: on a GPU, and on a CPU without numba."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Float64, UInt32

from gpu import statistics
from gpu.boundary import usable_device
from gpu.device_sums import DeviceSums, OnDevice
from gpu.sums import FirstSums, SecondSums
from reference.errors import InputError

Tokens = UInt32[np.ndarray, "n T_plus_1"]


@dataclass(frozen=True)
class TorchSums:
    """What adds the parts up on a device.

    Attributes:
        device: where.
        prefix_shares: the sums of the first pass [V, V], as `gpu.statistics.prefix_shares`.
        evidence_sums: those of the second, [V, V] and [T], as `gpu.statistics.evidence_sums`.
    """

    device: torch.device
    prefix_shares: Callable[[Any, int], torch.Tensor]
    evidence_sums: Callable[[Any, Any], tuple[torch.Tensor, torch.Tensor]]

    @property
    def kinds(self) -> tuple[OnDevice, OnDevice]:
        """The sums of both passes."""
        return OnDevice(FirstSums, self.device), OnDevice(SecondSums, self.device)

    def add_first(self, tokens: Tokens, sums: DeviceSums) -> None:
        """Add the sequences to the first pass's sums; their tokens must be below V."""
        numbers, V = self._placed(tokens), len(sums.tensors["count"])
        sums.tensors["count"] += statistics.pair_counts(numbers, V)
        sums.tensors["share"] += self.prefix_shares(numbers, V)
        sums.sequences += len(tokens)

    def add_second(self, tokens: Tokens, G_bar: Float64[torch.Tensor, "V V"], sums: DeviceSums) -> None:
        """Add the sequences to the second pass's sums; their tokens must be below V."""
        by_cell, by_distance = self.evidence_sums(self._placed(tokens), G_bar)
        sums.tensors["by_cell"] += by_cell
        sums.tensors["by_distance"][0] += by_distance
        sums.sequences += len(tokens)

    def placed(self, G_bar: Float64[np.ndarray, "V V"]) -> Float64[torch.Tensor, "V V"]:
        """Return G_bar as `add_second` takes it."""
        return torch.tensor(G_bar, device=self.device)

    def _placed(self, tokens: Tokens) -> torch.Tensor:
        return torch.tensor(tokens.astype(np.int64), device=self.device)


def eager(device: str) -> TorchSums:
    """Return sums by the operations of `gpu.statistics`.

    Raises:
        InputError: this machine does not have the device.
    """
    return TorchSums(usable_device(device), statistics.prefix_shares, statistics.evidence_sums)


def fused(device: str) -> TorchSums:
    """Return sums by the kernels of `gpu.fused`.

    Raises:
        InputError: the device is no GPU of this machine, or Triton is not installed.
    """
    place = usable_device(device)
    if place.type == "cpu":
        raise InputError("The fused engine runs on a GPU only, not on cpu; choose torch, or give cuda.")
    try:
        from gpu import fused as kernels
    except ImportError:
        raise InputError("The fused engine needs Triton; run: pip install triton, or choose torch.") from None
    return TorchSums(place, kernels.prefix_shares, kernels.evidence_sums)
