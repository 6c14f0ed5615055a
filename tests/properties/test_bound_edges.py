"""Every bound is held at its edge: in each group and layer what lies just past it is refuted, no less.

Runs stay far inside most bounds, so no run can tell whether one is held at all. Here the answer is made: the
leading term and an error of a chosen size in one weight.
"""

import math

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from properties.cases import EdgeCase
from properties.check import Comparison, Measurement
from properties.laws import bounds
from properties.laws.statistics_exact import to_float
from properties.target import Target
from theory.bounds import IMPOSTORS, THEOREMS
from theory.orders import GROUPS

TINY = 2.0**-20
# V, T, L, steps and rate as each theorem asks, with two layers where it speaks of two.
RUNS = {
    "Lemma D.5": (8, 6, 2, 2, 1.0),
    "Lemma D.6": (500, 6, 1, 3, 2.0**-3),
    "Theorem D.7": (500, 3, 1, 3, 2.0**-5),
    "Theorem D.10": (500, 64, 2, 3, 2.0**-7),
}
GAUSSIAN = (500, 73, 2, 3, 1 / 72.5)


def run(V, T, layers, steps, rate) -> EdgeCase:
    tokens = np.random.default_rng(T).integers(0, V, (3, T + 1))
    return EdgeCase(tokens, V, layers, rate, steps)


def off_by(case, errors):
    """The leading terms as parameters, with one entry of each (group, layer) off by so much."""
    terms = bounds.leading_terms(case)
    answer = {g: x.copy() if g == "W_O" else np.array([x] * case.layers) for g, x in terms.items()}
    for (group, layer), error in errors.items():
        (answer[group] if group == "W_O" else answer[group][layer]).ravel()[1] += error
    return answer


def wrong(outcome):
    return [
        one.name
        for one in outcome
        if isinstance(one, Comparison) and not (np.abs(one.got - one.expected) <= one.bound).all()
    ]


@pytest.mark.parametrize("theorem", RUNS)
def test_just_past_the_bound_is_refuted_in_that_group_and_layer(theorem):
    case = run(*RUNS[theorem])
    squared = THEOREMS[theorem].bounds_squared(bounds.setting(case))
    edges = {
        (group, layer): math.sqrt(to_float(squared[group]))
        for group in GROUPS
        for layer in range(1 if group == "W_O" else case.layers)
    }
    within = {place: (1 - TINY) * edge for place, edge in edges.items()}
    assert wrong(bounds._held(theorem, case, off_by(case, within), "float64")) == []
    for (group, layer), edge in edges.items():
        # Where the bound is zero a weight must stay zero.
        past = {**within, (group, layer): (1 + TINY) * edge or TINY}
        (told,) = wrong(bounds._held(theorem, case, off_by(case, past), "float64"))
        assert told.startswith(f"|{group} " if group == "W_O" else f"|{group}, layer {layer}, ")


def test_the_guaranteed_errors_are_each_held_to_their_own_bound(monkeypatch):
    case = run(*RUNS["Lemma D.5"])
    squared = THEOREMS["Lemma D.5"].bounds_squared(bounds.setting(case))
    monkeypatch.setattr(bounds, "squared_norm", lambda ball: ball)
    for group in ("W_O", "V"):
        for share in (1 - TINY, 1 + TINY):
            errors = {g: arb(squared[g]) * (share if g == group else 1 - TINY) for g in ("W_O", "V")}
            monkeypatch.setattr(bounds, "two_step_errors", lambda *_, errors=errors: errors)
            told = [name for name in wrong(bounds._two_steps(Target(object()), case)) if f"|{group} " in name]
            assert bool(told) == (share > 1), (group, share)


def test_the_cosine_from_a_gaussian_start_is_held_in_every_layer():
    """Noise as large as the term and across it leaves 1/sqrt(2), in one layer with the wrong sign."""
    case = run(*GAUSSIAN)
    term = bounds.leading_terms(case)["W"]
    across = np.random.default_rng(0).normal(size=term.shape)
    across -= (across * term).sum() / (term * term).sum() * term
    drowned = term + across * np.linalg.norm(term) / np.linalg.norm(across)
    v = 1 / math.sqrt(to_float(bounds._noise_over_leading(case, fmpq(1))))
    for layer in range(case.layers):
        W = np.array([drowned] * case.layers)
        W[layer] *= -1
        (told,) = wrong(bounds._aligned(case, W, fmpq(*v.as_integer_ratio())))
        assert told.startswith(f"cosine of W, layer {layer},")


def test_impostors_are_those_of_the_exact_mathematics_and_told_where_accepted():
    whole = np.array([[3, -1, 2], [0, 5, 1], [4, 1, -2]])
    for term, exact in ((whole, fmpq_mat(whole.tolist())), (whole[0], None)):
        far = bounds.impostors(term.astype(float))
        assert set(far) == set(IMPOSTORS)
        for name, impostor in IMPOSTORS.items():
            if exact is None:
                wrong_one = {"zero": 0 * term, "doubled": 2 * term, "negated": -term}.get(name, term[::-1])
            else:
                wrong_one = np.array([[int(x.p) for x in row] for row in impostor(exact).tolist()])
            assert round(far[name] ** 2) == int(((wrong_one - term) ** 2).sum()), name
    case = run(*RUNS["Lemma D.6"])
    (told,) = (
        one.value
        for one in bounds._held("Lemma D.6", case, off_by(case, {}), "float64")
        if isinstance(one, Measurement)
    )
    for group, term in bounds.leading_terms(case).items():
        edge = math.sqrt(to_float(THEOREMS["Lemma D.6"].bounds_squared(bounds.setting(case))[group]))
        assert told[group]["accepts"] == [n for n, far in bounds.impostors(term).items() if far <= edge]
        assert told[group]["bound over leading term"] == edge / float(np.linalg.norm(term))
