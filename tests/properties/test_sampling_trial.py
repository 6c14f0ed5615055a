"""The interval for a cosine of samples, tried by drawing them; and trials that would let a wrong one pass."""

import math
from dataclasses import replace

import numpy as np
import pytest
from breaking import broken
from test_prediction_slips import sequences

from properties.predictions import random_groups, sampling_trial
from properties.predictions.sampling import Noise, cosine_loss
from properties.predictions.sampling_trial import Trial, blocks, noise_of, outcome, place, tried
from properties.predictions.variance_ratio import VarianceRatio
from properties.tolerances import CONFIDENCE, empirical_distribution, fewest_inside
from reference.errors import InputError
from reference.statistics import statistics

SAMPLE, WHOLE, GROUPS = 48, 96, 8


def trials(nested, count, group_size=SAMPLE, seed=5):
    size = GROUPS * group_size + WHOLE + (0 if nested else SAMPLE)
    return tried(
        sequences(size * count, seed),
        3,
        sample=SAMPLE,
        whole=WHOLE,
        groups=GROUPS,
        group_size=group_size,
        nested=nested,
        seed=0,
        statistics=statistics,
    )


@pytest.mark.parametrize(("nested", "group_size"), [(True, 12), (False, 48)])
def test_draws_lie_in_their_intervals_as_often_as_these_say(nested, group_size):
    # The other statistics of these sequences are noise alone: distance means nothing to them.
    found = trials(nested, 48, group_size)
    for group in ("W_O", "V"):
        assert len(found[group].trials) == 48
        assert found[group].holds, group
        inside = sum(one.inside for one in found[group].trials) / 48
        assert abs(inside - CONFIDENCE) <= empirical_distribution(48)


@pytest.mark.parametrize("nested", [True, False])
def test_what_is_drawn_in_a_trial_gave_no_part_of_its_interval(nested):
    size = 4 * 2 + 5 + (0 if nested else 3)
    tokens, seen = sequences(2 * size), []
    tokens[:, :7] = (np.arange(len(tokens))[:, None] // 3 ** np.arange(7)) % 3  # no two sequences alike

    def recorded(part, vocab_size):
        seen.append({tuple(one) for one in part})
        return statistics(part, vocab_size)

    sizes = {"sample": 3, "whole": 5, "groups": 4, "group_size": 2}
    tried(tokens, 3, **sizes, nested=nested, seed=0, statistics=recorded)
    assert len(seen) == 2 * (1 + 4 + 2)
    for own, *groups, small, large in (seen[:7], seen[7:]):
        assert [len(own), len(small), len(large)] == [8, 3, 5]
        assert set().union(*groups) == own
        assert not own & (small | large)
        assert len(small & large) == (3 if nested else 0)
    assert not seen[0] & seen[7]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("module", "right", "wrong", "nested"),
    [
        ("random_groups", "VarianceRatio(2 / relative,", "VarianceRatio(20 / relative,", True),
        (
            "random_groups",
            "Noise(rho, rho * low, rho * high, ratio)",
            "Noise(rho, 2 * rho * low, 2 * rho * high, ratio)",
            False,
        ),
        ("sampling", "if nested else -other", "if not nested else -other", False),
        ("sampling", "if nested else -other", "if not nested else -other", True),
    ],
)
def test_a_wrong_interval_is_seen(monkeypatch, module, right, wrong, nested):
    """Too narrow, off its middle, or for the other kind of sample."""
    slipped = broken(f"properties.predictions.{module}", right, wrong)
    if module == "sampling":
        monkeypatch.setattr(random_groups, "Noise", slipped.Noise)
    else:
        monkeypatch.setattr(sampling_trial, "deal", slipped.deal)
    found = trials(nested, 250)
    assert not any(found[group].holds for group in ("W_O", "V"))


@pytest.mark.parametrize("nested", [True, False])
@pytest.mark.parametrize("rho", [1e-6, 0.03, 0.4])
def test_the_noise_is_that_which_gives_the_cosine(nested, rho):
    lost = cosine_loss(rho, 30, 70, nested=nested)
    assert noise_of(lost, 30, 70, nested=nested) == pytest.approx(rho)
    # And the cosine by its own formula.
    q = 3 / 7
    cos = math.sqrt((1 + q * rho) / (1 + rho)) if nested else 1 / math.sqrt((1 + q * rho) * (1 + rho))
    assert 1 - cos == pytest.approx(lost)


