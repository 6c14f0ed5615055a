"""A finding about a claim as a line of an experiments file, and whether a model is the claim's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from gpu.pretrained.token_model import Sizes
from paper_checks.ledger.claim import Claim


@dataclass(frozen=True)
class Experiment:
    """What a model says of a claim: `name` is the claim's id; `leadterms claims` reads the rest."""

    name: str
    holds: bool
    computed: str
    why: str

    def as_line(self) -> dict[str, Any]:
        """Return the JSON object of the line."""
        return {"name": self.name, "holds": self.holds, "computed": self.computed, "why": self.why}


class NotDecided(Exception):
    """A model or its checkpoints do not decide a claim; the message says why, after a colon."""


def require_model(claim: Claim, sizes: Sizes) -> None:
    """Check that a model is the one that a claim is about, by what the claim gives of it.

    Raises:
        NotDecided: it has another type or other sizes.
    """
    found = {
        "kind": sizes.kind,
        "layers": str(sizes.layers),
        "heads": str(sizes.heads),
        "d_model": str(sizes.width),
    }
    for name, value in found.items():
        if name in claim.given and claim.given[name] != value:
            raise NotDecided(f"about a model with {name} {claim.given[name]}, and this one has {value}.")


def middle(values: Sequence[float | None]) -> float | None:
    """Return the median of those that are numbers, None if none is."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def shown(value: float | None) -> str:
    """Return a cosine or a score as it is printed."""
    return "none" if value is None else f"{value:.3f}"


def named(values: Mapping[str, float | None]) -> str:
    """Return several values with their names."""
    return ", ".join(f"{name} {shown(value)}" for name, value in values.items())
