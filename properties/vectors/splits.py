"""Whether rows are split for a probe as a vector asks: by sequence, in number, and the same way again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from properties.target import Target


def split_fault(target: Target, params: Mapping[str, Any], expected: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the splits that `target` makes, or None.

    Raises:
        ImplementationError: it does not answer, or no numbers.
    """
    sequences, share, seed = np.array(params["sequences"]), params["share"], params["seed"]

    def sides(rows: np.ndarray, of_seed: int) -> list[float]:
        return target.probe_split(rows, share, of_seed).tolist()

    found = sides(sequences, seed)
    fault = _fault_of_one(found, expected)
    if fault is not None:
        return fault
    if sides(sequences, seed) != found:
        return "the same call made another split"
    if sides(sequences[::-1].copy(), seed)[::-1] != found:
        return "with the rows in reverse order another split was made"
    seeds = expected.get("seeds", ())
    if seeds and all(sides(sequences, other) == found for other in seeds):
        return f"the seeds {seeds[0]} to {seeds[-1]} all made the same split"
    return None


def _fault_of_one(sides: list[float], expected: Mapping[str, Any]) -> str | None:
    for row, side in enumerate(sides):
        if side not in (0, 1):
            return f"row {row} is on the side {side:g}, and must be on 0 or 1"
    for rows in expected["together"]:
        apart = [row for row in rows if sides[row] != sides[rows[0]]]
        if apart:
            return f"rows {rows[0]} and {apart[0]} are of one sequence and on two sides"
    tested = sum(sides[rows[0]] == 1 for rows in expected["together"])
    if not expected["least"] <= tested <= expected["most"]:
        return f"{tested} sequences are on side 1, and must be {expected['least']} to {expected['most']}"
    return None