def test_no_noise_gives_a_cosine_below_that_of_strangers():
    assert noise_of(0.9, 30, 70, nested=True) == math.inf
    assert noise_of(1.0, 30, 70, nested=False) == math.inf
    assert noise_of(0.0, 30, 70, nested=True) == 0


def test_places_are_those_of_the_interval():
    ratio, tail = VarianceRatio(4, 90, 5.5), (1 - CONFIDENCE) / 2
    noise = Noise(0.02, 0.02 * ratio.quantile(tail), 0.02 * ratio.quantile(1 - tail), ratio)
    places = [(noise.low, tail), (noise.high, 1 - tail), (0.02 * ratio.quantile(0.4), 0.4), (0.0, 0.0)]
    for rho, where in [*places, (math.inf, 1.0)]:
        assert place(noise, rho) == pytest.approx(where)
    # An end that was told wrong moves the places of all draws.
    assert place(replace(noise, high=2 * noise.high), noise.high) < 1 - 2 * tail
    assert math.isnan(place(replace(noise, low=math.nan), 0.02))


def test_blocks_share_no_sequence_and_leave_none_that_makes_another():
    tokens = np.arange(46).reshape(23, 2)
    found = [*blocks(tokens, 5, seed=3)]
    assert [one.shape for one in found] == [(5, 2)] * 4
    assert len(np.unique(np.concatenate(found)[:, 0])) == 20


@pytest.mark.parametrize(
    ("places", "distance"),
    [
        ([0.125, 0.375, 0.625, 0.875], 0.125),
        ([0.5, 0.5, 0.5, 0.5], 0.5),  # an interval that is far too wide
        ([0.0, 0.0, 1.0, 1.0], 0.5),  # or too narrow
        ([0.9, 0.9, 0.9, 0.9], 0.9),  # or off its middle
    ],
)
def test_the_distance_is_the_largest_of_two_distributions(places, distance):
    found = outcome(tuple(Trial(0.5, 0.25, 0.75, 0.5, one) for one in places))
    assert found.distance == pytest.approx(distance)
    many = outcome(found.trials * 32)
    assert many.bound == pytest.approx(4 / (2 * math.sqrt(128)))
    assert many.holds == (distance < 0.2)


def test_intervals_that_miss_too_many_draws_do_not_hold():
    """Places that are spread evenly but for a fifth of the draws, all just outside."""
    places = (np.arange(100) + 0.5) / 100
    missed = Trial(0.5, 0.25, 0.375, 0.5, 0.0)
    trials = [Trial(0.5, 0.25, 0.75, 0.5, one) for one in places]
    few, many = (outcome((*trials[n:], *[replace(missed, place=one) for one in places[:n]])) for n in (5, 20))
    assert (few.inside, many.inside) == (95, 80)
    assert few.distance == many.distance <= few.bound
    assert few.holds
    assert not many.holds


def test_the_fewest_inside_are_those_of_the_binomial_distribution():
    rare = 2 * math.exp(-8)
    for n in (2, 20, 117):
        below = np.cumsum([math.comb(n, k) * CONFIDENCE**k * (1 - CONFIDENCE) ** (n - k) for k in range(n)])
        fewest = fewest_inside(n)
        assert below[fewest] > rare
        assert fewest == 0 or below[fewest - 1] <= rare


def test_a_trial_without_a_direction_is_not_known():
    found = outcome((Trial(math.nan, math.nan, math.nan, 0.5, math.nan), Trial(0.5, 0.25, 0.75, 0.5, 0.5)))
    assert found.unknown
    assert not found.holds


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((4, 2, 4, 2), "make no trial"),
        ((4, 8, 3, 2), "make no trial"),
        ((4, 8, 4, 0), "make no trial"),
        ((4, 8, 4, 5), "make no trial"),
        ((4, 8, 4, 4), "A trial takes 24 sequences"),
    ],
)
def test_sizes_that_make_no_trial_are_refused(sizes, said):
    sample, whole, groups, group_size = sizes
    with pytest.raises(InputError, match=said):
        tried(
            sequences(30),
            3,
            sample=sample,
            whole=whole,
            groups=groups,
            group_size=group_size,
            nested=True,
            seed=0,
            statistics=statistics,
        )
