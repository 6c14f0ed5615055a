"""The curves that `paper_checks.reproduction.curves` writes into a header of runs, read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# What there is for every step that is drawn.
LISTS = ("steps", "norm", "leading", "turned", "predicted", "known")


def curves(header: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return each weight's curves of a header of runs; none if they are not as `Recorder` gives them."""
    found = header.get("curves")
    weights = found.get("weights") if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(weights, list) or not {"layers", "rate"} <= {*found}:
        return []
    return weights if all(map(_is_well_formed, weights)) else []


def _is_well_formed(one: Any) -> bool:
    if not isinstance(one, Mapping) or not isinstance(one.get("weight"), str):
        return False
    lists, through = [one.get(which) for which in LISTS], one.get("through")
    if not all(isinstance(values, list) and len(values) == len(one["steps"]) for values in lists):
        return False
    return isinstance(through, Mapping) and all(
        str(k).isdecimal() and (step is None or isinstance(step, int)) for k, step in through.items()
    )
