"""Whether matrices over the vocabulary fit into the memory there is, before any of them is asked for."""

from __future__ import annotations

import math
import os

from reference.errors import InputError


def physical_memory() -> int | None:
    """Return the bytes of memory of this machine; None where that cannot be asked for."""
    if hasattr(os, "sysconf") and {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def check_matrices(vocab_size: int, count: int) -> None:
    """Fail if `count` float64 matrices [V, V] are more than the memory.

    Raises:
        InputError: they are; it says which V would fit.
    """
    there, each = physical_memory(), 8 * vocab_size**2
    if there is not None and count * each > there:
        most = math.isqrt(there // 8 // count)
        raise InputError(
            f"{vocab_size:,} words make matrices of {each / 2**30:.1f} GiB, and this holds up to {count}, "
            f"more than the {there / 2**30:,.0f} GiB there are; give --vocab {most} or less."
        )
