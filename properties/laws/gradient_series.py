"""The gradient along the descent against the exact power series (derived here).

Descent is theta_(s+1) = theta_s - eta g(theta_s), so as series g(theta_s) = (theta_s - theta_(s+1)) / eta.
Cut both after eta^K: the gradient at the cut theta_s is off by O(eta^(K+1)), the cut quotient by O(eta^K). So
what the two differ by has the order K, in every group and layer; a slip in a term of the gradient that is of
a lower order shows as that order. The parameters are rounded once, which the bound of the gradient carries.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from flint import fmpq_mat

from properties.cases import SMALL_DESCENTS, DescentCase
from properties.check import Check, NotAdmitted, Outcome
from properties.fitting import Sized, fit
from properties.laws.descent import GROUPS, order_of
from properties.laws.statistics_exact import as_array, to_exact
from properties.memo import by_corpus
from properties.rounded import Rounded
from properties.rounded_model import gradients, stacked
from properties.target import Target, require
from properties.tolerances import unit_roundoff
from theory.series import summed, trajectory

ORDER_KEPT, LAYERS, MOST_STEPS = 6, 2, 5

Layers = list[list[fmpq_mat]]
history_by_corpus = by_corpus(
    lambda tokens, vocab_size: trajectory(tokens.tolist(), vocab_size, LAYERS, MOST_STEPS + 1, ORDER_KEPT)
)


def _at(layers: Layers, rate: float, shape: tuple[int, ...]) -> np.ndarray:
    """Return the series of each layer summed at `rate`: [layer, ...], each entry rounded once."""
    exact = to_exact(rate)
    return np.array([as_array(summed(layer, exact), shape) for layer in layers])


def _rounded_once(values: np.ndarray, dtype: str) -> list[Rounded]:
    return [Rounded(v, np.abs(v), unit_roundoff(dtype) * np.abs(v), dtype) for v in values]


def _along_the_descent(target: Target, case: DescentCase) -> Outcome:
    V, T, steps = case.vocab_size, case.tokens.shape[1] - 1, case.steps
    shapes = {"W_O": (V, V), "V": (V, V), "W": (V, V), "P": (T,)}
    before, after = history_by_corpus(case.tokens, V)[steps : steps + 2]
    slopes = {
        group: [
            [a - b for a, b in zip(*pair, strict=True)]
            for pair in zip(before.group(group), after.group(group), strict=True)
        ]
        for group in GROUPS
    }

    @cache
    def answered(rate: float) -> dict[str, Sized]:
        at = {group: _at(before.group(group), rate, shape) for group, shape in shapes.items()}
        got = target.gradients({**at, "W_O": at["W_O"][0]}, case.tokens)
        right = gradients({g: _rounded_once(v, target.dtype) for g, v in at.items()}, case.tokens)
        return {group: _apart(group, got, right, rate) for group in GROUPS}

    def _apart(group: str, got: dict[str, np.ndarray], right: dict[str, list[Rounded]], rate: float) -> Sized:
        slope = _at(slopes[group], rate, shapes[group]) / rate
        left = np.abs(require(got, group, "gradients").reshape(slope.shape) - slope)
        bound = stacked(right, group)[1].reshape(slope.shape) + unit_roundoff("float64") * np.abs(slope)
        return Sized(*(np.linalg.norm(part.reshape(len(part), -1), axis=1) for part in (left, bound)))

    shown = 0
    for group in GROUPS:
        try:
            found = fit(lambda rate, group=group: answered(rate)[group])  # type: ignore[misc]
        except NotAdmitted:
            continue  # this group's remainder vanishes or rounds away; the others still speak
        shown += 1
        for layer, fitted in enumerate(found.orders):
            what = f"what the series leaves of the gradient of {group}, layer {layer},"
            yield order_of(what, fitted, ORDER_KEPT)
    if not shown:
        raise NotAdmitted("no group's remainder shows above rounding")


CHECKS = (
    Check(
        id="gradients.series",
        statement="Along the descent the gradient is the exact series of (theta_s - theta_(s+1)) / eta.",
        source="derived here",
        cases=SMALL_DESCENTS,
        law=_along_the_descent,
        needs=("gradients",),
        cost=16,
    ),
)
