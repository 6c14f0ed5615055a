"""What descent.series admits: answers are held to the summed series within rounding and the tail, no more."""

import numpy as np
import pytest
from flint import fmpq

from properties import arbitrary_precision
from properties.cases import THIRD_ROUTE
from properties.catalogue import select
from properties.check import Comparison
from properties.laws import series
from properties.laws.descent import OwnDescent
from properties.laws.statistics_exact import to_float
from properties.rounded_model import stacked, train
from properties.target import Target
from theory.orders import GROUPS
from theory.truncation import tail_bounds

# Bounds at the first rate are some hundred units in the last place of the weights: this share is several.
SHARE = 2.0**-4
# At 2^-12 rounding is most of what is admitted in W_O and V, at 2^-5 the tail is all of it.
RATES = (2.0**-12, 2.0**-5)
# How many times what a run of 53 bits may be off, by arb's balls, the rounding of *any* order of operations
# is: it keeps terms that cancel, Y and softmax(F) or a row of the softmax Jacobian, at their full size.
WIDER = {"W_O": 2**7, "V": 2**10, "W": 2**17, "P": 2**17}


def admitted(case, rate):
    """The bound once more, from its two parts."""
    rounded = train(case.tokens, case.vocab_size, case.layers, rate, case.steps, "float64")
    tails = tail_bounds(
        case.layers, case.steps, fmpq(*rate.as_integer_ratio()), series.ORDER_KEPT, case.vocab_size
    )
    found = {}
    for group in GROUPS:
        bound = stacked(rounded, group)[1].copy()
        for layer, tail in enumerate(tails[group]):
            (bound if group == "W_O" else bound[layer])[...] += to_float(tail)
        found[group] = bound
    return found


def refuted(case, rate, answer):
    """The groups that the law refutes in an answer."""

    class Made:
        def train(self, *_):
            return answer

    at = type(case)(case.tokens, case.vocab_size, case.layers, rate / series.SLOWER, case.steps)
    outcome = series._summed_series(Target(Made()), at)
    return {
        one.name.split(",")[0]
        for one in outcome
        if isinstance(one, Comparison) and not (np.abs(one.got - one.expected) <= one.bound).all()
    }


@pytest.mark.parametrize("rate", RATES)
def test_just_past_rounding_and_the_tail_is_refuted_in_every_layer(rate):
    case = THIRD_ROUTE.ordinary
    _, exact, _ = series._against_series(Target(OwnDescent()), case, rate)
    bounds = admitted(case, rate)
    within = {g: exact[g] + (1 - SHARE) * bounds[g] for g in GROUPS}
    assert refuted(case, rate, within) == set()
    for group in GROUPS:
        for layer in range(1 if group == "W_O" else case.layers):
            past = {g: x.copy() for g, x in within.items()}
            entry = (1, 0) if group == "W_O" else (layer, -1)
            past[group][entry] = exact[group][entry] + (1 + SHARE) * bounds[group][entry]
            assert refuted(case, rate, past) == {group}, layer


WRONG = {
    "P of the other sign": {"P": lambda P: -P},
    "no W": {"W": lambda W: 0 * W},
    "W of the other sign": {"W": lambda W: -W},
    "W transposed": {"W": lambda W: W.swapaxes(-1, -2)},
    "layers of V the other way round": {"V": lambda V: V[::-1]},
    "W a thousandth too large": {"W": lambda W: W * 1.001},
}


@pytest.mark.parametrize("slip", WRONG)
def test_a_sign_a_layer_and_a_size_are_refuted_on_the_ordinary_case(slip):
    """Each group at its own order: what is left out at order 9 must not cover what W and P are at order 4."""
    (check,) = select(["descent.series"])
    case = check.cases.ordinary
    rate = case.rate * series.SLOWER
    answer = OwnDescent().train(case.tokens, case.vocab_size, case.layers, rate, case.steps)
    assert refuted(case, rate, answer) == set()
    ((group, change),) = WRONG[slip].items()
    assert refuted(case, rate, {**answer, group: change(answer[group])}) == {group}


def test_the_rounding_is_that_of_balls_within_a_stated_factor(monkeypatch):
    """By another route: arb carries its own radii through derivatives of the loss, with 53 bits."""
    case, rate = THIRD_ROUTE.ordinary, RATES[0]
    V, L, steps = case.vocab_size, case.layers, case.steps
    monkeypatch.setattr(arbitrary_precision, "DIGITS", 15)
    balls = arbitrary_precision.guaranteed_descent(
        case.tokens.tolist(), V, L, steps, fmpq(*rate.as_integer_ratio())
    )
    rounded = train(case.tokens, V, L, rate, steps, "float64")
    for group in GROUPS:
        radius = max(float(ball.rad()) for key, ball in balls.items() if key[0] == group)
        assert radius <= stacked(rounded, group)[1].max() <= WIDER[group] * radius, group
