"""The theorem's bounds: windows, what they let pass, and the inequalities inside the proofs."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat, fmpq_poly
from mpmath import log, loggamma, mp, mpf
from theory_cases import corpus

from properties.tolerances import rounding
from reference.descent import train
from reference.statistics import statistics as reference_statistics
from theory.balls import BITS, Undecided, at_most, certainly_at_most, squared_norm
from theory.bound_facts import (
    attention_gain_gap,
    coefficient_bound_gap,
    eighth_power_gap,
    hardy_identity_gap,
    hardy_norm_below,
    norms,
    operator_norm_below,
    positive_definite,
    positive_semidefinite,
    uniform_jacobian_spectrum,
)
from theory.bounds import (
    THEOREMS,
    Setting,
    bound_over_leading_squared,
    impostor_error_squared,
    last_step_inside,
    start_over_leading_squared,
    zero_always_passes,
)
from theory.laws.gaussian_norms import frobenius_rate
from theory.laws.two_steps import two_step_errors
from theory.next_order import inner
from theory.series import summed, trajectory
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = {"vocab_size": 3000, "length": 200, "layers": 3}


def test_windows_of_the_published_experiments() -> None:
    """5 steps at rate .005 of the thousands that were run; at .05 no step lies inside."""
    for name in ("Theorem 4.1", "Theorem D.10", "Theorem D.13"):
        assert last_step_inside(THEOREMS[name], **PUBLISHED, rate=fmpq(1, 200)) == 5
        assert last_step_inside(THEOREMS[name], **PUBLISHED, rate=fmpq(1, 20)) == 0


def test_the_edge_of_a_window_is_its_edge() -> None:
    theorem = THEOREMS["Theorem D.7"]
    edge = last_step_inside(theorem, 500, 60, 1, fmpq(1, 1000))
    assert theorem.failed(Setting(500, 60, 1, fmpq(1, 1000), edge)) == []
    assert theorem.failed(Setting(500, 60, 1, fmpq(1, 1000), edge + 1)) == ["s eta <= 3/(8 T^(3/8))"]


def test_the_informal_window_is_wider_than_the_formal_one() -> None:
    assert last_step_inside(THEOREMS["Theorem 4.1"], 3000, 200, 1, fmpq(1, 200)) == 16
    assert last_step_inside(THEOREMS["Theorem D.10"], 3000, 200, 1, fmpq(1, 200)) == 8


@pytest.mark.parametrize(
    ("setting", "failed"),
    [
        (Setting(3000, 200, 4, fmpq(1, 1000), 1), "L <= sqrt(T)/4"),
        (Setting(499, 200, 1, fmpq(1, 1000), 1), "V >= 500"),
        (Setting(500, 59, 1, fmpq(1, 1000), 1), "T >= 60"),
        (Setting(500, 100, 1, fmpq(1, 10), 1), "s eta <= 1/(12 L)"),
    ],
)
def test_conditions_name_what_fails(setting: Setting, failed: str) -> None:
    assert failed in THEOREMS["Theorem D.10"].failed(setting)


@pytest.mark.parametrize("steps", [3, 5, 40])
@pytest.mark.parametrize("name", ["Theorem 4.1", "Theorem D.10", "Theorem D.13", "Theorem D.7"])
def test_the_zero_matrix_passes_for_scores_on_every_corpus(name: str, steps: int) -> None:
    """At the least rate that the theorem allows, eta = 1/T, where the bound is tightest against s^4 eta^4."""
    passes = zero_always_passes(THEOREMS[name], Setting(500, 200, 1, fmpq(1, 200), steps))
    assert passes["W"]
    assert passes["P"]


def test_the_output_bound_does_tell_right_from_wrong() -> None:
    """For a corpus with a large B_bar and few steps, W_O = 0 violates its bound: the check can fail."""
    tokens = [[n % 2 for n in range(9)]]
    B_bar = exact_statistics(tokens, 2)["B_bar"]
    at = Setting(2, 8, 1, fmpq(1, 100), 3)
    for impostor in ("zero", "doubled", "negated"):
        ratio = impostor_error_squared(THEOREMS["Theorem 4.1"], impostor, "W_O", B_bar, at)
        assert ratio is not None
        assert ratio > 1


def test_bounds_on_scores_accept_every_impostor() -> None:
    tokens = corpus(0, 3, 4, 3)
    directions = leading_directions(exact_statistics(tokens, 3))
    at = Setting(3, 4, 1, fmpq(1, 4), 3)
    for group in ("W", "P"):
        for impostor in ("zero", "doubled", "negated", "transposed"):
            ratio = impostor_error_squared(THEOREMS["Theorem 4.1"], impostor, group, directions[group], at)
            assert ratio is not None
            assert ratio < 1
        size = inner(directions[group], directions[group])
        over = bound_over_leading_squared(THEOREMS["Theorem 4.1"], group, size, at)
        assert over is not None
        assert over > 1


def test_after_two_steps_scores_are_held_to_zero() -> None:
    at = Setting(8, 4, 1, fmpq(1, 2), 2)
    assert THEOREMS["Lemma D.5"].failed(at) == []
    assert THEOREMS["Lemma D.5"].bounds_squared(at)["W"] == 0
    assert impostor_error_squared(THEOREMS["Lemma D.5"], "zero", "W", fmpq_mat(8, 8), at) is None


@pytest.mark.parametrize("rate", [fmpq(1, 4), fmpq(1, 8)])
def test_lemma_for_two_steps_on_a_corpus(rate: fmpq) -> None:
    """V >= 8 and eta <= 1: the series to order 14 lies within the bounds of D.5 with room to spare."""
    tokens = corpus(6, 3, 3, 8)
    kept = trajectory(tokens, 8, 1, 2, 14)[-1]
    directions = leading_directions(exact_statistics(tokens, 8))
    bounds = THEOREMS["Lemma D.5"].bounds_squared(Setting(8, 3, 1, rate, 2))
    for group, power in (("W_O", 1), ("V", 2)):
        lead = directions[group] * (fmpq(step_coefficients(2)[group]) * rate**power)
        gap = summed(kept.group(group)[0], rate) - lead
        assert inner(gap, gap) <= bounds[group] / 4
    assert not any(kept.W[0]) and not any(any(d) for d in kept.P[0])  # noqa: PT018


@pytest.mark.parametrize("rate", [fmpq(1, 4), fmpq(1)])
@pytest.mark.parametrize("layers", [1, 2])
def test_the_closed_form_of_two_steps_is_what_two_steps_give(rate: fmpq, layers: int) -> None:
    tokens = corpus(6, 3, 3, 8)
    statistics = reference_statistics(np.array(tokens), 8)
    eta = float(int(rate.p) / int(rate.q))
    trained = train(np.array(tokens), 8, layers, eta, 2)
    B, Phi = statistics["B_bar"], statistics["Phi_bar"]
    off = {"W_O": trained["W_O"] - 2 * eta * B, "V": trained["V"] - eta**2 * Phi.T @ B.T}
    errors = two_step_errors(tokens, 8, rate)
    for group, balls in errors.items():
        middle = np.array([float(x.mid()) for x in balls.entries()]).reshape(8, 8)
        bound = rounding(np.ones((8, 8)), 100, "float64")
        assert (np.abs(off[group] - middle) <= bound).all()
        assert np.abs(middle).max() > 100 * bound.max()
        square = squared_norm(balls)
        value = float(square.mid())
        assert not certainly_at_most(square, fmpq(*(value * (1 - 2.0**-40)).as_integer_ratio()))
        assert certainly_at_most(square, fmpq(*(value * (1 + 2.0**-40)).as_integer_ratio()))


def test_gaussian_start_at_the_largest_scale_drowns_the_scores() -> None:
    """The sizes of the published run, three steps, and |Q_bar| as large as it can ever be."""
    at = Setting(3000, 200, 3, fmpq(1, 200), 3)
    ratio = start_over_leading_squared("W", fmpq(1), at, at.rate**2 / at.length**2)
    assert ratio is not None
    assert ratio == (at.rate**2 / at.length**2) ** 2 / (2 * at.rate**4) ** 2
    assert start_over_leading_squared("W", fmpq(0), at, at.rate) is None


@pytest.mark.parametrize("T", [1, 2, 5, 24])
def test_hardy(T: int) -> None:
    assert hardy_norm_below(T)
    assert hardy_identity_gap(T) == fmpq_mat(T, T)


def test_positive_definite_can_say_no() -> None:
    assert not positive_definite(fmpq_mat([[1, 2], [2, 1]]))
    assert positive_definite(fmpq_mat([[2, 1], [1, 2]]))


def test_what_reaches_its_limit_is_not_below_it() -> None:
    """Singular at the first pivot and at the last."""
    assert not positive_definite(fmpq_mat([[0]]))
    assert not positive_definite(fmpq_mat([[1, 1], [1, 1]]))
    assert not operator_norm_below(fmpq_mat([[3, 0], [0, 2]]), fmpq(3))
    assert operator_norm_below(fmpq_mat([[3, 0], [0, 2]]), fmpq(3) + fmpq(1, 10**9))


def test_a_ball_across_the_limit_is_not_certainly_at_most_it() -> None:
    assert not certainly_at_most(arb(1, 2**-20), fmpq(1))
    assert certainly_at_most(arb(1, 2**-20), fmpq(1) + fmpq(1, 2**19))


@pytest.mark.parametrize(("value", "holds"), [(fmpq(1), True), (fmpq(1, 3), True), (fmpq(4, 3), False)])
def test_a_decision_is_made_on_both_sides(value: fmpq, holds: bool) -> None:
    assert at_most(value, fmpq(1)) is holds


def test_what_balls_leave_open_is_refused() -> None:
    """A third and its ball overlap: more bits would not tell either, and nothing is guessed."""
    with pytest.raises(Undecided, match=f"{BITS} bits do not tell"):
        at_most(fmpq(1, 3), fmpq(1, 3))


@pytest.mark.parametrize(
    ("rows", "semidefinite"),
    [
        ([[0, 0], [0, 1]], True),
        ([[1, 1], [1, 1]], True),
        ([[0, 1], [1, 5]], False),
        ([[1, 2], [2, 4 - 1]], False),
        ([[1, 1, 0], [1, 1, 1], [0, 1, 9]], False),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 2]], True),
    ],
)
def test_semidefinite_matrices_are_told(rows: list[list[int]], semidefinite: bool) -> None:
    """The fifth has a zero pivot beside a nonzero entry after a step."""
    assert positive_semidefinite(fmpq_mat(rows)) is semidefinite


def test_a_window_is_searched_as_far_as_it_reaches() -> None:
    """At T = 60 and one layer 5/(8 sqrt(T)) ends it, (s eta)^2 <= 25/3840, at whatever rate."""
    for n in (2, 4, 6):
        last = last_step_inside(THEOREMS["Theorem D.10"], 500, 60, 1, fmpq(1, 10**n))
        assert last == math.isqrt(25 * 10 ** (2 * n) // 3840)


@pytest.mark.parametrize("t", [1, 2, 3, 8])
def test_norm_of_the_uniform_jacobian(t: int) -> None:
    spectrum = uniform_jacobian_spectrum(t)
    assert sum(count for _, count in spectrum) == t
    assert spectrum[-1][0] == (fmpq(1, t) if t > 1 else 0)


def test_polynomial_inequalities() -> None:
    assert attention_gain_gap() == fmpq_poly([])
    assert all(c >= 0 for c in coefficient_bound_gap().coeffs())
    assert all(c >= 0 for c in eighth_power_gap().coeffs())


@pytest.mark.parametrize("seed", range(4))
def test_norms_that_the_proofs_use(seed: int) -> None:
    for name, (value, limit) in norms(exact_statistics(corpus(seed, 2, 4, 3), 3)).items():
        assert value <= limit, name


def test_the_chance_of_a_large_start_has_the_rate_of_the_chi_square() -> None:
    """At c = 2 it is 3/2 - log 2; a mean of 1 is passed every other time, so that c = 1 has none."""
    at_two = frobenius_rate(fmpq(4)) + arb(2).log() - arb(fmpq(3, 2))
    assert at_two.contains(0)
    assert float(at_two.rad()) < 2.0**-40
    assert frobenius_rate(fmpq(1)) == frobenius_rate(fmpq(1, 4)) == 0


def test_how_long_sequences_of_the_text_must_be_for_a_leading_term_to_pass_the_largest_start() -> None:
    """Where c_s |Q_bar| is 1 at the end of the window of one layer, at eta = 1/T."""
    page = " ".join((ROOT / "docs" / "theory" / "samples-and-bounds.md").read_text().split())
    (told,) = re.findall(r"beyond ([\d,]+) positions", page)
    norm = re.search(r"^W 0 +(\S+)", (ROOT / "docs" / "tinystories.md").read_text(), re.MULTILINE)
    assert norm is not None
    Q_bar = float(norm[1]) / (step_coefficients(320)["W"] * 0.005**4)
    T = int(told.replace(",", ""))
    for length, passes in ((T, False), (2 * T, True)):
        rate = fmpq(1, length)
        last = last_step_inside(THEOREMS["Theorem D.10"], 500, length, 1, rate)
        assert 64 * last**2 <= 25 * length < 64 * (last + 1) ** 2
        assert (step_coefficients(last)["W"] * Q_bar > 1) == passes
    # s^4 / 8 at s = 5 sqrt(T) / 8 is T^2 over
    assert f"T^2 / {8 * (8 / 5) ** 4:.0f}$" in page


def test_the_rate_that_is_told_of_a_large_start_is_not_above_the_one_that_is_derived() -> None:
    """Rounded up it would be false: at V = 500 the chance is above exp(-0.807 V^2)."""
    page = (ROOT / "docs" / "theory" / "samples-and-bounds.md").read_text()
    (told,) = re.findall(r"e\^\{-(0\.\d+)\\, V\^2\}", page)
    assert fmpq(int(told.removeprefix("0.")), 10 ** (len(told) - 2)) < frobenius_rate(fmpq(4))
    # A chi-square of n degrees passes 4 n with more than its density at 4 n + 1.
    n = 500**2
    with mp.workdps(30):
        x = mpf(4 * n + 1)
        chance = (mpf(n) / 2 - 1) * log(x) - x / 2 - mpf(n) / 2 * log(2) - loggamma(mpf(n) / 2)
        assert chance > -mpf("0.807") * n
