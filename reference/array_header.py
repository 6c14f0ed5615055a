"""What the header of an array in NumPy's .npy form says, before room is made for the array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from reference.errors import reason

# NumPy refuses to parse a longer header, but only after it has made room for as many bytes as it says.
LONGEST_HEADER = 10_000


class _Beginning:
    """A binary file of which no more is read at once than a header has."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def read(self, size: int = -1, /) -> bytes:
        """Return up to `size` bytes; ValueError if these are more than a header has."""
        if not 0 <= size <= LONGEST_HEADER:
            raise ValueError(f"its header is to be {size:,} bytes long")
        return bytes(self.file.read(size))


def read_header(file: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and the type of the array that follows in a binary file, and stand at its beginning.

    Raises:
        ValueError: this is no such header; one line says why.
    """
    beginning = _Beginning(file)
    try:
        # NumPy tells of headers that Python 2 wrote; they are read all the same.
        with warnings.catch_warnings(action="ignore"):
            version = np.lib.format.read_magic(beginning)
            first = version == (1, 0)
            read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
            shape, _, dtype = read(beginning)
    except Exception as error:  # NumPy parses it as Python, and raises whatever comes of that
        raise ValueError(reason(error)) from None
    return tuple(shape), dtype
