"""The tail bound: it holds on corpora, falls with the order kept, and refuses where it cannot speak."""

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from flint import fmpq
from theory_cases import corpus

from properties.mutants.mutant import planted
from properties.tolerances import rounding
from reference.gradients import gradients
from theory import truncation
from theory.next_order import inner
from theory.series import descend, summed
from theory.truncation import tail_bounds


@pytest.mark.parametrize("rate", [fmpq(1, 50), fmpq(1, 400)])
def test_what_is_left_out_is_within_the_bound(rate: fmpq) -> None:
    V, L, steps = 3, 2, 5
    whole = descend([*corpus(2, 2, 3, V), [0, 1, 0, 1]], V, L, steps, 16)
    for order in (2, 5, 8):
        for group, bounds in tail_bounds(L, steps, rate, order).items():
            for bound, coefficients in zip(bounds, whole.group(group), strict=True):
                left_out = summed(coefficients, rate) - summed(coefficients[: order + 1], rate)
                assert 0 < inner(left_out, left_out) <= bound * bound


def test_no_step_leaves_nothing_out() -> None:
    assert tail_bounds(1, 0, fmpq(1, 10), 0)["W_O"] == [0]


def test_one_step_is_exact_at_order_one() -> None:
    """W_O = eta B_bar after one step (Lemma D.4): the bound is nothing but its rounding."""
    bound = tail_bounds(2, 1, fmpq(1, 10), 1)
    assert 0 <= bound["W_O"][0] <= fmpq(1, 2**250)
    assert bound["V"] == [0, 0]


