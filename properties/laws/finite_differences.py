"""The gradient is the slope of the loss (derived here).

D(h) = (loss(p + h d) - loss(p - h d)) / 2h = <gradient, d> + a h^2 + b h^4 + ... along a direction d. Two
Richardson steps R(h) = (4 D(h/2) - D(h)) / 3 and (16 R(h/2) - R(h)) / 15 remove the terms in h^2 and h^4; the
difference of the two R bounds what is left. Rounding of the losses by e moves D(h) by e/h and the result by
(1 + 40 + 256)/45 < 7 e/h.
"""

from __future__ import annotations

import numpy as np

from properties.cases import MODELS, ModelCase
from properties.check import Check, Comparison, NotAdmitted, Outcome
from properties.laws.descent import GROUPS
from properties.rounded_model import given, gradients, loss, stacked
from properties.target import Target, require

STEP = 2.0**-4


def _slope(target: Target, case: ModelCase) -> Outcome:
    if target.dtype != "float64":
        raise NotAdmitted("differences of float32 losses are all rounding")
    got = target.gradients(case.parameters, case.tokens)
    rounded = gradients(given(case.parameters, target.dtype), case.tokens)
    rng = np.random.default_rng(case.tokens.size)
    for group in GROUPS:
        direction = rng.choice([-1.0, 1.0], case.parameters[group].shape)
        direction /= 2 ** int(direction.size).bit_length()
        along = (require(got, group, "gradients") * direction).sum()
        slopes = [_central(target, case, group, direction, STEP / 2**i) for i in range(3)]
        coarse, fine = (4 * slopes[1] - slopes[0]) / 3, (4 * slopes[2] - slopes[1]) / 3
        noise = 7 * _loss_bound(case, group, direction, target.dtype) / STEP
        own = (np.abs(direction) * stacked(rounded, group)[1]).sum()
        expected = (16 * fine - coarse) / 15
        yield Comparison(f"slope along {group}", along, expected, abs(fine - coarse) + noise + own)


def _moved(case: ModelCase, group: str, step: np.ndarray) -> dict[str, np.ndarray]:
    return {**case.parameters, group: case.parameters[group] + step}


def _central(target: Target, case: ModelCase, group: str, direction: np.ndarray, h: float) -> float:
    up, down = (target.loss(_moved(case, group, s * h * direction), case.tokens) for s in (1, -1))
    return float(up - down) / (2 * h)


def _loss_bound(case: ModelCase, group: str, direction: np.ndarray, dtype: str) -> float:
    return max(loss(given(_moved(case, group, s * STEP * direction), dtype), case.tokens)[1] for s in (1, -1))


CHECKS = (
    Check(
        id="gradients.slope",
        statement="The gradient is the slope of the loss, along a random direction of each parameter group.",
        source="derived here",
        cases=MODELS,
        law=_slope,
        needs=("gradients", "loss"),
        cost=8,
    ),
)
