"""The trained parameters, and the orders in eta of what the leading terms leave out (paper Thm. 4.1).

After s steps, in every layer,

    W_O = s eta B_bar + O(eta^2)                     V = C(s,2) eta^2 Phi_bar^T B_bar^T + O(eta^3)
    W   = c_s eta^4 Q_bar + O(eta^5)                 P = c_s eta^4 Delta_bar + O(eta^5)

with c_s = 3 C(s,4) + 2 C(s,3), whose coefficients `theory.step_coefficients` sums. A wrong coefficient, sign,
transpose or layer leaves a remainder of the leading order itself, one too low; so the law is the fitted order
of the remainder, in each layer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from properties.cases import DESCENTS, LATER_STEPS, DescentCase
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.laws.statistics_exact import as_array, exact_by_corpus
from properties.rounded_model import stacked, train
from properties.target import Target, require
from properties.tolerances import EXPONENT_RESOLUTION, Exponent, exponent
from theory.orders import leading_orders
from theory.statistics import leading_directions
from theory.step_coefficients import step_coefficients

GROUPS = ("W_O", "V", "W", "P")
# The first rate tried; each refusal halves it, down to where rounding hides the remainder.
COARSEST, REFINEMENTS = 2.0**-3, 6


def _parameters(target: Target, case: DescentCase) -> Outcome:
    got = target.train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
    expected = train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps, target.dtype)
    for group in GROUPS:
        value, bound = stacked(expected, group)
        yield Comparison(group, require(got, group, "train"), value, bound)


def leading_term(case: DescentCase, group: str, rate: float) -> np.ndarray:
    """Return the leading term of one group after the case's steps at `rate`, for one layer."""
    directions = leading_directions(exact_by_corpus(case.tokens, case.vocab_size))
    shape = (case.tokens.shape[1] - 1,) if group == "P" else (case.vocab_size,) * 2
    coefficient = step_coefficients(case.steps)[group] * rate ** leading_orders(case.layers)[group]
    return coefficient * as_array(directions[group], shape)


@dataclass(frozen=True)
class Sizes:
    """Frobenius norms by layer at one rate: the parameter, what its leading term leaves, its rounding."""

    whole: np.ndarray
    rest: np.ndarray
    noise: np.ndarray


def sizes(target: Target, case: DescentCase, group: str, rate: float) -> Sizes:
    """Train at `rate` and measure one group against its leading term."""
    got = require(target.train(case.tokens, case.vocab_size, case.layers, rate, case.steps), group, "train")
    _, bound = stacked(
        train(case.tokens, case.vocab_size, case.layers, rate, case.steps, target.dtype), group
    )
    if got.shape != bound.shape:
        raise NotAdmitted(
            f"{group} has the shape {got.shape}, not {bound.shape}"
        )  # told by descent.parameters
    by_layer = (1, -1) if group == "W_O" else (len(got), -1)
    arrays = (got, got - leading_term(case, group, rate), bound)
    return Sizes(*(np.linalg.norm(array.reshape(by_layer), axis=1) for array in arrays))


def fitted(target: Target, case: DescentCase, group: str) -> tuple[list[float], list[Sizes], list[Exponent]]:
    """Return the rates at which the remainder shows its order, the sizes there, and the order by layer.

    Raises:
        NotAdmitted: at every rate tried the remainder vanishes, rounds away or is not yet in its regime.
    """
    measure = cache(partial(sizes, target, case, group))  # a refined set of rates shares all but one
    for refinement in range(REFINEMENTS):
        rates = [COARSEST / 2 ** (refinement + i) for i in range(4)]
        measured = [measure(rate) for rate in rates]
        if not all(np.isfinite(size.rest).all() for size in measured):
            continue
        if any((size.rest <= size.noise).any() for size in measured):
            break  # a finer rate would only drown the remainder deeper
        fits = _orders([size.rest for size in measured], [size.noise for size in measured])
        if all(fit.half_width <= EXPONENT_RESOLUTION for fit in fits):
            return rates, measured, fits
    raise NotAdmitted("no rate shows a remainder in its asymptotic regime and above rounding")


def _orders(norms: list[np.ndarray], noise: list[np.ndarray]) -> list[Exponent]:
    norms_by_layer, noise_by_layer = np.array(norms).T, np.array(noise).T
    return [
        exponent(column, float((own / np.where(column > 0, column, np.inf)).max()))
        for column, own in zip(norms_by_layer, noise_by_layer, strict=True)
    ]


def _scaling(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        rates, measured, fits = fitted(target, case, group)
        order = leading_orders(case.layers)[group]
        whole = _orders([size.whole for size in measured], [size.noise for size in measured])
        for layer in range(len(fits)):
            name = group if group == "W_O" else f"{group}, layer {layer},"
            yield _order_of(name, whole[layer], order)
            yield _order_of(f"what the leading term leaves of {name}", fits[layer], order + 1)
        yield Measurement("rates", rates)
        yield Measurement("remainders", {group: [size.rest.max() for size in measured]})
        widest = max(fits, key=lambda fit: fit.half_width)
        low, high = widest.value - widest.half_width, widest.value + widest.half_width
        yield Measurement("exponents", {group: [widest.value, low, high]})

    return law


def _order_of(name: str, fit: Exponent, order: int) -> Comparison:
    """Compare a fitted order with the law's.

    Where a term vanishes the order is a higher one, and never lower; a parameter that does not move has none.
    """
    expected = max(order, round(fit.value)) if math.isfinite(fit.value) else order
    return Comparison(f"order in eta of {name}", fit.value, expected, max(fit.half_width, math.ulp(expected)))


_LEADING = {
    "W_O": ("s eta B_bar", "eta^2"),
    "V": ("C(s,2) eta^2 Phi_bar^T B_bar^T", "eta^3"),
    "W": ("c_s eta^4 Q_bar", "eta^5"),
    "P": ("c_s eta^4 Delta_bar", "eta^5"),
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
    *(
        Check(
            id=f"scaling.{group}",
            statement=f"In every layer {group} is {term}, of that order, with a remainder of order {order}.",
            source="paper, Thm. 4.1",
            cases=LATER_STEPS,
            law=_scaling(group),
            needs=("train",),
            cost=8,
            claims=("orders-in-eta", "layers-share-leading-term"),
        )
        for group, (term, order) in _LEADING.items()
    ),
)
