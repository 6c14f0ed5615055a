"""The steps of the proof of the error bounds, each by another route or at its edge."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq, fmpq_poly

from properties.cases import SHORT_DESCENTS
from properties.check import Comparison, Measurement
from properties.laws import proved_bounds as law
from properties.laws.statistics_exact import to_float
from properties.target import Target
from properties.tolerances import rounding
from reference.descent import train
from theory.bounds import Setting
from theory.laws import proved_bounds
from theory.laws.one_word import deepest, errors_squared
from theory.laws.proved_bounds import TERMS, ZERO, ceiling, corner, flow, shares
from theory.majorants import combined, gains, in_numbers, in_series
from theory.orders import GROUPS, leading_orders

ROOT = Path(__file__).resolve().parents[2]
SIZES = [(1, 1), (2, 500), (3, 9)]
START = fmpq(1, 2**17)


def every(*sizes):
    """Return the scalars of each parameter, those of several sizes side by side."""
    return [each for group in GROUPS for each in zip(*(one.group(group) for one in sizes), strict=True)]


@pytest.mark.parametrize(("layers", "vocab_size"), SIZES)
def test_the_flow_solves_its_equation_to_every_order_that_is_kept(layers: int, vocab_size: int) -> None:
    phi = flow(layers, vocab_size, ZERO)
    slopes = gains(phi, in_series(TERMS, vocab_size))
    for size, slope in every(phi, slopes):
        assert size[0] == 0
        assert size[TERMS] > 0
        assert all(size[k + 1] * (k + 1) == slope[k] for k in range(TERMS))


@pytest.mark.parametrize(("layers", "vocab_size"), SIZES)
def test_a_flow_from_a_start_is_not_below_its_equation(layers: int, vocab_size: int) -> None:
    """Rounded up by little, and everywhere above the flow from zero."""
    phi = flow(layers, vocab_size, START)
    slopes = gains(phi, in_series(TERMS, vocab_size, short=True))
    for size, slope, without in every(phi, slopes, flow(layers, vocab_size, ZERO)):
        assert size[0] == START
        for k in range(TERMS):
            assert slope[k] / (k + 1) - fmpq(1, 2**200) <= size[k + 1]
            assert without[k + 1] <= size[k + 1]


def test_descent_of_sizes_stays_below_the_flow() -> None:
    """Step by step, in as many steps as wanted: what the induction over the orders says."""
    layers, vocab_size, x = 2, 9, fmpq(1, 10)
    phi = flow(layers, vocab_size, ZERO)
    numbers = in_numbers(vocab_size)
    for steps in (1, 3, 24):
        at = combined(lambda _: fmpq(0), phi)
        for _ in range(steps):
            at = combined(lambda old, gain: old + x / steps * gain, at, gains(at, numbers))  # noqa: B023
        assert all(size <= kept(x) for size, kept in every(at, phi))


@pytest.mark.parametrize("start", [ZERO, START, fmpq(1, 100)])
@pytest.mark.parametrize(("layers", "vocab_size"), SIZES)
def test_the_ceiling_is_above_its_own_next_iterate_and_above_the_flow(
    layers: int, vocab_size: int, start: fmpq
) -> None:
    x = fmpq(1, 10)
    c = ceiling(layers, vocab_size, x, start)
    moved = gains(c, in_numbers(vocab_size))
    kept = flow(layers, vocab_size, start)
    for most, gain, phi in every(c, moved, kept):
        assert start + x * gain <= most
        assert phi(x) <= most


def test_where_no_ceiling_is_found_it_is_said() -> None:
    with pytest.raises(ValueError, match=r"too large|not bounded"):
        ceiling(1, 500, fmpq(1, 2), ZERO)


@pytest.mark.parametrize("start", [ZERO, START])
def test_what_is_not_kept_counts_and_comes_from_that_start(start: fmpq) -> None:
    """The error is the kept orders beyond the leading one and (x/X)^(K+1) c, with c from the start."""
    at = corner("Theorem D.10", 2)
    phi = flow(2, at.vocab_size, ZERO)
    wider = proved_bounds.WIDER[0]
    c = ceiling(2, at.vocab_size, at.progress * wider, start)
    found = proved_bounds.beyond_leading(at, start)
    for group, order in leading_orders(2).items():
        for error, size, most in zip(found[group], phi.group(group), c.group(group), strict=True):
            kept = size(at.progress) - fmpq_poly(size.coeffs()[: order + 1])(at.progress)
            assert error - kept == most / wider ** (TERMS + 1) > 0


def test_a_start_counts_in_what_theorem_D13_needs() -> None:
    """Beyond D.10's share: W needs the start itself, 2 eta^2 / T^2 over 13 eta^5 T at eta = 1/T, or 2/13."""
    without, with_start = shares("Theorem D.10", 2), shares("Theorem D.13", 2)
    for group in GROUPS:
        for less, more in zip(without[group], with_start[group], strict=True):
            assert less < more
    for group in ("W", "P"):
        for less, more in zip(without[group], with_start[group], strict=True):
            assert fmpq(2, 13) < more < fmpq(2, 13) + less + fmpq(1, 1000)


