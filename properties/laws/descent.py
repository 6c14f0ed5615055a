"""The trained parameters, and the orders in eta of what the leading terms leave out (paper Thm. 4.1).

After s steps, in every layer,

    W_O = s eta B_bar + O(eta^2)                     V = C(s,2) eta^2 Phi_bar^T B_bar^T + O(eta^3)
    W   = c_s eta^4 Q_bar + O(eta^5)                 P = c_s eta^4 Delta_bar + O(eta^5)

with c_s = 3 C(s,4) + 2 C(s,3), whose coefficients `theory.step_coefficients` sums. A wrong coefficient, sign,
transpose or layer leaves a remainder of the leading order itself, one too low; so the law is the fitted order
of the remainder, in each layer. Against the leading term that is a relative error of order 1: it halves when
eta does, which is held from both sides.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from properties.cases import DESCENTS, LATER_STEPS, DescentCase
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.fitting import Sized, fit, orders_of
from properties.laws.given import given_check
from properties.laws.statistics_exact import as_array, exact_by_corpus
from properties.rounded_model import stacked, train
from properties.target import Target, require
from properties.tolerances import EXPONENT_RESOLUTION, Exponent
from theory.next_order import next_order
from theory.orders import leading_orders
from theory.statistics import leading_directions
from theory.step_coefficients import step_coefficients

GROUPS = ("W_O", "V", "W", "P")


def _arguments(case: DescentCase) -> dict[str, Any]:
    return {
        "the tokens": case.tokens.copy(),
        "the number of words": case.vocab_size,
        "the layers": case.layers,
        "the rate": case.rate,
        "the steps": case.steps,
    }


def _parameters(target: Target, case: DescentCase) -> Outcome:
    got = target.train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
    expected = train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps, target.dtype)
    for group in GROUPS:
        value, bound = stacked(expected, group)
        yield Comparison(group, require(got, group, "train"), value, bound)


def leading_term(case: DescentCase, group: str, rate: float) -> np.ndarray:
    """Return one group's leading term after the case's steps at `rate`, for one layer: [V, V] or [T]."""
    directions = leading_directions(exact_by_corpus(case.tokens, case.vocab_size))
    shape = (case.tokens.shape[1] - 1,) if group == "P" else (case.vocab_size,) * 2
    coefficient = step_coefficients(case.steps)[group] * rate ** leading_orders(case.layers)[group]
    return coefficient * as_array(directions[group], shape)


def trained(target: Target, case: DescentCase, group: str, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return one group trained at `rate`, flattened to [layer, entry], and its rounding bound alike.

    Raises:
        NotAdmitted: the shape is wrong; descent.parameters tells that.
    """
    got = require(target.train(case.tokens, case.vocab_size, case.layers, rate, case.steps), group, "train")
    _, bound = stacked(
        train(case.tokens, case.vocab_size, case.layers, rate, case.steps, target.dtype), group
    )
    if got.shape != bound.shape:
        raise NotAdmitted(f"{group} has the shape {got.shape}, not {bound.shape}")
    by_layer = (1, -1) if group == "W_O" else (len(got), -1)
    return got.reshape(by_layer), bound.reshape(by_layer)