def test_more_orders_leave_less_out() -> None:
    bounds = [tail_bounds(2, 6, fmpq(1, 100), order)["W"][0] for order in (4, 6, 8, 10)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < bounds[0] / 1000


def test_the_tail_vanishes_in_the_end() -> None:
    """What the numbers and the polynomials add up to agrees: a difference between the two would stay."""
    for bounds in tail_bounds(2, 4, fmpq(1, 50), 40).values():
        assert all(0 < bound < fmpq(1, 10**20) for bound in bounds)


@pytest.mark.parametrize(("rate", "message"), [(fmpq(1), "too large"), (fmpq(0), "must be positive")])
def test_rates_that_are_refused(rate: fmpq, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tail_bounds(1, 4, rate, 3)


# The dominating series once more, with lists of fractions and loops, from the docstring of the module.

ORDER = 9
Coefficients = list[Fraction]


def constant(c: int) -> Coefficients:
    return [Fraction(c)] + [Fraction(0)] * ORDER


def times(*many: Coefficients) -> Coefficients:
    result = constant(1)
    for one in many:
        result = [sum((result[i] * one[n - i] for i in range(n + 1)), Fraction(0)) for n in range(ORDER + 1)]
    return result


def plus(*many: Coefficients) -> Coefficients:
    return [sum(column, Fraction(0)) for column in zip(*many, strict=True)]


def eta_times(a: Coefficients) -> Coefficients:
    return [Fraction(0), *a[:-1]]


def reach(z: Coefficients) -> Coefficients:
    """e^z / (2 - e^z) = sum_j c_j z^j / j!, the c_j from c (2 - e^x) = e^x."""
    c: list[Fraction] = []
    for n in range(ORDER + 1):
        c.append(Fraction(1, factorial(n)) + sum((c[i] / factorial(n - i) for i in range(n)), Fraction(0)))
    power, result = constant(1), constant(0)
    for share in c:
        result = plus(result, [share * x for x in power])
        power = times(power, z)
    return result


def dominating(L: int, steps: int) -> dict[str, list[Coefficients]]:
    o = constant(0)
    v, w, p = ([constant(0)] * L for _ in range(3))
    for _ in range(steps):
        H, a, h = constant(1), [], []
        for layer in range(L):
            h.append(H)
            a.append(reach(plus(times(H, H, w[layer]), p[layer])))
            H = times(H, plus(constant(1), times(a[layer], v[layer])))
        f = reach(times(H, o))
        g = times(f, o)
        o_next = plus(o, eta_times(times(H, f)))
        new = [list(x) for x in (v, w, p)]
        for n in reversed(range(L)):
            S = times(a[n], plus(constant(1), a[n]), g, v[n], h[n])
            new[0][n] = plus(v[n], eta_times(times(a[n], h[n], g)))
            new[1][n] = plus(w[n], eta_times(times(h[n], h[n], S)))
            new[2][n] = plus(p[n], eta_times(S))
            g = plus(times(g, plus(constant(1), times(a[n], v[n]))), times(constant(2), S, h[n], w[n]))
        o, (v, w, p) = o_next, new
    return {"W_O": [o], "V": v, "W": w, "P": p}


def kept_by_the_module(L: int, steps: int) -> dict[str, list[Coefficients]]:
    """The coefficients M_k: what a bound falls by when one order more is kept, over eta^k."""
    rate = fmpq(1, 64)
    bounds = [tail_bounds(L, steps, rate, order) for order in range(ORDER + 1)]
    return {
        g: [
            [Fraction(0)]
            + [fraction((bounds[k - 1][g][n] - bounds[k][g][n]) / rate**k) for k in range(1, ORDER + 1)]
            for n in range(len(bounds[0][g]))
        ]
        for g in bounds[0]
    }


def fraction(x: fmpq) -> Fraction:
    return Fraction(int(x.p), int(x.q))


@pytest.mark.parametrize(("L", "steps"), [(1, 2), (1, 4), (2, 5), (3, 4)])
def test_the_dominating_series_is_the_one_derived(L: int, steps: int) -> None:
    assert kept_by_the_module(L, steps) == dominating(L, steps)


def test_the_first_dominating_coefficients_by_hand() -> None:
    """After two steps o = eta + eta a(eta) and v = eta^2 a(eta), with a = 1 + 2 z + 3 z^2 + 13/3 z^3 + ..."""
    found = kept_by_the_module(1, 2)
    assert found["W_O"][0][:5] == [0, 2, 2, 3, Fraction(13, 3)]
    assert found["V"][0][:6] == [0, 0, 1, 2, 3, Fraction(13, 3)]
    assert not any(found["W"][0]) and not any(found["P"][0])  # noqa: PT018


STEP_SLIPS = [
    ("S = tidy(a * (a + 1) * g * at.V[n] * h)", "S = tidy(a * g * at.V[n] * h)"),
    ("2 * S * h * at.W[n]", "S * h * at.W[n]"),
    ("eta * (h * h * S)", "eta * (h * S)"),
    ("eta * (a * h * g)", "eta * (a * g)"),
    ("(rows[-1] * residual)", "residual"),
    ("softmax(rows[-1] * at.W_O)", "softmax(at.W_O)"),
    ("softmax(rows[-1] * rows[-1] * w + p)", "softmax(rows[-1] * rows[-1] * w)"),
    ("g = tidy(residual * at.W_O)", "g = tidy(at.W_O)"),
    ("g * (a * at.V[n] + 1)", "g"),
    ("rows[-1] * (a * v + 1)", "rows[-1] * (v + 1)"),
]


@pytest.mark.parametrize(("right", "wrong"), STEP_SLIPS)
def test_an_unsound_step_is_noticed(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truncation, "_step", planted(truncation, "_step", right, wrong)._step)
    assert kept_by_the_module(3, 5) != dominating(3, 5)


@pytest.mark.parametrize("seed", range(40))
def test_one_step_from_anywhere_stays_within_the_sizes(seed: int) -> None:
    """The inequalities behind the recursion, on the model itself and from where more of them are tight."""
    rng = np.random.default_rng(seed)
    V, T, L, N = int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4)), 2
    scales = rng.choice([0.0, 1 / 16, 1 / 4], 4)
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V), "P": (L, T)}
    at = {
        g: rng.integers(-8, 9, shape) / 16 * c for (g, shape), c in zip(shapes.items(), scales, strict=True)
    }
    tokens, eta = rng.integers(0, V, (N, T + 1)), 1 / 8
    slope = gradients(at, tokens)
    moved = {g: at[g] - eta * slope[g] for g in at}
    try:
        sizes = truncation._step(sized(at), fmpq(1, 8), truncation._softmax_at, truncation._rounded_up)
    except ValueError:
        return  # the scores are too large for the bound to speak
    for group, bounds in (("W_O", [sizes.W_O]), ("V", sizes.V), ("W", sizes.W), ("P", sizes.P)):
        layers = moved[group][None] if group == "W_O" else moved[group]
        for layer, bound in zip(layers, bounds, strict=True):
            slack = float(rounding(1.0, 100 * V * T * L, "float64"))
            assert np.linalg.norm(layer) <= float(fraction(fmpq(bound))) * (1 + slack) + slack, group


def sized(at: dict[str, np.ndarray]) -> truncation._Sizes:
    """The norms of parameters, rounded up."""

    def norm(array: np.ndarray) -> fmpq:
        return fmpq(*np.nextafter(np.linalg.norm(array) * (1 + 2.0**-50), np.inf).item().as_integer_ratio())

    return truncation._Sizes(norm(at["W_O"]), *([norm(layer) for layer in at[g]] for g in ("V", "W", "P")))


@pytest.mark.parametrize("z", [fmpq(0), fmpq(1, 10), fmpq(1, 2), fmpq(69, 100)])
def test_the_reach_of_a_softmax_is_rounded_up_and_hardly(z: fmpq) -> None:
    """Against e^z by 80 terms in fractions: above it, by less than 2^-200."""
    e = sum((fraction(z) ** n / factorial(n) for n in range(80)), Fraction(0))
    bound = fraction(truncation._softmax_at(z))
    assert e / (2 - e) <= bound <= e / (2 - e) + Fraction(1, 2**200)


@pytest.mark.parametrize("z", [fmpq(7, 10), fmpq(1), fmpq(5)])
def test_from_log_two_on_nothing_is_said(z: fmpq) -> None:
    with pytest.raises(ValueError, match="too large"):
        truncation._softmax_at(z)
