"""The dominating scalars: as derived, from any start, and every slip in the recursion noticed."""

from fractions import Fraction
from math import factorial, isqrt

import numpy as np
import pytest
from flint import fmpq, fmpq_poly

from properties.mutants.mutant import planted
from properties.tolerances import rounding
from reference.gradients import gradients
from theory import majorants
from theory.truncation import tail_bounds

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


def pulled(z: Coefficients, V: int) -> Coefficients:
    """1 + (1/V) (e^z - 1) sum_j ((e^z - 1) / r)^j with r the whole root of V."""
    rest, power = constant(0), constant(1)
    for n in range(1, ORDER + 1):
        power = times(power, z)
        rest = plus(rest, [x / factorial(n) for x in power])
    result, power = constant(1), rest
    for j in range(ORDER):
        result = plus(result, [x / V / isqrt(V) ** j for x in power])
        power = times(power, rest)
    return result


def dominating(L: int, steps: int, vocab_size: int = 1) -> dict[str, list[Coefficients]]:
    o = constant(0)
    v, w, p = ([constant(0)] * L for _ in range(3))
    for _ in range(steps):
        H, a, h = constant(1), [], []
        for layer in range(L):
            h.append(H)
            a.append(reach(plus(times(H, H, w[layer]), p[layer])))
            H = times(H, plus(constant(1), times(a[layer], v[layer])))
        logits = times(H, o)
        f = pulled(logits, vocab_size)
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


def kept_by_the_module(L: int, steps: int, vocab_size: int = 1) -> dict[str, list[Coefficients]]:
    """The coefficients M_k: what a bound falls by when one order more is kept, over eta^k."""
    rate = fmpq(1, 64)
    bounds = [tail_bounds(L, steps, rate, order, vocab_size) for order in range(ORDER + 1)]
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


@pytest.mark.parametrize(
    ("L", "steps", "vocab_size"),
    [(1, 2, 1), (1, 4, 7), (2, 5, 1), (3, 4, 1), (3, 4, 500), (2, 4, 2)],
)
def test_the_dominating_series_is_the_one_derived(L: int, steps: int, vocab_size: int) -> None:
    assert kept_by_the_module(L, steps, vocab_size) == dominating(L, steps, vocab_size)


def test_what_is_learned_enters_a_residual_with_one_over_the_vocabulary() -> None:
    """After two steps W_O is off by eta^2 / V at order 2, and for any vocabulary by eta^2."""
    assert kept_by_the_module(1, 2, 9)["W_O"][0][:3] == [0, 2, Fraction(1, 9)]
    assert kept_by_the_module(1, 2)["W_O"][0][:3] == [0, 2, 1]


@pytest.mark.parametrize("vocab_size", [1, 5, 500])
def test_a_series_at_a_number_is_at_most_the_number(vocab_size: int) -> None:
    """Both arithmetics bound the same functions, with a start that is not zero as well."""
    order, at = 40, fmpq(1, 8)
    numbers, series = majorants.in_numbers(vocab_size), majorants.in_series(order, vocab_size, short=True)
    for start in (fmpq(0), fmpq(1, 50)):
        z = fmpq_poly([start, 1])
        for of_number, of_series in (
            (numbers.attention, series.attention),
            (numbers.residual, series.residual),
        ):
            number, value = of_number(start + at), of_series(z)(at)
            assert number - fmpq(1, 2**20) < value <= number + fmpq(1, 2**200)


def test_the_first_dominating_coefficients_by_hand() -> None:
    """After two steps o = eta + eta f(eta), v = eta^2 f(eta), f = 1/(2 - e^z) = 1 + z + 3/2 z^2 + ..."""
    found = kept_by_the_module(1, 2)
    assert found["W_O"][0][:5] == [0, 2, 1, Fraction(3, 2), Fraction(13, 6)]
    assert found["V"][0][:6] == [0, 0, 1, 1, Fraction(3, 2), Fraction(13, 6)]
    assert not any(found["W"][0]) and not any(found["P"][0])  # noqa: PT018


