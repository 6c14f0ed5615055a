"""A measured number beside its prediction."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One quantity of one run.

    Attributes:
        part: which of the runs.
        quantity: what it is.
        weight: W_O, V 0, ...; "" for the whole model.
        leading: what the leading terms alone predict; None where they say nothing.
        predicted: what they predict with the terms beyond.
        float64: measured.
        float32: measured in float32; None where it was not run.
    """

    part: str
    quantity: str
    weight: str
    leading: float | None
    predicted: float
    float64: float
    float32: float | None = None

    @property
    def apart(self) -> float:
        """The relative difference of the measured and the predicted number; nan where one says nothing."""
        if not self.predicted or not (math.isfinite(self.predicted) and math.isfinite(self.float64)):
            return math.nan
        return self.float64 / self.predicted - 1
