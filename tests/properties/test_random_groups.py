"""What random groups show of a sample's noise: against its closed forms, however the groups were dealt."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import special
from test_prediction_slips import sequences

from properties.predictions.random_groups import Scatter, deal, relative_variance
from properties.predictions.sampling import bigram_noise, leading_directions
from properties.predictions.variance_ratio import VarianceRatio
from properties.tolerances import CONFIDENCE
from reference.sketch import Sketch
from reference.statistics import bigram, statistics

GROUPS = 24
# A standard deviation from k values is off by 1/sqrt(2k), three times as much being rare.
DEVIATION = 3 / math.sqrt(2 * GROUPS)
ENDS = (1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2
SCATTER = Scatter(
    rho=0.02, normal=0.1, own=0.4, square_deviation=0.3, excess=30.0, groups=GROUPS, group_size=50
)


def dealt(tokens, sample, seed):
    whole = leading_directions(tokens, statistics(tokens, 3))
    return deal(tokens, 3, whole, sample=sample, groups=GROUPS, seed=seed, statistics=statistics)


def normal_part(tokens, vocab_size=3, *, across=True):
    """nu of B_bar, from the covariance of the sequences' own tables across that of all, or along it too."""
    own = np.array([bigram(one[None], vocab_size).ravel() for one in tokens])
    mean = own.mean(axis=0)
    noise = own - np.outer(own @ mean / (mean @ mean), mean) if across else own - mean
    covariance = noise.T @ noise / len(own)
    return 2 * np.trace(covariance @ covariance) / np.trace(covariance) ** 2


def test_however_the_groups_are_dealt_a_large_sample_has_the_same_interval():
    """Two numbers with k(k-1)/2 pairs behind one and k-1 groups behind the other, for B_bar known exactly."""
    tokens = sequences(384)
    exact, noise = normal_part(tokens), bigram_noise(tokens, 3, 1000).sequences
    widths = []
    for seed in range(3):
        found = dealt(tokens, 1000, seed)
        assert (found.left_out, found.group_size) == (True, 16)
        one = found.scatter["W_O"]
        # Here nearly all of the noise has one direction, and the products of pairs hang together as the
        # groups themselves do; where it has many the estimate is much nearer.
        assert abs(one.normal / exact - 1) < 4 * math.sqrt(2 / GROUPS)
        assert abs(one.noise(1000).rho / noise - 1) < 4 * math.sqrt(exact / GROUPS)
        widths.append(math.log(one.noise(1000).high / one.noise(1000).low))
    # Of k normal groups in one direction nu has the relative variance 24/k^3, that of their fourth moment
    # over the square of their second; and no width moves by more, relatively, than nu: it goes with a power
    # of nu between a half, for many directions, and one.
    assert np.std(widths) / np.mean(widths) < 3 * math.sqrt(24 / GROUPS**3)


def test_noise_along_the_whole_is_no_scatter_of_what_turns():
    """Sequences with much of one pair and with little: their tables differ in length above all."""
    rng = np.random.default_rng(0)
    words = [rng.integers(0, 6, 13) if n % 2 else [*[0, 1] * 3, *rng.integers(0, 6, 7)] for n in range(384)]
    tokens = np.array(words)
    whole = leading_directions(tokens, statistics(tokens, 6))
    found = deal(tokens, 6, whole, sample=16, groups=GROUPS, seed=0, statistics=statistics)
    exact = normal_part(tokens, 6)
    # Many directions share what is across: each pair of groups is one more look at them.
    within = 3 * math.sqrt(2 / (GROUPS * (GROUPS - 1) / 2))
    assert abs(found.scatter["W_O"].normal / exact - 1) < within
    assert normal_part(tokens, 6, across=False) / exact > 1 + 4 * within


@pytest.mark.parametrize("sample", [8, 1000])
def test_the_order_of_the_text_has_no_part_in_the_noise(sample):
    """A text sorted by kind: groups of neighbours would be further from the whole than any sample."""
    tokens = sequences(192)
    tokens = tokens[np.argsort(tokens.mean(axis=1))]
    one = dealt(tokens, sample, 0).scatter["W_O"]
    assert abs(one.rho / bigram_noise(tokens, 3, 8).sequences - 1) < 4 * math.sqrt(one.own / GROUPS)
    assert one.own < 5


