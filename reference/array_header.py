"""What the header of an array in NumPy's .npy form says, before room is made for the array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from reference.errors import reason


def read_header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and the type of the array that follows in a binary file, and stand at its beginning.

    Raises:
        ValueError: this is no such header; one line says why.
    """
    try:
        # NumPy tells of headers that Python 2 wrote; they are read all the same.
        with warnings.catch_warnings(action="ignore"):
            version = np.lib.format.read_magic(file)
            first = version == (1, 0)
            read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(file)
    except Exception as error:  # NumPy parses it as Python, and raises whatever comes of that
        raise ValueError(reason(error)) from None
    return tuple(shape), dtype
