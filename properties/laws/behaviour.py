"""What removing a leading term does to the loss, measured where the loss itself has no digits left for it.

The law says by how much the loss rises (`theory.laws.ablation`), at the orders 1, 3 and 7 in eta: at small
rates far below the rounding of a loss. `reference.effects` measures the change itself. Derived here.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
from flint import fmpq_mat

from properties import arbitrary_precision
from properties.cases import MODELS, THIRD_ROUTE, DescentCase, ModelCase
from properties.check import Check, Comparison, NotAdmitted, Outcome
from properties.fitting import Sized, fit
from properties.laws.descent import order_of
from properties.laws.statistics_exact import as_array, exact_by_corpus, to_float
from properties.rounded import NothingKnown
from properties.rounded_effects import loss_change
from properties.rounded_model import given, loss
from properties.target import Target
from reference import effects
from reference.descent import train
from theory.laws import ablation
from theory.orders import GROUPS
from theory.statistics import leading_directions


def _against_subtraction(target: Target, case: ModelCase) -> Outcome:
    """Half of a group, and of all at once, taken away: the change is that of the implementation's loss."""
    parameters = case.parameters
    for groups in (*((group,) for group in GROUPS), GROUPS):
        change = {group: -parameters[group] / 2 for group in groups}
        got = effects.loss_change(parameters, change, case.tokens)
        changed = {**parameters, **{group: parameters[group] / 2 for group in groups}}
        both = [target.loss(p, case.tokens) for p in (changed, parameters)]
        bounds = [loss(given(p, target.dtype), case.tokens)[1] for p in (changed, parameters)]
        bound = sum(bounds) + _own_bound(parameters, change, case.tokens, "float64")
        yield Comparison(
            f"the change of the loss with half of {', '.join(groups)}", both[0] - both[1], got, bound
        )


def _against_many_digits(target: Target, case: DescentCase) -> Outcome:
    """After training, with one layer's leading term removed: the change to 150 digits, rounded once."""
    tokens, V, L, rate = case.tokens, case.vocab_size, case.layers, 2.0**-8
    parameters = train(tokens, V, L, rate, case.steps + 1)
    directions = leading_directions(exact_by_corpus(tokens, V))
    for group in GROUPS:
        change = removal(parameters, group, 0, _direction(directions[group], group, parameters))
        yield Comparison(
            f"the change of the loss without {group}'s leading term",
            effects.loss_change(parameters, change, tokens),
            _many_digits(parameters, change, tokens, V, L),
            _own_bound(parameters, change, tokens, "float64"),
        )


def _direction(exact: fmpq_mat, group: str, parameters: dict[str, np.ndarray]) -> np.ndarray:
    return as_array(exact, parameters[group].shape[-1 if group == "P" else -2 :])


def _own_bound(
    parameters: dict[str, np.ndarray], change: dict[str, np.ndarray], tokens: np.ndarray, dtype: str
) -> float:
    try:
        return loss_change(parameters, change, tokens, dtype)[1]
    except NothingKnown as unknown:
        raise NotAdmitted(str(unknown)) from None


def removal(
    parameters: dict[str, np.ndarray], group: str, layer: int, direction: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the change that removes a weight's projection on a direction, of one shape, in one layer."""
    if group == "W_O":
        return {group: -effects.along(parameters[group], direction)}
    change = np.zeros_like(parameters[group])
    change[layer] = -effects.along(parameters[group][layer], direction)
    return {group: change}


def _many_digits(
    parameters: dict[str, np.ndarray], change: dict[str, np.ndarray], tokens: np.ndarray, V: int, L: int
) -> float:
    with mpmath.workdps(arbitrary_precision.DIGITS):
        before, after = {}, {}
        for key in arbitrary_precision.parameter_keys(V, tokens.shape[1] - 1, L):
            group, layer, i, j = key
            index = (i, j) if group == "W_O" else (layer, i) if group == "P" else (layer, i, j)
            before[key] = mpmath.mpf(float(parameters[group][index]))
            moved = change.get(group)
            after[key] = before[key] + (0 if moved is None else mpmath.mpf(float(moved[index])))
        rows = tokens.tolist()
        both = [arbitrary_precision.loss(rows, V, L, at) for at in (after, before)]
        return float(both[0] - both[1])


def _law(target: Target, case: DescentCase) -> Outcome:
    """The measured change is the law's, with a relative error of the order eta."""
    statistics = exact_by_corpus(case.tokens, case.vocab_size)
    directions = leading_directions(statistics)
    for group in GROUPS:
        rise = to_float(ablation.rise(statistics, group, case.steps))
        if rise > 0:
            fitted = fit(_relative_error(target, case, group, directions[group], rise)).orders[0]
            yield order_of(f"the relative error of {group}'s predicted effect", fitted, 1)


def _relative_error(
    target: Target, case: DescentCase, group: str, direction: fmpq_mat, rise: float
) -> Callable[[float], Sized]:
    def apart(rate: float) -> Sized:
        parameters = target.train(case.tokens, case.vocab_size, case.layers, rate, case.steps)
        change = removal(parameters, group, 0, _direction(direction, group, parameters))
        predicted = rise * rate ** ablation.ORDER[group]
        got = effects.loss_change(parameters, change, case.tokens)
        noise = _own_bound(parameters, change, case.tokens, target.dtype)
        return Sized(np.array([abs(got / predicted - 1)]), np.array([noise / predicted]))

    return apart


CHECKS = (
    Check(
        id="behaviour.change",
        statement="The change of the loss, carried through the model, is the difference of two losses.",
        source="derived here",
        cases=MODELS,
        law=_against_subtraction,
        needs=("loss",),
        cost=4,
    ),
    Check(
        id="behaviour.digits",
        statement="The change of the loss without a leading term is right to the digits that float64 has.",
        source="derived here",
        cases=THIRD_ROUTE,
        law=_against_many_digits,
        cost=4,
        evidence="exact",
    ),
    Check(
        id="behaviour.ablation",
        statement="Removing a trained leading term raises the loss by the law's amount, up to O(eta).",
        source="derived here",
        cases=THIRD_ROUTE,
        law=_law,
        needs=("train",),
        cost=4,
        tells_slips=False,
    ),
)
