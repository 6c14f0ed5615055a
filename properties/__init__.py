"""Each law of the theory stated once as a check, and what runs the checks against any implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from properties.runner import check_implementation

__all__ = ["check_implementation"]


def __getattr__(name: str) -> Any:
    # Hypothesis is only imported by those who run checks; the command line's start-up stays short.
    if name == "check_implementation":
        from properties.runner import check_implementation

        return check_implementation
    raise AttributeError(f"module 'properties' has no attribute {name!r}")
