"""An implementation held to the vectors: it answers within the bounds, and refuses what has no answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from properties.target import ImplementationError, Target
from properties.vectors.checking import cases
from properties.vectors.number_text import floats
from properties.vectors.splits import split_fault

_OF_RATIONALS = ("weight", "direction", "attention", "first", "second", "rate", "stream", "share")
_OF_INTEGERS = ("tokens", "sequences")


@dataclass(frozen=True)
class Held:
    """What came of one vector: `fault` is None where it was answered or refused as it must be.

    `ratio` is the worst error over its bound; None where nothing was compared.
    """

    id: str
    fault: str | None = None
    ratio: float | None = None


def hold(target: Target, folder: Path) -> Iterator[Held]:
    """Yield a verdict on each vector of the methods that `target` has.

    Raises:
        InputError: the folder is no folder of vectors.
    """
    for method, case in cases(folder):
        if method in target.methods:
            yield hold_one(target, method, case)


def hold_one(target: Target, method: str, case: dict[str, Any]) -> Held:
    """Return the verdict on one case of a method, which is as the schema says."""
    params = {name: _given(name, value) for name, value in case["params"].items()}
    try:
        if case["outcome"] == "answer" and method == "probe_split":
            fault = split_fault(target, params, case["expected"][method])
            return Held(case["id"], fault, None if fault else 0.0)
        answer = _asked(target, method, params)
    except ImplementationError as error:
        # To answer what is no number is not to refuse: NaN travels as null, or not at all.
        if case["outcome"] == "refuse" and error.refuses:
            return Held(case["id"])
        return Held(case["id"], str(error))
    if case["outcome"] == "refuse":
        return Held(case["id"], f"answered, and must refuse: {case['why']}")
    worst = 0.0
    for name, expected in case["expected"].items():
        if method == "statistics" and name not in answer:
            continue  # a statistic that it does not offer
        if name not in answer:
            return Held(case["id"], f"there is no {name} in the answer")
        ratio = _ratio(answer[name], floats(expected["value"]), floats(expected["bound"][target.dtype]))
        if ratio > 1:
            return Held(case["id"], f"{name} is off by {ratio:.3g} times its bound", ratio)
        worst = max(worst, ratio)
    return Held(case["id"], ratio=worst)


def _ratio(got: np.ndarray, expected: np.ndarray, bound: np.ndarray) -> float:
    if got.shape != expected.shape:
        return float("inf")
    error = np.abs(got - expected)
    ratio = np.divide(error, bound, out=np.where(error == 0, 0.0, np.inf), where=bound > 0)
    return float(np.where(np.isnan(error), np.inf, ratio).max(initial=0.0))


def _asked(target: Target, method: str, params: dict[str, Any]) -> dict[str, np.ndarray]:
    """Ask the implementation itself: what is no array of tokens must reach it as it is."""
    answer = target.ask(method, *params.values())
    return answer if isinstance(answer, dict) else {method: answer}


def _given(name: str, value: Any) -> Any:
    if name in ("parameters", "weights"):
        return {group: floats(array) for group, array in value.items()}
    if name in _OF_RATIONALS:
        return float(floats(value)) if isinstance(value, str) else floats(value)
    if name in _OF_INTEGERS and len({len(row) if isinstance(row, list) else -1 for row in value}) == 1:
        return np.array(value, dtype=np.int64)
    return value
