"""How many processors there are to compute with."""

from __future__ import annotations

import os


def usable_processors() -> int:
    """Return how many processors this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
