"""What random groups show of a sample's noise: against its closed forms, however the groups were dealt."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special
from test_prediction_slips import sequences

from properties.predictions.random_groups import Scatter, deal, relative_variance
from properties.predictions.sampling import bigram_noise, leading_directions
from properties.tolerances import CONFIDENCE
from reference.statistics import bigram, statistics

GROUPS = 24
SCATTER = Scatter(rho=0.02, normal=0.1, own=0.4, square_deviation=0.3, groups=GROUPS, group_size=50)


def dealt(tokens, sample, seed):
    whole = leading_directions(tokens, statistics(tokens, 3))
    return deal(tokens, 3, whole, sample=sample, groups=GROUPS, seed=seed, statistics=statistics)


def normal_part(tokens):
    """nu of B_bar, from the covariance of the sequences' own tables across that of all."""
    own = np.array([bigram(one[None], 3).ravel() for one in tokens])
    mean = own.mean(axis=0)
    across = own - np.outer(own @ mean / (mean @ mean), mean)
    covariance = across.T @ across / len(own)
    return 2 * np.trace(covariance @ covariance) / np.trace(covariance) ** 2


def test_however_the_groups_are_dealt_a_large_sample_has_the_same_interval():
    """Two numbers with k(k-1)/2 pairs behind one and k-1 groups behind the other, for B_bar known exactly."""
    tokens = sequences(384)
    exact, noise = normal_part(tokens), bigram_noise(tokens, 3, 1000).sequences
    pairs, widths = GROUPS * (GROUPS - 1) / 2, []
    for seed in range(3):
        found = dealt(tokens, 1000, seed)
        assert (found.left_out, found.group_size) == (True, 16)
        one = found.scatter["W_O"]
        # Here nearly all of the noise has one direction, and the products of pairs hang together as the
        # groups themselves do; where it has many the estimate is much nearer.
        assert abs(one.normal / exact - 1) < 4 * math.sqrt(2 / GROUPS)
        assert abs(one.noise(1000).rho / noise - 1) < 4 * math.sqrt(exact / GROUPS)
        widths.append(math.log(one.noise(1000).high / one.noise(1000).low))
    assert np.std(widths) / np.mean(widths) < math.sqrt(1 / pairs)


@pytest.mark.parametrize(("sample", "left_out"), [(20, False), (400, True)])
def test_groups_and_what_is_left_without_them_show_one_noise(sample, left_out):
    tokens = sequences(480)
    found = dealt(tokens, sample, 1)
    assert (found.left_out, found.group_size) == (left_out, 20)
    one = found.scatter["W_O"]
    own = np.array([bigram(part[None], 3) for part in tokens])
    mean = own.mean(axis=0)
    along = (own * mean).sum(axis=(1, 2)) / (mean**2).sum()
    # |x|^2 moves with a sequence by twice its part along x; a deviation of n groups is known to 1/sqrt(2 n).
    expected = 2 * along.std(ddof=1) / math.sqrt(20)
    assert abs(one.square_deviation / expected - 1) < 3 * math.sqrt(1 / (2 * GROUPS))
    assert abs(one.rho / bigram_noise(tokens, 3, 20).sequences - 1) < 4 * math.sqrt(one.own / GROUPS)


def test_what_is_left_shows_how_the_groups_own_noise_scatters():
    """B_bar is linear: what a group adds across and along the whole is known from its own table."""
    tokens, size = sequences(480), 20
    order = np.random.default_rng(1).permutation(480).reshape(GROUPS, size)
    x, groups = bigram(tokens, 3), np.array([bigram(tokens[some], 3) for some in order])
    along = (groups * x).sum(axis=(1, 2)) / (x * x).sum()
    across = ((groups - along[:, None, None] * x) ** 2).sum(axis=(1, 2))
    # Less 2 along: a longer group is turned less by the same noise.
    expected = np.var(across / across.mean() - 2 * along, ddof=1)
    found = dealt(tokens, 400, 1).scatter["W_O"]
    assert abs(found.own / expected - 1) < 1 / GROUPS
    # By hand, from what is left of 480 without 20: 460/480 of the whole, and 23 times as many as a group.
    left = (24 * x - groups) / 23
    along = (left * x).sum(axis=(1, 2)) / (x * x).sum()
    tan2 = ((left / along[:, None, None] - x) ** 2).sum(axis=(1, 2)) / (x * x).sum()
    assert found.rho == pytest.approx(23 * np.mean(tan2 / (1 - 23 / 24 * (1 + tan2))))


def test_a_sample_of_a_groups_size_goes_by_the_groups_alone():
    one = replace(SCATTER, normal=math.nan).noise(50)
    assert one.rho == pytest.approx(0.02)
    assert one.freedom == pytest.approx(GROUPS - 1)
    reach = special.stdtrit(GROUPS - 1, (1 + CONFIDENCE) / 2) * math.sqrt(math.log(1 + 0.4 + 0.4 / GROUPS))
    assert math.log(one.high / one.low) / 2 == pytest.approx(reach)
    assert math.sqrt(one.low * one.high) == pytest.approx(0.02 / math.sqrt(1.4))


def test_of_a_large_sample_the_normal_part_is_left():
    one = SCATTER.noise(50 * 10**9)
    parts = 0.1, 0.4 / GROUPS
    freedom = sum(parts) ** 2 / (0.1**2 / (GROUPS * (GROUPS - 1) / 2) + parts[1] ** 2 / (GROUPS - 1))
    assert one.freedom == pytest.approx(freedom)
    reach = special.stdtrit(freedom, (1 + CONFIDENCE) / 2) * math.sqrt(math.log(1 + sum(parts)))
    assert math.log(one.high / one.low) / 2 == pytest.approx(reach)
    # In between both count, as shares of one.
    middle = SCATTER.noise(200)
    assert middle.rho / math.sqrt(middle.low * middle.high) == pytest.approx(math.sqrt(1 + 0.75 * 0.1 + 0.1))


@pytest.mark.parametrize("unknown", [{"rho": math.nan}, {"normal": math.nan}, {"normal": -1.0}])
def test_where_the_groups_do_not_tell_there_is_no_interval(unknown):
    assert math.isnan(replace(SCATTER, **unknown).noise(200).low)


def test_products_without_noise_have_no_relative_variance():
    assert math.isnan(relative_variance(np.ones((5, 5))))


def test_the_square_of_a_larger_corpus_is_known_better():
    reach = special.stdtrit(GROUPS - 1, (1 + CONFIDENCE) / 2)
    assert SCATTER.half_width_of_square(50) == pytest.approx(0.3 * reach)
    assert SCATTER.half_width_of_square(200) == pytest.approx(0.15 * reach)
