"""The theorem's error bounds on runs of an implementation, within their conditions and at their edge.

Lemmas D.5 and D.6 and Theorems D.7, D.10 and D.13 bound |parameter - leading term| in Frobenius norm. Each
check holds runs to its bound, at V = 500 and T = 60 where the statement asks for that, and reports the ratios
actual / bound and bound / leading term. From a ratio bound / leading of 1 on, the zero matrix satisfies the
bound: `properties.laws.bound_facts` proves that this is so for W and P wherever eta >= 1/T. So these bounds
hold and say nothing of alignment; the families scaling and next_order do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from flint import fmpq

from properties.cases import Cases, EdgeCase, edges
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.memo import by_corpus
from properties.target import Target, require
from properties.tolerances import gaussian_cosine, rounding
from reference.statistics import statistics
from theory.bounds import THEOREMS, Setting, start_over_leading_squared
from theory.orders import GROUPS, leading_orders
from theory.step_coefficients import step_coefficients

statistics_by_corpus = by_corpus(statistics)


def leading_terms(case: EdgeCase) -> dict[str, np.ndarray]:
    """Return the leading terms in float64: their rounding is far below any of these bounds."""
    found = statistics_by_corpus(case.tokens, case.vocab_size)
    directions = {
        "W_O": found["B_bar"],
        "V": found["Phi_bar"].T @ found["B_bar"].T,
        "W": found["Q_bar"],
        "P": found["Delta_bar"],
    }
    amounts, orders = step_coefficients(case.steps), leading_orders(case.layers)
    return {g: amounts[g] * case.rate ** orders[g] * direction for g, direction in directions.items()}


def setting(case: EdgeCase) -> Setting:
    """Return the case as the theorems see it."""
    rate = fmpq(*case.rate.as_integer_ratio())
    return Setting(case.vocab_size, case.tokens.shape[1] - 1, case.layers, rate, case.steps)


def _norms(array: np.ndarray, group: str) -> list[float]:
    layers = [array] if group == "W_O" else list(array)
    return [float(np.linalg.norm(layer)) for layer in layers]


def _held(theorem: str, case: EdgeCase, parameters: dict[str, np.ndarray], dtype: str) -> Outcome:
    """Compare |parameter - leading term| with the bound in every layer; report the ratios."""
    at, leading = setting(case), leading_terms(case)
    failed = THEOREMS[theorem].failed(at)
    if failed:
        raise NotAdmitted(f"{theorem} does not speak of this case: {', '.join(failed)}")
    ratios: dict[str, list[float]] = {"actual over bound": [], "bound over leading term": []}
    for group, squared in THEOREMS[theorem].bounds_squared(at).items():
        bound = math.sqrt(int(squared.p) / int(squared.q))
        size = float(np.linalg.norm(leading[group]))
        slack = rounding(bound + size, parameters[group].size, dtype)
        for actual in _norms(require(parameters, group, "train") - leading[group], group):
            yield Comparison(f"|{group} - leading term|", actual, 0.0, bound + slack if bound else 0.0)
            if bound:
                ratios["actual over bound"].append(actual / bound)
        if size:
            ratios["bound over leading term"].append(bound / size)
    for name, values in ratios.items():
        yield Measurement(name, [min(values, default=None), max(values, default=None)])


def _zero_start(theorem: str) -> Law:
    def law(target: Target, case: EdgeCase) -> Outcome:
        trained = target.train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
        yield from _held(theorem, case, trained, target.dtype)

    return law


def _gaussian(target: Target, case: EdgeCase) -> Outcome:
    """D.13 at the largest start that it allows, v = eta^2 / T^2: the bounds hold, and W is still noise."""
    if target.dtype != "float64":
        raise NotAdmitted("the start is below float32's rounding of what grows beside it")
    at, v = setting(case), case.rate**2 / (case.tokens.shape[1] - 1) ** 2
    parameters = _from_gaussian(target, case, v)
    yield from _held("Theorem D.13", case, parameters, target.dtype)
    leading = leading_terms(case)
    size = float(np.linalg.norm(leading["W"]))
    direction = size / (step_coefficients(case.steps)["W"] * case.rate**4)
    squared = fmpq(*(direction**2).as_integer_ratio())
    ratio = start_over_leading_squared("W", squared, at, fmpq(*v.as_integer_ratio()))
    if ratio is None:
        raise NotAdmitted("W has no leading term")
    expected, band = gaussian_cosine(int(ratio.p) / int(ratio.q), case.vocab_size**2)
    for layer, weight in enumerate(parameters["W"]):
        cosine = float((weight * leading["W"]).sum() / np.linalg.norm(weight) / size)
        yield Comparison(f"cosine of W, layer {layer}", cosine, expected, band)
        yield Measurement("cosine of W", cosine)


def _from_gaussian(target: Target, case: EdgeCase, v: float) -> dict[str, np.ndarray]:
    """Descend from entries of variance v^2 / V^2 (xi = 0), by the target's gradients."""
    rng = np.random.default_rng(case.steps)
    V, T, L = case.vocab_size, case.tokens.shape[1] - 1, case.layers
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, T)}
    parameters = {group: rng.normal(0.0, v / V, shape) for group, shape in shapes.items()}
    for _ in range(case.steps):
        slope = target.gradients(parameters, case.tokens)
        parameters = {group: parameters[group] - case.rate * slope[group] for group in GROUPS}
    return parameters


# At the edge: the largest step counts and rates that each statement allows. V, T, L, steps, s eta.
def _cases(steps: tuple[int, ...], V: int, T: int, layers: tuple[int, ...], progress: float) -> Cases:
    return edges(steps=steps, vocab_size=V, length=T, layers=layers, progress=progress)


def _checks() -> Iterator[Check]:
    by_length = 5 / (8 * math.sqrt(60))
    stated = {
        "Lemma D.5": ("D5", 4, _cases((2,), 8, 6, (1, 2), 2.0)),
        "Lemma D.6": ("D6", 100, _cases((3,), 500, 12, (1, 2), 3 / 8)),
        "Theorem D.7": ("D7", 100, _cases((3, 4, 6), 500, 12, (1,), 3 / (8 * 12 ** (3 / 8)))),
        "Theorem D.10": ("D10", 100, _cases((3, 4, 6), 500, 60, (1,), min(by_length, 1 / 12))),
    }
    for theorem, (name, cost, cases) in stated.items():
        yield Check(
            id=f"bounds.{name}",
            statement=f"Within its window and at its edge the bounds of {theorem} hold in every layer.",
            source=f"paper, {theorem}",
            cases=cases,
            law=_zero_start(theorem),
            needs=("train",),
            cost=cost,
        )
    yield Check(
        id="bounds.D13",
        statement="From the largest Gaussian start the bounds hold; W is aligned as far as noise lets it.",
        source="paper, Theorem D.13; derived here",
        cases=_cases((3, 4), 500, 60, (1,), min(by_length, 1 / 12)),
        law=_gaussian,
        needs=("gradients",),
        evidence="measured",
        cost=100,
    )


CHECKS = tuple(_checks())
