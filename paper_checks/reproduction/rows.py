"""A measured number beside its prediction."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

# A quantity that is a step: its level follows.
LAST_STEP = "last step with a cosine of "


# A number off by more than so many times what was predicted is told by the factor between the two.
TOLD_AS_SHARES = 10.0


def told_off(apart: float) -> str:
    """Return by how much a number is off, measured over predicted less 1, for a table."""
    return f"{apart:+.1%}" if abs(apart) < TOLD_AS_SHARES else f"{apart + 1:.3g} times"


@dataclass(frozen=True)
class Row:
    """One quantity of one run.

    Attributes:
        part: which of the runs.
        quantity: what it is.
        weight: W_O, V 0, ..., or A 0 for the attention of a layer; "" for the whole model.
        leading: what the leading terms alone predict; None where they say nothing.
        predicted: what they predict with the terms beyond.
        float64: measured.
        float32: measured in float32; None where it was not run.
        low: where what is measured is a draw, the lower end of the 95% interval for one; else None.
        high: the upper one.
        reliable: whether the terms of the prediction's series shrink where it is made.
    """

    part: str
    quantity: str
    weight: str
    leading: float | None
    predicted: float
    float64: float
    float32: float | None = None
    low: float | None = None
    high: float | None = None
    reliable: bool = field(default=True, kw_only=True)

    @property
    def inside(self) -> bool | None:
        """Whether a draw is in its interval; None where nothing is drawn, or no interval follows."""
        if self.low is None or self.high is None or not math.isfinite(self.high - self.low):
            return None
        return self.low <= self.float64 <= self.high

    @property
    def apart(self) -> float:
        """The relative difference of the measured and the predicted number; nan where one says nothing.

        A draw is not to come out as the number that is expected, and has none.
        """
        if self.low is not None:
            return math.nan
        if not self.predicted or not (math.isfinite(self.predicted) and math.isfinite(self.float64)):
            return math.nan
        return self.float64 / self.predicted - 1


class Horizon(NamedTuple):
    """When a weight leaves its leading term: for each level the last step with a cosine of it.

    None is a step that does not come: in the prediction never, in the run not before its end. `known` are the
    levels at whose predicted step the series still says something.
    """

    weight: str
    levels: dict[str, tuple[int | None, int | None]]  # predicted, measured
    known: set[str]


def horizons(rows: Iterable[Mapping[str, Any]]) -> list[Horizon]:
    """Return the rows that tell last steps as one line a weight, in their order; of other rows nothing."""
    found: dict[str, Horizon] = {}
    for row in rows:
        if row["quantity"].startswith(LAST_STEP):
            one = found.setdefault(row["weight"], Horizon(row["weight"], {}, set()))
            level = row["quantity"].removeprefix(LAST_STEP)
            one.levels[level] = (_step(row["predicted"]), _step(row["float64"]))
            if row["reliable"]:
                one.known.add(level)
    return list(found.values())


def _step(value: float | None) -> int | None:
    return None if value is None or not math.isfinite(value) else int(value)


def over(part: float, whole: float) -> float:
    """Return part / whole; nan where there is no whole, as of a weight that nothing moves."""
    return part / whole if whole else math.nan
