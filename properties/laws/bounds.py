"""The theorem's error bounds on runs of an implementation, within their conditions and at their edge.

Lemmas D.5 and D.6 and Theorems D.7, D.10 and D.13 bound |parameter - leading term| in Frobenius norm. Each
check holds runs to its bound, at V = 500 and T = 60 (T = 64 with two layers) where the statement asks for
that, and reports for every weight the ratios actual / bound and bound / leading term, and which wrong weights
the bound accepts. From a ratio bound / leading of 1 on, the zero matrix satisfies the bound:
`properties.laws.impostors` proves that this is so for W and P wherever eta >= 1/T. So these bounds hold and
say nothing of alignment; the families scaling and next_order do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from flint import fmpq

from properties.cases import EdgeCase, edges
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_exact, to_float
from properties.memo import by_corpus
from properties.target import Target, require
from properties.tolerances import gaussian_cosine, rounding
from reference.statistics import statistics
from theory.balls import certainly_at_most, squared_norm
from theory.bounds import THEOREMS, Setting, largest_start, start_over_leading_squared
from theory.laws.two_steps import two_step_errors
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
    rate = to_exact(case.rate)
    return Setting(case.vocab_size, case.tokens.shape[1] - 1, case.layers, rate, case.steps)


def _held(theorem: str, case: EdgeCase, parameters: dict[str, np.ndarray], dtype: str) -> Outcome:
    """Compare |parameter - leading term| with the bound in every layer; report ratios and impostors."""
    at, leading = setting(case), leading_terms(case)
    failed = THEOREMS[theorem].failed(at)
    if failed:
        raise NotAdmitted(f"{theorem} does not speak of this case: {', '.join(failed)}")
    told: dict[str, dict[str, object]] = {}
    for group, squared in THEOREMS[theorem].bounds_squared(at).items():
        bound = math.sqrt(int(squared.p) / int(squared.q))
        size = float(np.linalg.norm(leading[group]))
        slack = rounding(bound + size, parameters[group].size, dtype)
        off = require(parameters, group, "train") - leading[group]
        errors = []
        for layer, rest in enumerate(off[None] if group == "W_O" else off):
            errors.append(float(np.linalg.norm(rest)))
            yield Comparison(
                _told(group, layer, case, rest), errors[-1], 0.0, bound + slack if bound else 0.0
            )
        if bound:
            told[group] = {
                "actual over bound": max(errors) / bound,
                "bound over leading term": bound / size if size else None,
                "accepts": [name for name, far in impostors(leading[group]).items() if far <= bound],
            }
    yield Measurement("bound of each weight", told)


def _told(group: str, layer: int, case: EdgeCase, rest: np.ndarray) -> str:
    """Say what is compared: the order from which the bound speaks, and where the rest is largest."""
    order = leading_orders(case.layers)[group]
    entry = [int(i) for i in np.unravel_index(int(np.argmax(np.abs(rest))), rest.shape)]
    where = group if group == "W_O" else f"{group}, layer {layer},"
    return f"|{where} - leading term| from order {order} on, largest at entry {entry}"


def impostors(term: np.ndarray) -> dict[str, float]:
    """Return how far wrong weights made of a leading term are from it; P [T] is reversed by distance."""
    size = float(np.linalg.norm(term))
    turned = term.T if term.ndim > 1 else term[::-1]
    return {
        "zero": size,
        "doubled": size,
        "negated": 2 * size,
        "transposed": float(np.linalg.norm(term - turned)),
    }


def _zero_start(theorem: str) -> Law:
    def law(target: Target, case: EdgeCase) -> Outcome:
        trained = target.train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
        yield from _held(theorem, case, trained, target.dtype)

    return law


def _gaussian(target: Target, case: EdgeCase) -> Outcome:
    """D.13 at the largest start that it allows, v = eta^2 / T^2: the bounds hold, and W is still noise."""
    if target.dtype != "float64":
        raise NotAdmitted("the start is below float32's rounding of what grows beside it")
    at = setting(case)
    v = to_float(largest_start(at))
    parameters = _from_gaussian(target, case, v)
    yield from _held("Theorem D.13", case, parameters, target.dtype)
    leading = leading_terms(case)
    yield from _aligned(case, parameters["W"], largest_start(at))
    yield Measurement("least cosine from the largest start", _least_cosines(parameters, leading))


def _two_steps(target: Target, case: EdgeCase) -> Outcome:
    """The lemma on the closed form of two steps, by arithmetic of guaranteed balls."""
    at = setting(case)
    bounds = THEOREMS["Lemma D.5"].bounds_squared(at)
    told = {}
    for group, error in two_step_errors(case.tokens.tolist(), case.vocab_size, at.rate).items():
        squared = squared_norm(error)
        order = leading_orders(case.layers)[group]
        yield equal(
            f"|{group} - leading term| from order {order} on is within the bound",
            certainly_at_most(squared, bounds[group]),
            True,
        )
        told[group] = math.sqrt(float(squared.mid()) / to_float(bounds[group]))
    yield Measurement("actual over bound, guaranteed", told)


def _noise_over_leading(case: EdgeCase, v: fmpq) -> fmpq:
    """Return E|start of W|^2 / |its leading term|^2 at the scale v.

    Raises:
        NotAdmitted: W has no leading term.
    """
    direction = np.linalg.norm(leading_terms(case)["W"]) / (
        step_coefficients(case.steps)["W"] * case.rate ** leading_orders(case.layers)["W"]
    )
    squared = to_exact(float(direction) ** 2)
    ratio = start_over_leading_squared("W", squared, setting(case), v)
    if ratio is None:
        raise NotAdmitted("W has no leading term")
    return ratio


def _aligned(case: EdgeCase, W: np.ndarray, v: fmpq) -> Outcome:
    """Compare the cosine of every layer of W with what its start leaves of it."""
    leading = leading_terms(case)["W"]
    expected, band = gaussian_cosine(to_float(_noise_over_leading(case, v)), case.vocab_size**2)
    for layer, weight in enumerate(W):
        cosine = float((weight * leading).sum() / np.linalg.norm(weight) / np.linalg.norm(leading))
        told = f"cosine of W, layer {layer}, with its term at order {leading_orders(case.layers)['W']}"
        yield Comparison(told, cosine, expected, band)
        yield Measurement("cosine of W", cosine)


def _half_noise(target: Target, case: EdgeCase) -> Outcome:
    """Start where noise and leading term of W are as large: the scale at which the noise is one, over it.

    The noise is quadratic in v. Smaller runs do, since this asks nothing of V and T.
    """
    if target.dtype != "float64":
        raise NotAdmitted("the start is below float32's rounding of what grows beside it")
    unit = to_float(_noise_over_leading(case, fmpq(1)))
    v = 1 / math.sqrt(unit)
    yield from _aligned(case, _from_gaussian(target, case, v)["W"], to_exact(v))


def _least_cosines(parameters: dict[str, np.ndarray], leading: dict[str, np.ndarray]) -> dict[str, float]:
    """Return for each group the least cosine of a layer with its leading term."""
    found = {}
    for group, term in leading.items():
        layers = parameters[group][None] if group == "W_O" else parameters[group]
        sizes = [float(np.linalg.norm(layer) * np.linalg.norm(term)) for layer in layers]
        if all(sizes):
            along = [float((layer * term).sum()) for layer in layers]
            found[group] = min(a / size for a, size in zip(along, sizes, strict=True))
    return found


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


def _progress(L: int, T: int) -> float:
    """Return the largest s eta of Theorems D.10 and D.13."""
    return min(1 / (12 * L), 5 / (8 * math.sqrt(T)))


# The smallest sizes that L <= sqrt(T)/4 and T >= 60 allow with one layer and with two, and the largest s eta.
FORMAL = {L: (T, _progress(L, T)) for L, T in ((1, 60), (2, 64))}
# With eta >= 1/T besides, three steps of two layers need 3/T <= 1/24; a rate is rounded down.
GAUSSIAN = {L: (T, _progress(L, T)) for L, T in ((1, 60), (2, 73))}


def _checks() -> Iterator[Check]:
    two_steps = edges(steps=(2,), vocab_size=8, ends={1: (6, 2.0)})
    yield Check(
        id="bounds.D5_exact",
        statement="Lemma D.5 holds of the closed form of two steps up to its edge eta = 1, without rounding.",
        source="paper, Lemma D.5; derived here",
        cases=two_steps,
        law=_two_steps,
        evidence="exact",
        cost=4,
    )
    stated = {
        "Lemma D.5": ("D5", 4, edges(steps=(2,), vocab_size=8, ends={1: (6, 2.0), 2: (6, 2.0)})),
        "Lemma D.6": ("D6", 100, edges(steps=(3,), vocab_size=500, ends={1: (12, 3 / 8)})),
        "Theorem D.7": (
            "D7",
            100,
            edges(steps=(3, 4, 6), vocab_size=500, ends={1: (12, 3 / (8 * 12 ** (3 / 8)))}),
        ),
        "Theorem D.10": ("D10", 100, edges(steps=(3, 4), vocab_size=500, ends=FORMAL)),
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
            tells_slips=False,
        )
    yield Check(
        id="bounds.D13",
        statement="From the largest Gaussian start the bounds hold; W is aligned as far as noise lets it.",
        source="paper, Theorem D.13; derived here",
        cases=edges(steps=(3,), vocab_size=500, ends=GAUSSIAN),
        law=_gaussian,
        needs=("gradients",),
        evidence="measured",
        cost=100,
    )
    yield Check(
        id="bounds.gaussian_alignment",
        statement="Where a Gaussian start of W is as large as its leading term the cosine is 1/sqrt(2).",
        source="derived here",
        cases=edges(steps=(3,), vocab_size=128, ends={1: (12, 1 / 16), 2: (12, 1 / 16)}),
        law=_half_noise,
        needs=("gradients",),
        evidence="measured",
        cost=24,
    )


CHECKS = tuple(_checks())
