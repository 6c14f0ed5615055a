"""A descent step by step: the norm of weights and how far they turn, beside what their corpus says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from paper_checks.reproduction.curve_lists import LISTS
from paper_checks.reproduction.descent import Parameters
from paper_checks.reproduction.main_run import Laboratory, turned
from paper_checks.reproduction.plan import Plan
from properties.checkpoint_bands import by_layer
from properties.predictions.alignment import deviation

AN_OCTAVE = 4  # points for each doubling of the number of steps


def shown(layers: int) -> list[tuple[str, int, str]]:
    """Return (group, layer, name) of the weights that are followed: of each group the middle layer."""
    middle = layers // 2
    return [("W_O", 0, "W_O"), *((group, middle, f"{group} {middle}") for group in ("V", "W", "P"))]


def drawn_steps(most: int) -> list[int]:
    """Return the steps up to `most` that are drawn: all of the first, then as many for each doubling."""
    last = AN_OCTAVE * most.bit_length()
    return sorted({step for k in range(last + 1) if (step := round(2 ** (k / AN_OCTAVE))) <= most})


class Recorder:
    """Follows the descent at the large rate.

    Of each weight of `shown`, at each of `drawn_steps`: its Frobenius norm, that of its leading term in
    closed form, 1 - cos between the two, the same as predicted from the statistics by the leading term and
    those after it, and whether the terms of that prediction still shrink.
    """

    def __init__(self, lab: Laboratory, plan: Plan) -> None:
        self.lab, self.plan = lab, plan
        self.steps = frozenset(drawn_steps(plan.most_steps))
        self.found: dict[str, dict[str, list[Any]]] = {
            name: {which: [] for which in LISTS} for _, _, name in shown(plan.layers)
        }

    def watch(self, step: int, at: Parameters) -> None:
        """Take down where the descent is after `step` steps, if that is drawn."""
        if step not in self.steps:
            return
        lab, plan = self.lab, self.plan
        for group, layer, name in shown(plan.layers):
            weight = by_layer(group, at[group])[layer].astype(np.float64)
            says = deviation(group, lab.directions[group], plan.large_rate, step, layer, plan.layers)
            row = (
                step,
                float(np.linalg.norm(weight)),
                says.leading_norm,
                turned(weight, lab.leading[group]),
                says.cosine_loss,
                says.shrinking,
            )
            for which, value in zip(LISTS, row, strict=True):
                self.found[name][which].append(value)

    def as_mapping(self, through: Mapping[str, Mapping[str, int | None]]) -> dict[str, Any]:
        """Return the curves, with what `paper_checks.reproduction.orders` found of each weight."""
        return {
            "layers": self.plan.layers,
            "rate": self.plan.large_rate,
            "weights": [
                {"weight": name, **lists, "through": dict(through.get(name, {}))}
                for name, lists in self.found.items()
            ],
        }
