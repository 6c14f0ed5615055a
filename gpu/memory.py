"""Whether a model fits into the memory there is, before any of it is asked for."""

from __future__ import annotations

import torch

from gpu.boundary import float_type
from gpu.training_settings import Settings
from reference.errors import InputError
from reference.memory import physical_memory

# The weights, their gradients, and the sum of those of a step's batches.
COPIES = 3


def check_memory(settings: Settings, device: torch.device) -> None:
    """Refuse a model whose weights, with what a step adds to them, are more than the memory.

    Raises:
        InputError: they are.
    """
    entries = (1 + 2 * settings.layers) * settings.vocab_size**2
    needed = COPIES * entries * torch.finfo(float_type(settings.dtype)).bits // 8
    there = memory(device)
    if there is not None and needed > there:
        raise InputError(
            f"{settings.layers} layers of {settings.vocab_size:,} words need {needed / 2**30:,.0f} GiB, and "
            f"there are {there / 2**30:,.0f}; give a smaller --vocab or fewer --layers."
        )


def memory(device: torch.device) -> int | None:
    """Return the bytes of memory of a device; None where that cannot be asked for."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    return physical_memory()
