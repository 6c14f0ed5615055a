"""The bounds hold, and are not so wide that a wrong answer fits in."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.cases import CORPORA, MODELS
from properties.laws.descent import order_of
from properties.rounded import LARGEST_MOVE, NothingKnown, Rounded, exact, softmax
from properties.rounded_model import given as given_parameters
from properties.rounded_model import gradients, stacked
from properties.statistics_bounds import _evidence_terms, statistics_magnitudes
from properties.tolerances import (
    ELEMENTARY_ULPS,
    EXPONENT_RESOLUTION,
    Exponent,
    between_two,
    draws_to_differ,
    empirical_distribution,
    exponent,
    fewest_inside,
    gamma,
    gaussian_cosine,
    likely_rounding,
    rounding,
    unit_roundoff,
)
from reference.statistics import statistics

RATES = [2.0**-3 / 2**i for i in range(4)]
SMALL = st.integers(-(2**20), 2**20).map(lambda n: n / 2**16)


def matrices(rows, columns):
    return st.lists(st.lists(SMALL, min_size=columns, max_size=columns), min_size=rows, max_size=rows).map(
        np.array
    )


def test_what_chance_gives_draws_is_that_of_its_own_formulas():
    """Massart's bound is 2 exp(-2 n e^2) = 2 exp(-8) at e; the binomial one is summed term by term."""
    assert [empirical_distribution(n) for n in (4, 16, 64)] == [1.0, 0.5, 0.25]
    rare = 2 * math.exp(-8)
    for n in range(1, 33):
        chance = [math.comb(n, k) * 0.95**k * 0.05 ** (n - k) for k in range(n + 1)]
        fewest = fewest_inside(n)
        assert sum(chance[:fewest]) <= rare < sum(chance[: fewest + 1])


def test_the_units_and_the_sums_of_roundings_are_those_of_the_textbook():
    """Each number by hand: u is half the distance to the next number above 1, gamma_n = n u / (1 - n u)."""
    assert unit_roundoff("float64") == 2 * 2.0**-53
    assert unit_roundoff("float32") == 2.0**-24 + 2.0**-53
    assert gamma(1, 0.25) == 1 / 3
    assert gamma(3, 0.125) == 3 / 5
    assert gamma(4, 0.25) == math.inf
    u = unit_roundoff("float64")
    assert rounding(2.0, 5, "float64") == 2 * (5 * u / (1 - 5 * u))
    assert (
        rounding(np.array([0.0, 1.0]), 1, "float32") == [0.0, gamma(1, 2.0**-24 + 2.0**-53) + 2.0**-126]
    ).all()
    # Where nothing is known of rounding, a sum of no terms is still exactly nothing.
    nothing_known = rounding(np.array([0.0, 1.0, math.nan]), 2**25, "float32")
    np.testing.assert_array_equal(nothing_known, [0.0, math.inf, math.nan])
    # A bound is not rounded to the type of its terms.
    assert (rounding(np.ones(2, dtype=np.float32), 3, "float32") == rounding(1.0, 3, "float32")).all()
    # An entry whose terms underflow loses the smallest normal number an operation, and no more than that.
    assert rounding(2.0**-1022, 3, "float64") == 3 * 2.0**-1022 * (1 + u / (1 - 3 * u))
    assert likely_rounding(100, "float64") == 4 * 10 * u
    # 60 coins that all fall as the first one did, or 30 draws out of four.
    assert [draws_to_differ(choices) for choices in (2, 4, 2**60)] == [61, 31, 2]


def test_a_fit_without_movement_is_as_wide_as_its_noise():
    """Each slope moves by 2 noise / ln 2, and 2 p_3 - p_2 by three times that."""
    fit = exponent([8.0, 1.0, 0.125, 1 / 64], relative_noise=2.0**-10)
    assert fit.value == 3
    width = 6 * 2.0**-10 / math.log(2)
    assert abs(fit.half_width - width) <= rounding(width, 4, "float64")
    assert exponent([4.0, 1.0, 0.25, 0.0], 0.5) == Exponent(value=math.inf, half_width=0.0)
    # Slopes 1, 2, 4: extrapolated 2 * 4 - 2, moved by 1 and by 2.
    assert exponent([128.0, 64.0, 16.0, 1.0], 0.0) == Exponent(value=6.0, half_width=3.0)
    # Slopes 2, 1, 1: extrapolated 1, moved by 1 in all.
    assert exponent([16.0, 4.0, 2.0, 1.0], 0.0) == Exponent(value=1.0, half_width=1.0)


