"""What comes in and goes out as NumPy arrays, and the torch tensors between.

Nothing that comes in is written to, and nothing that goes out shares memory with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from gpu.tokens import whole_numbers
from reference.errors import InputError

DTYPES = {"float64": torch.float64, "float32": torch.float32}
GROUPS = ("W_O", "V", "W", "P")


def float_type(name: str) -> torch.dtype:
    """Return torch.float64 or torch.float32 by name.

    Raises:
        InputError: it is another name.
    """
    if name not in DTYPES:
        raise InputError(f"There is no number type '{name}' here; give float64 or float32.")
    return DTYPES[name]


def usable_device(name: str) -> torch.device:
    """Return the device called `name`: cpu, cuda or cuda:NUMBER.

    Raises:
        InputError: it is none of these, or this machine does not have it.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f"There is no device '{name}'; give cpu, cuda or cuda:NUMBER.") from None
    if device.type not in ("cpu", "cuda"):
        raise InputError(f"The device '{name}' is not supported; give cpu, cuda or cuda:NUMBER.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise InputError(
            f"torch sees no device '{name}' on this machine; give cpu, or install torch for CUDA."
        )
    return device


def token_tensor(tokens: Any, vocab_size: int, device: torch.device) -> Int64[torch.Tensor, "N T_plus_1"]:
    """Return checked tokens on `device`; see `whole_numbers` for the errors."""
    return torch.tensor(whole_numbers(tokens, vocab_size), device=device)


def parameter_tensors(
    parameters: Mapping[str, Any], dtype: torch.dtype, device: torch.device
) -> dict[str, torch.Tensor]:
    """Return copies of W_O [V, V], V [L, V, V], W [L, V, V] and P [L, T] as tensors.

    Raises:
        InputError: a group is missing, or the shapes do not fit together.
    """
    missing = [group for group in GROUPS if group not in parameters]
    if missing:
        raise InputError(f"The parameters lack {', '.join(missing)}; give all of {', '.join(GROUPS)}.")
    tensors = {
        group: torch.tensor(np.asarray(parameters[group]), dtype=dtype, device=device) for group in GROUPS
    }
    _check_shapes({group: tuple(tensor.shape) for group, tensor in tensors.items()})
    return tensors


def real_tensor(array: Any, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return a copy of an array of real numbers, of any shape, as a tensor."""
    return torch.tensor(np.asarray(array), dtype=dtype, device=device)


def to_numpy(tensor: torch.Tensor) -> np.ndarray:
    """Return a tensor's values as a NumPy array of the same shape and type."""
    array: np.ndarray = tensor.detach().cpu().numpy()
    return array


def _check_shapes(shapes: Mapping[str, tuple[int, ...]]) -> None:
    if len(shapes["W_O"]) != 2 or len(shapes["P"]) != 2:
        raise InputError(
            f"W_O has shape {list(shapes['W_O'])} and P {list(shapes['P'])}; give [V, V] and [L, T]."
        )
    V, layers = shapes["W_O"][0], shapes["P"][0]
    for group, expected in {"W_O": (V, V), "V": (layers, V, V), "W": (layers, V, V)}.items():
        if shapes[group] != expected:
            raise InputError(
                f"{group} has shape {list(shapes[group])}; with W_O [{V}, ...] and P [{layers}, ...] "
                f"it must be {list(expected)}."
            )
