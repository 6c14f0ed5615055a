"""The devices that torch can compute on here."""

from __future__ import annotations


def devices() -> list[str]:
    """Return the names and memory of the CUDA devices, in their order; none without one.

    Raises:
        ImportError, OSError: torch is not installed, or one of its libraries is missing.
    """
    import torch

    found = []
    for number in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        facts = torch.cuda.get_device_properties(number)
        found.append(f"cuda:{number}: {facts.name}, {facts.total_memory / 2**30:.0f} GiB")
    return found