def test_the_cosine_of_a_noisy_signal_is_where_chance_puts_it():
    expected, band = gaussian_cosine(3.0, 300)
    assert expected == 0.5
    assert abs(band - 0.5) <= rounding(0.5, 4, "float64")
    rng = np.random.default_rng(0)
    for ratio in (0.25, 3.0):
        expected, band = gaussian_cosine(ratio, 300)
        signal = rng.normal(size=(200, 300))
        noise = rng.normal(size=(200, 300)) * math.sqrt(ratio)
        total = signal + noise
        cosines = (
            (total * signal).sum(axis=1) / np.linalg.norm(total, axis=1) / np.linalg.norm(signal, axis=1)
        )
        assert np.abs(cosines - expected).max() < band
        assert abs(cosines.mean() - expected) < band / 10


def test_gamma_grows_and_ends():
    u = unit_roundoff("float32")
    assert gamma(1, u) < gamma(2, u) < gamma(1000, u)
    assert gamma(2**25, u) == math.inf


@given(matrices(3, 4), matrices(4, 2), matrices(2, 3))
def test_a_float32_product_stays_within_its_bound_in_either_order(a, b, c):
    bound = exact(a, "float32") @ exact(b, "float32") @ exact(c, "float32")
    truth = [
        [
            sum(Fraction(a[i, p]) * Fraction(b[p, q]) * Fraction(c[q, j]) for p in range(4) for q in range(2))
            for j in range(3)
        ]
        for i in range(3)
    ]
    a32, b32, c32 = (m.astype(np.float32) for m in (a, b, c))
    for got in ((a32 @ b32) @ c32, a32 @ (b32 @ c32)):
        error = np.abs(
            np.array(
                [[float(abs(Fraction(float(got[i, j])) - truth[i][j])) for j in range(3)] for i in range(3)]
            )
        )
        assert (error <= bound.error).all()


@given(matrices(2, 5))
def test_a_float32_softmax_stays_within_its_bound(z):
    bound = softmax(exact(z, "float32"))
    z32 = z.astype(np.float32)
    weight = np.exp(z32 - z32.max(axis=1, keepdims=True))
    got = weight / weight.sum(axis=1, keepdims=True)
    assert (np.abs(got - bound.value) <= bound.error).all()


@given(matrices(2, 3), matrices(3, 2))
def test_a_product_inherits_the_errors_of_both_factors(a, b):
    doubt = 2.0**-6
    left = Rounded(a, np.abs(a), np.full(a.shape, doubt), "float64")
    right = Rounded(b, np.abs(b), np.full(b.shape, doubt), "float64")
    # Both factors moved as far as they may, in the direction that moves the product most.
    moved = (np.abs(a) + doubt) @ (np.abs(b) + doubt) - np.abs(a) @ np.abs(b)
    own = rounding(np.abs(a) @ np.abs(b) + moved, 8, "float64")
    error = (left @ right).error
    assert (error >= moved - own).all()
    assert (error <= moved + own).all()


@given(matrices(2, 2), st.sampled_from([0.1, -3.0, 2.0**-20]))
def test_a_scaled_array_is_rounded_a_few_times_and_no_more(a, factor):
    assert (exact(a, "float32").times(factor).error <= rounding(np.abs(a * factor), 4, "float32")).all()


def uncertain(error):
    return Rounded(np.zeros((1, 2)), np.zeros((1, 2)), np.full((1, 2), error), "float64")


def test_a_softmax_of_anything_is_refused_and_none_before_its_room_is_used_up():
    for error in (1e6, LARGEST_MOVE / 2):  # the maximum's difference rounds the error too
        with pytest.raises(NothingKnown, match="so far that its softmax can be anything"):
            softmax(uncertain(error))
    last = LARGEST_MOVE / 2 * (1 - 2.0**-51)
    assert 2 * (last + 2 * unit_roundoff("float64") * last) == LARGEST_MOVE
    for error in (last, LARGEST_MOVE / 3 + 1):
        assert np.isfinite(softmax(uncertain(error)).error).all()


