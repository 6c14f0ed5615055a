"""Predicted relative errors and cosines against the exact series: what is missed is of the next order."""

import math
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from theory_cases import corpus

from properties.tolerances import EXPONENT_RESOLUTION, exponent, unit_roundoff
from reference.descent import trajectory
from theory.alignment import cosine_loss, cosine_squared, last_step_aligned, relative_error_squared
from theory.laws.lost_step import cosine_squared_within
from theory.next_order import ORDER, gram, inner, next_order
from theory.series import descend, summed
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients

V, STEPS = 3, 5
TOKENS = corpus(0, 3, 4, V)
GROUPS = ("W_O", "V", "W", "P")
GRAM = gram(TOKENS, V)


def number(x: fmpq) -> float:
    return float(Fraction(int(x.p), int(x.q)))


def actual(group: str, rate: fmpq) -> tuple[float, float]:
    """Relative error and 1 - cosine of the first layer, from the series to order 12."""
    weight = summed(descend(TOKENS, V, 2, STEPS, 12).group(group)[0], rate)
    x = leading_directions(exact_statistics(TOKENS, V))[group] * (
        fmpq(step_coefficients(STEPS)[group]) * rate ** (ORDER[group] - 1)
    )
    gap = weight - x
    error = math.sqrt(number(inner(gap, gap) / inner(x, x)))
    sine = number(1 - inner(weight, x) ** 2 / (inner(weight, weight) * inner(x, x)))
    # 1 - sqrt(1 - sine), without the cancellation.
    return error, sine / (1 + math.sqrt(1 - sine))


@pytest.mark.parametrize("group", GROUPS)
def test_predictions_improve_one_order_faster(group: str) -> None:
    """The relative error is of order 1 and the error of its prediction of order 2; for 1 - cos: 2 and 3."""
    rates = [fmpq(1, 128 * 2**n) for n in range(4)]
    errors, losses, missed, turned = [], [], [], []
    for rate in rates:
        error, loss = actual(group, rate)
        predicted = math.sqrt(number(relative_error_squared(group, GRAM[group], rate, STEPS)))
        errors.append(error)
        missed.append(abs(error - predicted))
        losses.append(loss)
        turned.append(abs(loss - number(cosine_loss(group, GRAM[group], STEPS) * rate * rate)))
    for sizes, order in ((errors, 1), (missed, 2), (losses, 2), (turned, 3)):
        # A difference from a prediction is rounded relative to what was predicted.
        noise = unit_roundoff("float64") * max(errors[-1] / missed[-1], losses[-1] / turned[-1])
        fitted = exponent(sizes, noise)
        assert abs(fitted.value - order) <= fitted.half_width <= EXPONENT_RESOLUTION


@pytest.mark.parametrize("group", GROUPS)
def test_cosine_of_the_two_term_weight(group: str) -> None:
    rate = fmpq(1, 50)
    lead = leading_directions(exact_statistics(TOKENS, V))[group] * fmpq(step_coefficients(STEPS)[group])
    weight = lead + next_order(TOKENS, V, STEPS)[group] * rate
    expected = inner(lead, weight) ** 2 / (inner(lead, lead) * inner(weight, weight))
    assert cosine_squared(group, GRAM[group], rate, STEPS) == expected


def test_the_step_at_which_a_cosine_is_lost() -> None:
    rate, target = fmpq(1, 40), fmpq(999, 1000)
    last = last_step_aligned("W", GRAM["W"], rate, target, 10_000)
    assert 3 <= last < 10_000
    assert cosine_squared("W", GRAM["W"], rate, last) >= target
    assert cosine_squared("W", GRAM["W"], rate, last + 1) < target


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("rate", [fmpq(1, 256), fmpq(1, 1024)])
def test_the_predicted_step_is_the_one_of_a_float64_run(group: str, rate: fmpq) -> None:
    """A run of 30 steps, and thresholds in the middle between what is predicted for each two steps."""
    layers, last = 2, 30
    run = list(islice(trajectory(np.array(TOKENS), V, layers, number(rate)), last + 1))
    x = leading_directions(exact_statistics(TOKENS, V))[group]
    direction = np.array([number(c) for c in x.entries()])
    weights = np.array([np.reshape(at[group], (1 if group == "W_O" else layers, -1)) for at in run])
    found = np.array([[lost(w, direction) if w.any() else 0.0 for w in layer] for layer in weights])
    for s in range(4, last):
        threshold = sum(cosine_loss(group, GRAM[group], n) for n in (s, s + 1)) / 2 * rate**2
        predicted = last_step_aligned(group, GRAM[group], rate, (1 - threshold) ** 2, last)
        assert predicted == s
        for layer in range(found.shape[1]):
            first_lost = int((found[:, layer] > number(threshold)).argmax())
            assert first_lost - 1 == predicted, (group, layer, s)


def lost(weight: np.ndarray, direction: np.ndarray) -> float:
    """1 - cos without cancellation: half the squared distance of the unit vectors."""
    apart = weight / np.linalg.norm(weight) - direction / np.linalg.norm(direction)
    return float(apart @ apart) / 2


def test_never_and_always_aligned() -> None:
    assert last_step_aligned("V", GRAM["V"], fmpq(1, 100), fmpq(2), 20) == 0
    assert last_step_aligned("V", GRAM["V"], fmpq(1, 100), fmpq(0), 20) == 20


def test_floats_may_be_used_for_large_corpora() -> None:
    floats = [[number(x) for x in row] for row in GRAM["W"]]
    assert cosine_squared("W", floats, 0.02, STEPS) == pytest.approx(
        number(cosine_squared("W", GRAM["W"], fmpq(1, 50), STEPS))
    )


def test_a_weight_that_has_not_moved_has_no_error() -> None:
    with pytest.raises(ValueError, match="W has no leading term after 2 steps"):
        relative_error_squared("W", GRAM["W"], fmpq(1, 10), 2)


@pytest.mark.parametrize("tail", [fmpq(1, 2), fmpq(1, 100), fmpq(0)])
def test_whatever_the_tail_is_the_cosine_lies_in_its_interval(tail: fmpq) -> None:
    """Tails of the full length in rational directions all around; the interval is a few of them wide."""
    S, x = fmpq_mat([[1, 1]]), fmpq_mat([[2, 0]])
    low, high = cosine_squared_within(S, tail, x)
    for p in range(-8, 9):
        for q in (4, -4):
            # The point of the circle that the line of slope p/q meets, and the one opposite.
            a, b = fmpq(q * q - p * p, q * q + p * p), fmpq(2 * p * q, q * q + p * p)
            for sign in (1, -1):
                weight = S + fmpq_mat([[a, b]]) * (tail * sign)
                assert low <= inner(weight, x) ** 2 / (inner(weight, weight) * inner(x, x)) <= high
    assert high - low <= 8 * tail + fmpq(1, 10**9)