def _scaling(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        train_at = cache(lambda rate: trained(target, case, group, rate))

        def rest(rate: float) -> Sized:
            got, bound = train_at(rate)
            left = got - leading_term(case, group, rate).ravel()
            return Sized(np.linalg.norm(left, axis=1), np.linalg.norm(bound, axis=1))

        def whole(rate: float) -> Sized:
            return Sized(*(np.linalg.norm(array, axis=1) for array in train_at(rate)))

        found = fit(rest)
        order = leading_orders(case.layers)[group]
        sizes = orders_of([whole(rate) for rate in found.rates])
        for layer, (size, left) in enumerate(zip(sizes, found.orders, strict=True)):
            name = group if group == "W_O" else f"{group}, layer {layer},"
            yield order_of(name, size, order)
            yield order_of(f"what the leading term leaves of {name}", left, order + 1)
        yield Measurement("rates", found.rates)
        yield Measurement("remainders", {group: [float(size.max()) for size in found.sizes]})
        widest = max(found.orders, key=lambda fitted: fitted.half_width)
        low, high = widest.value - widest.half_width, widest.value + widest.half_width
        yield Measurement("exponents", {group: [widest.value, low, high]})

    return law


class OwnDescent:
    """The suite's own descent, as if it were an implementation."""

    def train(
        self, tokens: np.ndarray, V: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        """Return the parameters, [V, V], [L, V, V] and [L, T], that rounding bounds are carried around."""
        found = train(tokens, V, layers, rate, steps, "float64")
        return {group: stacked(found, group)[0] for group in GROUPS}


def _halving(target: Target, case: DescentCase) -> Outcome:
    """The relative error is of order 1 from both sides, so halving the rate halves it up to a share of it.

    A next term that is small beside the one after it shows only at rates where rounding hides it. So the
    suite's own descent chooses the rates at which the order is 1, and weights that have none are left out.
    """
    halves, refusals = {}, []
    for group in GROUPS:
        try:
            measured = _where_it_halves(target, case, group)
        except NotAdmitted as reason:
            refusals.append(str(reason))
            continue
        for layer, fitted in enumerate(orders_of(measured)):
            name = f"order in eta of the relative error of {group}, layer {layer}"
            yield Comparison(name, fitted.value, 1, max(fitted.half_width, math.ulp(1)))
        halves[group] = [
            float((fine.size / coarse.size).max()) for coarse, fine in pairwise(measured) if coarse.size.all()
        ]
    if not halves:
        raise NotAdmitted("; ".join(refusals))
    yield Measurement("relative error at half the rate, over that at the rate", halves)


def _where_it_halves(target: Target, case: DescentCase, group: str) -> list[Sized]:
    """Return the relative errors of a group at rates where the suite's own are of order 1.

    Raises:
        NotAdmitted: there are no such rates, or rounding hides the errors.
    """
    if not next_order(case.tokens.tolist(), case.vocab_size, case.steps)[group]:
        raise NotAdmitted(f"{group} has no next term here")
    own = fit(lambda rate: _relative(Target(OwnDescent()), case, group, rate))
    if any(abs(fitted.value - 1) > fitted.half_width for fitted in own.orders):
        raise NotAdmitted(f"the next term of {group} is too small to show")
    measured = [_relative(target, case, group, rate) for rate in own.rates]
    if any(fitted.half_width > EXPONENT_RESOLUTION for fitted in orders_of(measured)):
        raise NotAdmitted(f"rounding hides the relative error of {group}")
    return measured


def _relative(target: Target, case: DescentCase, group: str, rate: float) -> Sized:
    """Return |weight - leading term| / |leading term| by layer, and its rounding."""
    got, bound = trained(target, case, group, rate)
    leading = leading_term(case, group, rate).ravel()
    size = np.linalg.norm(leading)
    if not size:
        raise NotAdmitted(f"{group} has no leading term here")
    return Sized(np.linalg.norm(got - leading, axis=1) / size, np.linalg.norm(bound, axis=1) / size)


def order_of(name: str, fitted: Exponent, order: int) -> Comparison:
    """Compare a fitted order with the law's, which it must not be below.

    Where a term vanishes the order is a higher one, and where it is small beside the next the fit lies
    between the two; a parameter that does not move has none. A slip leaves a remainder one order too low.
    """
    expected = max(order, fitted.value) if math.isfinite(fitted.value) else order
    bound = max(fitted.half_width, math.ulp(expected))
    return Comparison(f"order in eta of {name}", fitted.value, expected, bound)


_LEADING = {
    "W_O": ("", "s eta B_bar", "eta^2"),
    "V": ("In every layer ", "C(s,2) eta^2 Phi_bar^T B_bar^T", "eta^3"),
    "W": ("In every layer ", "c_s eta^4 Q_bar", "eta^5"),
    "P": ("In every layer ", "c_s eta^4 Delta_bar", "eta^5"),
}

CHECKS = (
    Check(
        id="descent.parameters",
        statement="Full-batch descent from zero gives the parameters of Lemma D.8's gradients, step by step.",
        source="paper, Def. 3.1 and Lemma D.8",
        cases=DESCENTS,
        law=_parameters,
        needs=("train",),
        cost=4,
    ),
    given_check(
        "descent.given",
        "train",
        "A descent leaves the tokens as they were given.",
        DESCENTS,
        _arguments,
        cost=4,
    ),
    *(
        Check(
            id=f"scaling.{group}",
            statement=f"{place}{group} is {term} and a remainder of order {order} or higher.",
            source="paper, Thm. 4.1",
            cases=LATER_STEPS,
            law=_scaling(group),
            needs=("train",),
            cost=16,
        )
        for group, (place, term, order) in _LEADING.items()
    ),
    Check(
        id="scaling.halves",
        statement="Where a weight has a next term, its relative error against the leading one halves "
        "when the rate does.",
        source="derived here; theory.laws.alignment_series",
        cases=LATER_STEPS,
        law=_halving,
        needs=("train",),
        cost=16,
    ),
)