def test_what_theorem_D13_needs_is_that_of_a_start_everywhere() -> None:
    """In what is not kept as well: the sizes are bounded from that start, not from zero."""
    at = corner("Theorem D.13", 2)
    start = proved_bounds._start_at(at)
    bounds, beyond = proved_bounds._bounds("Theorem D.13", at), proved_bounds.beyond_leading(at, start)
    added = proved_bounds._start_shares("Theorem D.13", at, start)
    for group in GROUPS:
        whole = [
            error / bounds[group] + more for error, more in zip(beyond[group], added[group], strict=True)
        ]
        assert shares("Theorem D.13", 2)[group] == whole


def test_nothing_is_proved_where_sizes_are_not_bounded() -> None:
    at = corner("Theorem D.10", 1)
    runs = [Setting(at.vocab_size, at.length, 1, at.rate * times, 1) for times in (1, 3, 4, 40)]
    assert [proved_bounds.proved_to(run) for run in runs] == [True, True, False, False]


def test_a_series_is_held_three_orders_beyond_the_leading_one() -> None:
    names = [one.name for one in law._dominated(Target(object()), SHORT_DESCENTS.ordinary)]
    for group, last in {"W_O": 4, "V": 5, "W": 7, "P": 7}.items():
        assert any(name.startswith(f"|{group}, layer 0, order {last}|^2") for name in names)


@pytest.mark.parametrize("layers", [1, 2, 9])
def test_one_repeated_word_is_what_descent_makes_of_it(layers: int) -> None:
    V, rate, steps = 12, 1 / 8, 3
    tokens = np.zeros((1, 3), dtype=np.int64)
    found = train(tokens, V, layers, rate, steps)
    errors = errors_squared(Setting(V, 2, layers, fmpq(1, 8), steps))
    u = np.eye(V)[0] - 1 / V
    q = 1 - 1 / V
    W_O = np.linalg.norm(found["W_O"] - steps * rate * np.outer(np.eye(V)[0], u))
    slack = float(rounding(1.0, 2000 * layers * V, "float64"))
    assert abs(W_O - float(errors["W_O"].mid()) ** 0.5) <= slack
    for layer in found["V"]:
        off = layer.copy()
        off[0, 0] -= steps * (steps - 1) / 2 * rate**2 * q
        assert abs(np.linalg.norm(off) - float(errors["V"].mid()) ** 0.5) <= slack
    assert not found["W"].any()
    assert not found["P"].any()


def measured(outcome) -> dict[str, dict]:
    return {one.name: one.value for one in outcome if isinstance(one, Measurement)}


def test_the_page_tells_how_much_one_repeated_word_needs_of_what_is_proved() -> None:
    page = " ".join((ROOT / "docs" / "theory" / "samples-and-bounds.md").read_text().split())
    target, layers = Target(object()), f"L = {law.NEAREST['layers']}"
    corners = measured(law._proved("Theorem D.10")(target, law._deepest(3).ordinary))
    needs, proved = (
        corners[f"error over bound {of}"][layers]["W_O"]
        for of in ("of one repeated word", "on any corpus, at most")
    )
    assert (
        f"in {law.MANY_STEPS} steps it needs {needs:.2%} of the bound on $W_O$ where {proved:.2%} is" in page
    )
    nearest = next(value for name, value in measured(law._nearest()).items() if name.startswith("share"))
    words, steps = f"$10^{math.log10(law.NEAREST['words']):.0f}$ words", f"{law.NEAREST['steps']:,} steps"
    needed = f"all but {nearest['W_O']:.2%} of what is proved of $W_O$ and all but {nearest['V']:.2%} of what"
    assert f"{words} and {steps} it needs {needed}" in page


def test_less_than_one_repeated_word_needs_would_not_pass_for_proved(monkeypatch) -> None:
    """The law of depth compares the two where they are nearest: 0.2% less breaks W_O and V."""

    def less(run, start):
        return {
            group: [size * fmpq(998, 1000) for size in sizes]
            for group, sizes in proved_bounds.beyond_leading(run, start).items()
        }

    def refuted() -> set[str]:
        compared = (one for one in law._depth(Target(object()), law._deepest(1).ordinary))
        wrong = [one for one in compared if isinstance(one, Comparison) and one.got != one.expected]
        return {one.name.partition(" = ")[0] for one in wrong}

    assert refuted() == set()
    monkeypatch.setattr(law, "beyond_leading", less)
    assert refuted() == {f"one repeated word needs no more of {name} than is proved" for name in ("W_O", "V")}


def test_the_deepest_is_the_limit_where_nothing_breaks() -> None:
    at = Setting(500, 1, 1, fmpq(1, 8), 3)
    wide = {"W_O": fmpq(100), "V": fmpq(100)}
    assert deepest(at, wide, limit=5) == 5
    assert deepest(at, {"W_O": fmpq(0), "V": fmpq(100)}) == 0


def test_leading_sizes_are_those_of_the_step_coefficients() -> None:
    """s / s, C(s,2) / s^2 -> 1/2, and 2 c_s / s^4 -> 1/4."""
    phi = flow(3, 50, ZERO)
    for group, size in {
        "W_O": Fraction(1),
        "V": Fraction(1, 2),
        "W": Fraction(1, 4),
        "P": Fraction(1, 4),
    }.items():
        order = leading_orders(3)[group]
        for poly in phi.group(group):
            assert to_float(poly[order]) == float(size)
            assert not any(poly[k] for k in range(order))
