"""Whether matrices over the vocabulary fit into the memory there is, before any of them is asked for."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from reference.errors import InputError

# Where Linux says to which control groups a process belongs, and what these may use.
MEMBERSHIP, GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def physical_memory() -> int | None:
    """Return the bytes of memory that this process may use; None where that cannot be asked for.

    They are the machine's, or those of a control group, such as a container's, where these are fewer.
    """
    if hasattr(os, "sysconf") and {"SC_PAGE_SIZE", "SC_PHYS_PAGES"} <= os.sysconf_names.keys():
        return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_limits()])
    return None


def _limits() -> Iterator[int]:
    """Yield what each control group above this process may use, of those that have a limit."""
    for line in (_read(MEMBERSHIP) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        if "memory" in controllers.split(","):
            root, name = GROUPS / "memory", "memory.limit_in_bytes"  # version 1
        elif not controllers:
            root, name = GROUPS, "memory.max"  # version 2
        else:
            continue
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            limit = (_read(folder / name) or "").strip()
            if limit.isdecimal():
                yield int(limit)
            if folder == root:
                break


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
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
