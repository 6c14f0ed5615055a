"""W after a start of some size: within what is guaranteed, and statistics of few words among many."""

import numpy as np
import pytest
from flint import fmpq

from properties.laws.start_alignment import _sum_of_squares
from reference.gradients import gradients
from theory.bounds import (
    THEOREMS,
    Setting,
    largest_start,
    last_step_inside,
    start_over_leading_squared,
)
from theory.laws.proved_bounds import ZERO
from theory.laws.start_alignment import cosine_within, rest_of_W
from theory.next_order import inner
from theory.seen_words import attention_statistics
from theory.statistics import exact_statistics
from theory.step_coefficients import step_coefficients

TOKENS = [[0, 3, 0, 5, 3, 5], [5, 5, 0, 3, 3, 0], [3, 0, 5, 5, 5, 0]]


# From here on the rest is smaller than W, so that something is known.
LARGE = 2.0**-16


def fraction(x: float) -> fmpq:
    return fmpq(*float(x).as_integer_ratio())


@pytest.mark.parametrize("vocab_size", [6, 7, 30])
def test_few_words_among_many_have_the_statistics_of_all(vocab_size: int) -> None:
    words, Q, Delta = attention_statistics(TOKENS, vocab_size)
    whole = exact_statistics(TOKENS, vocab_size)
    assert words == [0, 3, 5]
    assert Q.entries() == [whole["Q_bar"][i, j] for i in words for j in words]
    assert inner(Q, Q) == inner(whole["Q_bar"], whole["Q_bar"]) > 0
    assert Delta == whole["Delta_bar"]


def test_squares_are_summed_without_rounding() -> None:
    a = np.array([[1e-9, 3.0], [-(2.0**-80), 0.1]])
    assert _sum_of_squares(a) == sum((fraction(x) ** 2 for x in a.ravel()), ZERO)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("size", [0.0, 2.0**-16, 2.0**-12, 2.0**-8])
def test_descent_ends_within_what_is_guaranteed(layers: int, size: float) -> None:
    """From starts of that norm in every group: the rest, and the cosine in every layer."""
    V, rate, steps = 7, 2.0**-5, 3
    tokens = np.array(TOKENS)
    T = tokens.shape[1] - 1
    rng = np.random.default_rng(1)
    shapes = {"W_O": (V, V), "V": (layers, V, V), "W": (layers, V, V), "P": (layers, T)}
    start = {group: rng.normal(size=shape) for group, shape in shapes.items()}
    for group, drawn in start.items():
        for layer in drawn[None] if group == "W_O" else drawn:
            layer *= size / np.linalg.norm(layer) * (1 - 2.0**-40)
    at = {group: drawn.copy() for group, drawn in start.items()}
    for _ in range(steps):
        slope = gradients(at, tokens)
        at = {group: at[group] - rate * slope[group] for group in at}
    run = Setting(V, T, layers, fraction(rate), steps)
    R = rest_of_W(run, fraction(size) if size else ZERO)
    words, Q, _ = attention_statistics(TOKENS, V)
    amount = step_coefficients(steps)["W"] * fraction(rate) ** 4
    Y = np.zeros((V, V))
    Y[np.ix_(words, words)] = np.array([int(x.p) / int(x.q) for x in (Q * amount).entries()]).reshape(3, 3)
    for layer in range(layers):
        Z, W = start["W"][layer], at["W"][layer]
        assert np.linalg.norm(W - Z - Y) <= float(int(R.p) / int(R.q))
        along = sum((fraction(z) * fraction(y) for z, y in zip(Z.ravel(), Y.ravel(), strict=True)), ZERO)
        squares = (sum((fraction(x) ** 2 for x in a.ravel()), ZERO) for a in (Z, Y))
        if size < LARGE:
            with pytest.raises(ValueError, match="rest may be larger"):
                cosine_within(along, *squares, R)
            continue
        low, high = cosine_within(along, *squares, R)
        cosine = (W * Y).sum() / np.linalg.norm(W) / np.linalg.norm(Y)
        assert float(low.mid()) <= cosine <= float(high.mid())
        assert high - low < 1


def test_where_the_rest_may_be_larger_nothing_is_said() -> None:
    with pytest.raises(ValueError, match="rest may be larger"):
        cosine_within(ZERO, fmpq(1, 100), fmpq(1, 100), fmpq(1))


@pytest.mark.parametrize(("along", "low", "high"), [(fmpq(1), 0.9, 1.2), (fmpq(-3), -1.2, -0.9)])
def test_an_interval_is_wide_on_both_sides_whatever_the_sign(along: fmpq, low: float, high: float) -> None:
    """|Z| = |along|, |Y| = 1, along one line: the cosine is 1 or -1, and the rest moves it both ways."""
    below, above = cosine_within(along, along**2, fmpq(1), fmpq(1, 20))
    exact = 1 if along > 0 else -1
    assert low < float(below.mid()) < exact < float(above.mid()) < high


@pytest.mark.parametrize(("length", "steps", "drowned"), [(60, 4, True), (200, 8, False)])
def test_at_the_end_of_the_window_the_largest_start_drowns_w_in_short_sequences_alone(
    length: int, steps: int, drowned: bool
) -> None:
    """At eta = 1/T the start is 1 / (c_s |Q_bar|) times the leading term, and c_s grows as T^2."""
    _, Q, _ = attention_statistics([[t // 20 % 2 for t in range(length + 1)]], 500)
    rate = fmpq(1, length)
    assert last_step_inside(THEOREMS["Theorem D.13"], 500, length, 1, rate) == steps
    at = Setting(500, length, 1, rate, steps)
    ratio = start_over_leading_squared("W", inner(Q, Q), at, largest_start(at))
    assert ratio is not None
    assert ratio * step_coefficients(steps)["W"] ** 2 * inner(Q, Q) == 1
    assert ratio > 25 if drowned else ratio < 1