def test_one_sequence_that_differs_gives_no_interval():
    """What is left without it is turned further than by any noise: the next sample may have it, or not."""
    tokens = np.tile([0, 1, 0, 0, 1, 2, 0], (72, 1))
    tokens[40] = [2, 1, 2, 2, 1, 0, 2]
    assert math.isnan(dealt(tokens, 60, 0).scatter["W_O"].noise(60).low)


def test_a_group_that_is_as_the_whole_is_counted_with_the_others():
    """Half of the sequences are of one kind and half of the other, and many pairs have one of each."""
    tokens = np.array([[0, 1, 0, 0, 1, 2, 0], [2, 0, 2, 2, 1, 0, 2]] * GROUPS)
    one = dealt(tokens, 2, 0).scatter["W_O"]
    assert abs(one.rho / bigram_noise(tokens, 3, 2).sequences - 1) < 4 * math.sqrt(one.own / GROUPS)
    # And of sequences that are all alike nothing is known of another.
    assert math.isnan(dealt(tokens[::2], 1, 0).scatter["W_O"].noise(1).rho)


@pytest.mark.parametrize(("sample", "left_out"), [(20, False), (400, True)])
def test_groups_and_what_is_left_without_them_show_one_noise(sample, left_out):
    tokens = sequences(480)
    found = dealt(tokens, sample, 1)
    assert (found.left_out, found.group_size) == (left_out, 20)
    one = found.scatter["W_O"]
    own = np.array([bigram(part[None], 3) for part in tokens])
    mean = own.mean(axis=0)
    along = (own * mean).sum(axis=(1, 2)) / (mean**2).sum()
    # |x|^2 moves with a sequence by twice its part along x.
    right = 2 * along.std(ddof=1) / math.sqrt(20)
    assert abs(one.square_deviation / right - 1) < DEVIATION
    assert abs(one.rho / bigram_noise(tokens, 3, 20).sequences - 1) < 4 * math.sqrt(one.own / GROUPS)


def test_squares_of_few_sequences_are_larger_by_what_is_left_without_some():
    """B_bar of 480 sequences and of what is left without 20: by hand, in numbers of sequences."""
    tokens, size = sequences(480), 20
    order = np.random.default_rng(1).permutation(480).reshape(GROUPS, size)
    x, groups = bigram(tokens, 3), np.array([bigram(tokens[some], 3) for some in order])
    one = dealt(tokens, 400, 1).scatter["W_O"]
    # Leaving a group out moves x by a 23rd of the group's noise: |x_s|^2 is larger by its square.
    noise, square = ((groups - x) ** 2).sum(axis=(1, 2)).mean(), (x * x).sum()
    # S^2 of a sequence, unbiased, over the |x|^2 that is left when its share is taken off.
    S2 = size * noise * GROUPS / (GROUPS - 1)
    excess = S2 / (square - S2 / 480)
    assert one.excess == pytest.approx(excess)
    assert one.square_ratio(10**9, 480) == pytest.approx((square - S2 / 480) / square)
    assert one.square_ratio(480, 480) == 1
    assert one.square_ratio(60, 480) > 1
    # Groups of the sample's own size tell nothing, and then the square is left as it is.
    assert dealt(tokens, size, 1).scatter["W_O"].square_ratio(10**9, 480) == 1


def test_norms_and_effects_are_those_of_what_is_trained_on_and_not_of_the_text():
    """Products of means of 48 sequences: their squares are larger than those of 2,000, and then are not."""
    right = leading_directions(many := sequences(2000, 99), statistics(many, 3))["V"]
    known, expected = [], []
    for seed in range(24):
        tokens = sequences(48, 100 + seed)
        square = float((leading_directions(tokens, statistics(tokens, 3))["V"] ** 2).sum())
        known.append(square / (right**2).sum())
        expected.append(known[-1] * dealt(tokens, 100, seed).scatter["V"].square_ratio(2000, 48))
    error = np.std(expected) / math.sqrt(len(expected))
    assert abs(np.mean(expected) - 1) < 3 * error
    assert (np.array(known) > expected).all()