def test_the_error_of_a_softmax_is_counted_by_hand_row_by_row():
    """Hidden entries are larger and less sure than all that is seen; the rows differ in size and doubt."""
    value = np.array([[0.5, -2.0, 1e3], [8.0, 1.0, 1e3]])
    doubt = np.array([[2.0**-10, 2.0**-6, 0.25], [2.0**-4, 2.0**-9, 0.25]])
    visible = np.array([[True, True, False], [True, True, False]])
    found = softmax(Rounded(value, np.abs(value), doubt, "float32"), visible)
    u = unit_roundoff("float32")
    for row, (largest, least_sure) in enumerate([(2.0 + 2.0**-6, 2.0**-6), (8.0 + 2.0**-4, 2.0**-4)]):
        weights = [math.exp(value[row, k] - value[row, :2].max()) for k in range(2)]
        moved = least_sure + 2 * u * largest
        own = gamma(3 + 2 + 2 * ELEMENTARY_ULPS, u)
        for k in range(2):
            probability = weights[k] / sum(weights)
            error = probability * (math.expm1(2 * moved) * (1 + own) + own)
            assert abs(found.value[row, k] - probability) <= rounding(probability, 12, "float64")
            assert abs(found.error[row, k] - error) <= rounding(error, 24, "float64")
        assert found.value[row, 2] == found.error[row, 2] == 0


def test_the_bounds_of_the_statistics_count_no_more_operations_than_there_are():
    """A count a thousand times too large would let a slip through: B_bar, Phi_bar and their products."""
    case = CORPORA.ordinary
    N, T, V = case.tokens.shape[0], case.tokens.shape[1] - 1, case.vocab_size
    once = N * T * (T + 1) // 2 + N * T + V + T + 8
    magnitudes = statistics_magnitudes(case.tokens, V)
    for name, magnitude in magnitudes.items():
        assert magnitude.operations <= 6 * once, name
        assert (magnitude.terms >= np.abs(statistics(case.tokens, V)[name])).all(), name
    # Shares of one, each with its even part; a row of Q_i has twice the largest |M|, which is twice |G_bar|.
    limits = {"B_bar": 2, "Phi_bar": 2, "Q_bar": 4 * magnitudes["G_bar"].terms.max()}
    for name, limit in {**limits, "Delta_bar": limits["Q_bar"]}.items():
        assert magnitudes[name].terms.sum() <= limit * (1 + gamma(once, unit_roundoff("float64"))), name


def test_the_operations_of_a_corpus_of_two_predictions_are_counted_by_hand():
    """N = 1, T = 2, V = 2: three pairs (t, k). A product adds those of its factors and the terms it sums."""
    tokens = np.array([[0, 1, 1]])
    magnitudes = statistics_magnitudes(tokens, 2)
    B, Phi = 2 + 4, 3 + 2 + 4
    Sigma = B + B + 2
    G = Sigma + Phi + 2
    expected = {"B_bar": B, "Phi_bar": Phi, "Sigma_B": Sigma, "G_bar": G}
    expected |= dict.fromkeys(("Q_bar", "Delta_bar"), G + 2 + 2 + 4 + 3)
    assert {name: magnitude.operations for name, magnitude in magnitudes.items()} == expected
    # Terms made positive: joint and uniform part of B_bar, shares and uniform part of Phi_bar.
    B_terms = np.array([[0.5, 1.5], [0.5, 1.5]]) / 2
    Phi_terms = np.array([[0.75, 0.25], [0.75 + 1.5, 0.25 + 0.5]]) / 2
    assert (magnitudes["B_bar"].terms == B_terms).all()
    assert (magnitudes["Phi_bar"].terms == Phi_terms).all()
    assert (magnitudes["Sigma_B"].terms == B_terms.T @ B_terms).all()
    G_terms = B_terms.T @ B_terms @ Phi_terms
    assert (magnitudes["G_bar"].terms == G_terms).all()
    # Both targets are word 1. Row 0 sees word 0; row 1 sees words 0 and 1, each with its mean, over two.
    M = G_terms[1] + G_terms.mean(axis=0)
    first, second = 2 * M[0], (M + M.sum() / 2) / 2
    by_distance = np.array([first + second[1], second[0]])
    for name, twice in (("Q_bar", np.array([[first, 0.0], second])), ("Delta_bar", by_distance)):
        assert (np.abs(magnitudes[name].terms - twice / 2) <= rounding(twice, 8, "float64")).all()