STEP_SLIPS = [
    ("S = tidy(a * (a + 1) * g * at.V[n] * h)", "S = tidy(a * g * at.V[n] * h)"),
    ("2 * S * h * at.W[n]", "S * h * at.W[n]"),
    ("tidy(h * h * S)", "tidy(h * S)"),
    ("tidy(a * h * g)", "tidy(a * g)"),
    ("tidy(rows[-1] * residual)", "tidy(residual)"),
    ("residual(rows[-1] * at.W_O)", "residual(at.W_O)"),
    ("attention(rows[-1] * rows[-1] * w + p)", "attention(rows[-1] * rows[-1] * w)"),
    ("g = tidy(residual * at.W_O)", "g = tidy(at.W_O)"),
    ("g * (a * at.V[n] + 1)", "g"),
    ("rows[-1] * (a * v + 1)", "rows[-1] * (v + 1)"),
]


@pytest.mark.parametrize(("right", "wrong"), STEP_SLIPS)
def test_an_unsound_step_is_noticed(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(majorants, "gains", planted(majorants, "gains", right, wrong).gains)
    assert kept_by_the_module(3, 5) != dominating(3, 5)


RESIDUAL_SLIPS = [
    ("pull / vocab_size", "pull / vocab_size**2"),
    ("rest / isqrt(vocab_size)", "rest / vocab_size"),
    ("rest = _exponential(z, times) - 1\n", "rest = fmpq_poly([0]) + z\n"),
    ("tidy(1 + pull", "tidy(pull"),
]


@pytest.mark.parametrize(("right", "wrong"), RESIDUAL_SLIPS)
def test_an_unsound_residual_is_noticed(right: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slipped = planted(majorants, "in_series", right, wrong).in_series
    monkeypatch.setattr("theory.truncation.in_series", slipped)
    assert kept_by_the_module(1, 4, 9) != dominating(1, 4, 9)


@pytest.mark.parametrize("of_any_size", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_one_step_from_anywhere_stays_within_the_sizes(seed: int, of_any_size: bool) -> None:
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
    vocab_size = 1 if of_any_size else V
    try:
        sizes = majorants.step(sized(at), fmpq(1, 8), majorants.in_numbers(vocab_size))
    except ValueError:
        return  # the scores are too large for the bound to speak
    for group, bounds in (("W_O", [sizes.W_O]), ("V", sizes.V), ("W", sizes.W), ("P", sizes.P)):
        layers = moved[group][None] if group == "W_O" else moved[group]
        for layer, bound in zip(layers, bounds, strict=True):
            slack = float(rounding(1.0, 100 * V * T * L, "float64"))
            assert np.linalg.norm(layer) <= float(fraction(fmpq(bound))) * (1 + slack) + slack, group


def sized(at: dict[str, np.ndarray]) -> majorants.Sizes:
    """The norms of parameters, rounded up."""

    def norm(array: np.ndarray) -> fmpq:
        return fmpq(*np.nextafter(np.linalg.norm(array) * (1 + 2.0**-50), np.inf).item().as_integer_ratio())

    return majorants.Sizes(norm(at["W_O"]), *([norm(layer) for layer in at[g]] for g in ("V", "W", "P")))


@pytest.mark.parametrize("z", [fmpq(0), fmpq(1, 10), fmpq(1, 2), fmpq(69, 100)])
def test_the_reach_of_a_softmax_is_rounded_up_and_hardly(z: fmpq) -> None:
    """Against e^z by 80 terms in fractions: above it, by less than 2^-200."""
    e = sum((fraction(z) ** n / factorial(n) for n in range(80)), Fraction(0))
    bound = fraction(majorants.in_numbers(1).attention(z))
    assert e / (2 - e) <= bound <= e / (2 - e) + Fraction(1, 2**200)


@pytest.mark.parametrize("z", [fmpq(7, 10), fmpq(1), fmpq(5)])
def test_from_log_two_on_nothing_is_said(z: fmpq) -> None:
    with pytest.raises(ValueError, match="too large"):
        majorants.in_numbers(1).attention(z)
