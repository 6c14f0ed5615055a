"""Matrix products in the full precision of their type."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def full_precision() -> Iterator[None]:
    """Switch off TF32 (and bfloat16) shortcuts in float32 matrix products; put the setting back after.

    TF32 keeps 10 bits of each factor, so that a product has the error of a half-precision one.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