def test_the_evidence_of_two_sequences_is_that_of_both():
    """Half of each sequence's own, word by word and distance by distance, for any G_bar made positive."""
    both = np.array([[0, 1, 1], [1, 0, 1]])
    G = np.array([[0.25, 0.5], [1.0, 2.0]])
    whole = _evidence_terms(both, G)
    parts = [_evidence_terms(one[None], G) for one in both]
    for got, first, second in zip(whole, *parts, strict=True):
        assert (got == (first + second) / 2).all()


def test_the_resolution_of_an_exponent_tells_neighbouring_orders_apart():
    assert EXPONENT_RESOLUTION < 1 / 2


def test_the_bounds_of_the_gradients_are_far_below_the_gradients():
    """A bound that has grown past its subject would let every slip through."""
    case = MODELS.ordinary
    found = gradients(given_parameters(case.parameters, "float64"), case.tokens)
    for group in found:
        value, bound = stacked(found, group)
        assert np.linalg.norm(bound) < np.sqrt(unit_roundoff("float64")) * np.linalg.norm(value), group


@given(st.integers(1, 8), st.floats(-3, 3), st.floats(-3, 3), st.floats(0.1, 10))
def test_a_fitted_exponent_has_the_true_one_in_its_interval(order, first, second, scale):
    rates = [2.0**-6 / 2**i for i in range(4)]
    remainders = [scale * eta**order * (1 + first * eta + second * eta**2) for eta in rates]
    fit = exponent(remainders, relative_noise=unit_roundoff("float64") * 8)
    assert abs(fit.value - order) <= fit.half_width + 8 * unit_roundoff("float64") * order
    assert fit.half_width < EXPONENT_RESOLUTION


SIGN = st.sampled_from([1, -1])


@given(st.integers(1, 8), st.floats(-12, 14), SIGN, st.floats(-14, 20), SIGN)
def test_a_fit_is_never_below_the_order_even_where_later_terms_are_the_larger(m, second, sign, third, other):
    """Their coefficients may be thousands of times larger: the slopes then lie between two orders."""
    x, y = sign * 2**second, other * 2**third
    fit = exponent([eta**m * abs(1 + x * eta + y * eta**2) for eta in RATES], unit_roundoff("float64") * 8)
    if fit.half_width <= EXPONENT_RESOLUTION and math.isfinite(fit.value):
        law = order_of("a remainder", fit, m)
        assert abs(law.got - law.expected) <= law.bound
        slipped = order_of("a remainder", fit, m + 3)
        assert abs(slipped.got - slipped.expected) > slipped.bound


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("got", "expected", "growth"),
    [
        ([-6.0, 1.0, 0.0], [2.0, 1.0, 0.0], 3.0),  # larger than expected: its rounding grows in proportion
        ([0.5, -0.25, 0.0], [2.0, -4.0, 1.0], 1.0),  # smaller: it does not shrink
        ([6.0, 1.0, 0.0], [0.0, 0.0, 0.0], 1.0),  # where nothing is expected there is no proportion
        ([1.5, 0.0, 0.0], [-1.5, 0.5, 0.0], 1.0),
        ([0.75, 0.0, 0.0], [0.5, 0.5, 0.5], 1.5),
    ],
)
def test_two_implementations_may_differ_by_the_rounding_of_both(got, expected, growth, dtype):
    got, expected = np.array(got), np.array(expected)
    bound = np.array([2.0**-30, 2.0**-20, 0.0])
    own = rounding(float(np.abs(got).max()), 3 + 2 * ELEMENTARY_ULPS, dtype)
    found = between_two(got, expected, bound, dtype)
    assert (found == 2 * (growth * bound + own)).all()
    assert own > 0


def test_between_two_of_nothing_is_nothing():
    assert between_two(np.zeros(0), np.zeros(0), np.zeros(0), "float64").shape == (0,)