def test_how_well_a_square_is_known_does_not_hang_on_the_samples_size():
    """Not even where a group is one sequence, whose own square is noise, of nearly the same size in all."""
    rng = np.random.default_rng(0)
    words = np.arange(8)
    tokens = np.array([rng.permutation(np.append(words, rng.integers(3, size=3))) for _ in range(240)])
    widths = []
    for sample in (1, 100):
        whole = leading_directions(tokens, statistics(tokens, 8))
        found = deal(tokens, 8, whole, sample=sample, groups=GROUPS, seed=0, statistics=statistics)
        widths.append(found.scatter["W_O"].half_width_of_square(240))
    own = np.array([bigram(one[None], 8) for one in tokens])
    along = (own * own.mean(axis=0)).sum(axis=(1, 2))
    reach = special.stdtrit(GROUPS - 1, (1 + CONFIDENCE) / 2)
    right = reach * 2 * along.std(ddof=1) / along.mean() / math.sqrt(240)
    assert (abs(np.array(widths) / right - 1) < DEVIATION).all()
    squares = (own**2).sum(axis=(1, 2))
    assert squares.std() / squares.mean() < along.std() / along.mean() / 4


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
    assert one.ratio == VarianceRatio(pytest.approx(2 / 0.4), pytest.approx(2 * GROUPS / 0.4), GROUPS - 1)
    assert (one.low, one.high) == tuple(0.02 * one.ratio.quantile(p) for p in ENDS)


def test_of_a_large_sample_the_normal_part_is_left():
    one = SCATTER.noise(50 * 10**9)
    parts = 0.1, 0.4 / GROUPS
    freedom = sum(parts) ** 2 / (0.1**2 / (GROUPS * (GROUPS - 1) / 2) + parts[1] ** 2 / (GROUPS - 1))
    assert one.ratio.freedom == pytest.approx(freedom)
    assert one.ratio.draw == pytest.approx(2 / 0.1)
    # In between both count, as shares of one.
    assert SCATTER.noise(200).ratio.draw == pytest.approx(2 / (0.75 * 0.1 + 0.25 * 0.4))


@pytest.mark.parametrize(
    "unknown", [{"rho": math.nan}, {"normal": math.nan}, {"normal": -1.0}, {"normal": 0.0, "own": 0.0}]
)
def test_where_the_groups_do_not_tell_there_is_no_interval(unknown):
    assert math.isnan(replace(SCATTER, **unknown).noise(200).low)


def test_a_sketch_on_few_cells_adds_a_share_that_is_told():
    """nu of 2/d for d equal directions is 2/d + 2/c on c cells."""
    rng, d, cells = np.random.default_rng(0), 32 * 32, 64
    found = []
    for seed in range(8):
        sketch = Sketch.drawn((32, 32), seed, cells)
        units = np.array([sketch.of(one) for one in rng.normal(size=(GROUPS, 32, 32))])
        found.append(relative_variance(units @ units.T))
    # Each from so many pairs of groups; rows of half the ring do not meet themselves, which is 1/16 of it.
    pairs = GROUPS * (GROUPS - 1) / 2
    within = 1 / 16 + 3 * math.sqrt(2 / pairs / 8)
    assert abs(np.mean(found) / (2 / d + 2 / cells) - 1) < within


def test_products_without_noise_have_no_relative_variance():
    assert math.isnan(relative_variance(np.ones((5, 5))))


def test_the_square_of_a_larger_corpus_is_known_better():
    reach = special.stdtrit(GROUPS - 1, (1 + CONFIDENCE) / 2)
    assert SCATTER.half_width_of_square(50) == pytest.approx(0.3 * reach)
    assert SCATTER.half_width_of_square(200) == pytest.approx(0.15 * reach)
