"""Attention metrics by hand, at their zero points, and for random heads by simulation."""

import math

import numpy as np
import pytest

from properties.attention_cases import causal_map
from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference.attention_metrics import head_profile, induction_score
from reference.attention_rows import profile_spread, row_profile
from reference.composition import (
    composition_excess,
    composition_score,
    random_composition,
    subspace_scores,
)
from reference.effective_rank import energy_rank, participation_ratio
from reference.errors import InputError
from reference.head_similarity import centred_head_similarity, head_similarity
from reference.output_size import copying_cosine, relative_output
from reference.random_heads import entropy_on_streams, expected_profile, initial_logit_variance
from theory import baselines, composition_null, random_rank, softmax_moments

CLOSE = gamma(1000, unit_roundoff("float64"))


def exact(value):
    return int(value.p) / int(value.q)


def uniform(T):
    return np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]


def random_maps(heads, T, variance, seed=0):
    weights = np.tril(np.exp(np.random.default_rng(seed).normal(0, math.sqrt(variance), (heads, T, T))))
    return weights / weights.sum(axis=-1, keepdims=True)


def test_leading_axes_are_heads():
    maps = np.stack([causal_map(5, seed) for seed in range(6)]).reshape(2, 3, 5, 5)
    together = head_profile(maps)
    for i, j in np.ndindex(2, 3):
        alone = head_profile(maps[i, j])
        assert {name: value[i, j] for name, value in together.items()} == alone


def test_every_row_of_uniform_attention_by_hand():
    rows = row_profile(uniform(3))
    assert np.allclose(rows["entropy"], [0, 1, 1], rtol=0, atol=CLOSE)
    assert np.allclose(rows["diagonal"], [1, 1 / 2, 1 / 3], rtol=0, atol=CLOSE)
    assert np.allclose(rows["previous"], [0, 1 / 2, 1 / 3], rtol=0, atol=CLOSE)
    assert np.allclose(rows["distance"], [0, 1 / 2, 1], rtol=0, atol=CLOSE)
    assert np.allclose(rows["relative_diagonal"], [1, 1, 1], rtol=0, atol=CLOSE)


def test_a_spread_tells_what_a_mean_hides():
    """Two heads with one mean: one gives every token half of its weight, one gives all or nothing."""
    steady, moody = np.zeros((2, 5, 5))
    steady[0, 0] = moody[0, 0] = 1
    for t in range(1, 5):
        steady[t, t] = steady[t, 0] = 0.5
        moody[t, t if t % 2 else 0] = 1
    spreads = profile_spread(np.stack([steady, moody]))["diagonal"]
    assert spreads.mean.tolist() == [0.5, 0.5]
    assert spreads.deviation.tolist() == [0.0, 0.5]
    assert (spreads.least.tolist(), spreads.largest.tolist()) == ([0.5, 0.0], [0.5, 1.0])
    with pytest.raises(InputError, match="at least two positions"):
        profile_spread(uniform(1))


def test_how_rows_of_uniform_attention_and_of_random_heads_spread():
    T, v, heads = 9, 2.0**-6, 4000
    H, H2 = (sum(1 / n**power for n in range(1, T + 1)) for power in (1, 2))
    m = (H - 1) / (T - 1)
    share = (m, math.sqrt((H2 - 1) / (T - 1) - m**2))
    expected = {
        "entropy": (1, 0),
        "diagonal": share,
        "previous": share,
        "distance": (T / 4, math.sqrt(T * (T - 2) / 48)),
        "relative_diagonal": (1, 0),
    }
    for name, spread in profile_spread(uniform(T)).items():
        # A deviation of rounding is the root of its square.
        assert abs(spread.mean - expected[name][0]) <= CLOSE, name
        assert abs(spread.deviation - expected[name][1]) <= math.sqrt(CLOSE), name
    squares = profile_spread(random_maps(heads, T, v))["relative_diagonal"].deviation ** 2
    first_order = v * (1 - 1 / (T - 1)) * (1 - m)
    chance = DEVIATIONS * squares.std() / math.sqrt(heads)
    assert abs(squares.mean() - first_order) <= chance + 2 * v * first_order


def test_likeness_has_its_zero_points():
    T = 24
    both = head_similarity(np.stack([np.eye(T), uniform(T)]))
    assert abs(both[0, 1] ** 2 - exact(baselines.diagonal_similarity_squared(T))) <= CLOSE
    assert centred_head_similarity(np.stack([uniform(T)] * 2)).tolist() == [[0, 0], [0, 0]]
    maps = random_maps(2000, T, 0.05).reshape(2, 1000, T, T)
    # Over a thousand sequences the first-order cosine shows; the flattened maps are one long vector.
    H, H2 = (sum(1 / n**power for n in range(1, T + 1)) for power in (1, 2))
    expected = H / (H + 0.05 * (H - H2))
    assert abs(head_similarity(maps)[0, 1] - expected) <= DEVIATIONS * 0.05**2
    assert abs(centred_head_similarity(maps)[0, 1]) <= DEVIATIONS / math.sqrt(1000 * T)


@pytest.mark.parametrize("variance", [2.0**-8, 2.0**-4])
def test_random_heads_score_what_is_expected_of_them(variance):
    heads, T = 4000, 12
    found = head_profile(random_maps(heads, T, variance))
    for name, expected in expected_profile(T, variance).items():
        third_order = variance**3 * (name == "entropy")
        assert abs(found[name].mean() - expected.mean) <= (
            DEVIATIONS * expected.deviation * (1 + variance) / math.sqrt(heads) + third_order
        ), name
        # A standard deviation from n draws is known to 1/sqrt(2n), more where the tails are longer.
        relative = DEVIATIONS * 2 / math.sqrt(2 * heads) + 2 * variance
        assert abs(found[name].std() - expected.deviation) <= relative * expected.deviation + CLOSE, name


def test_what_is_linear_in_the_weights_keeps_its_mean_at_every_variance():
    """Logits of variance 4 leave few rows near uniform, and an average over heads where it was."""
    heads, T, period = 4000, 12, 4
    maps = random_maps(heads, T, 4.0)
    profile = head_profile(maps)
    found = {name: profile[name] for name in ("diagonal", "previous", "distance", "relative_diagonal")}
    found["induction"] = induction_score(maps, period)
    expected = {name: one.mean for name, one in expected_profile(T, 0.0).items()}
    expected["induction"] = exact(baselines.induction_score(period, T // period))
    for name, values in found.items():
        assert abs(values.mean() - expected[name]) <= DEVIATIONS * values.std() / math.sqrt(heads), name
        assert values.std() > expected[name] / 10  # these heads are not uniform
    assert profile["entropy"].mean() < expected["entropy"] - 0.1


def test_the_float_expansion_is_the_exact_one():
    v, T = 1 / 32, 9
    deficits = [softmax_moments.entropy_deficit(n) for n in range(2, T + 1)]
    rows = [
        1 - (exact(first) * v + exact(second) * v**2) / math.log(n)
        for n, (first, second) in enumerate(deficits, start=2)
    ]
    assert abs(expected_profile(T, v)["entropy"].mean - sum(rows) / T) <= CLOSE
    spread = sum(exact(softmax_moments.weight_variance(n)[0]) * v for n in range(1, T + 1))
    assert abs(expected_profile(T, v)["diagonal"].deviation - math.sqrt(spread) / T) <= CLOSE
    with pytest.raises(InputError, match="a variance in"):
        expected_profile(4, 2.0)


@pytest.mark.parametrize("alike", ["unrelated", "repeated", "shifted"])
def test_random_heads_on_streams_lose_what_the_streams_lie_apart(alike):
    """Streams that repeat, or have a part in common, leave logits that vary less."""
    T, d, width, heads, deviation = 10, 24, 6, 1500, 0.09
    rng = np.random.default_rng(0)
    stream = rng.normal(size=(T, d))
    stream = {"unrelated": stream, "repeated": stream[np.arange(T) % 3], "shifted": stream + stream[0]}[alike]
    W_Q, W_K = deviation * rng.normal(size=(2, heads, d, width))
    weights = np.tril(np.exp((stream @ W_Q) @ (stream @ W_K).swapaxes(-1, -2) / math.sqrt(width)))
    found = head_profile(weights / weights.sum(axis=-1, keepdims=True))["entropy"]
    v = initial_logit_variance(d, deviation)
    expected = entropy_on_streams(stream, v)
    lost = (T - 1) / T - expected
    # Row by row: half the mean square of the streams seen about their mean, times that of the row's own.
    own = [(stream[t] ** 2).mean() * stream[: t + 1].var(axis=0).mean() / 2 for t in range(1, T)]
    assert abs(lost - v * sum(own / np.log(np.arange(2, T + 1))) / T) <= CLOSE
    # The next order has the factor v times what streams are longer than unit variance, squared.
    left_out = lost * v * ((stream**2).mean(axis=1).max()) ** 2
    assert abs(found.mean() - expected) <= DEVIATIONS * found.std() / math.sqrt(heads) + left_out
    unrelated = (T - 1) / T - expected_profile(T, v)["entropy"].mean
    if alike == "repeated":
        assert lost < 0.9 * unrelated


def test_a_rank_of_ninety_percent_does_not_fix_a_direction():
    OV = np.diag([1.0, 0.3])
    assert energy_rank(OV, 0.9) == 1
    assert 1 < participation_ratio(OV) < 2
    outputs = np.array([[1.0, 0.0], [0.0, 1.0]]) @ OV
    assert outputs[0] @ outputs[1] == 0
    assert energy_rank(np.eye(4), 0.9) == 4
    assert abs(participation_ratio(np.eye(4)) - 4) <= CLOSE
    assert energy_rank(np.zeros((2, 2)), 0.9) == participation_ratio(np.zeros((2, 2))) == 0


def test_an_untrained_circuit_has_the_rank_that_was_derived():
    d, h, heads = 64, 16, 60
    rng = np.random.default_rng(0)
    ratios = participation_ratio(rng.normal(size=(heads, d, h)) @ rng.normal(size=(heads, h, d)))
    chance = DEVIATIONS * ratios.std() / math.sqrt(heads)
    # A ratio of expectations is not the expectation of the ratio: off by the squared relative spread.
    expected = exact(random_rank.participation_ratio(d, h))
    assert abs(ratios.mean() - expected) <= chance + 4 * expected / (d * h) * h


def test_unrelated_circuits_compose_by_chance_alone():
    rng = np.random.default_rng(1)
    b, draws = 8, 4000
    A, B = rng.normal(size=(3, b)), rng.normal(size=(b, 2))
    rotations, upper = np.linalg.qr(rng.normal(size=(draws, b, b)))
    rotations = rotations * np.sign(np.diagonal(upper, axis1=1, axis2=2))[:, None, :]
    squares = composition_score(A @ rotations, B) ** 2
    chance = random_composition(A, B)
    assert chance.mean == 1 / b
    assert abs(squares.mean() - chance.mean) <= DEVIATIONS * chance.deviation / math.sqrt(draws)
    assert abs(squares.std() - chance.deviation) <= DEVIATIONS * 2 * chance.deviation / math.sqrt(draws)
    one_sided = composition_excess(A @ rotations, B)
    assert abs(one_sided.mean()) <= DEVIATIONS / math.sqrt(draws)


def test_two_directions_vary_as_a_cosine_does():
    ray = np.eye(5)[:1]
    assert abs(random_composition(ray, ray.T).deviation ** 2 - (3 / 35 - 1 / 25)) <= CLOSE
    from flint import fmpq

    assert composition_null.square_variance(5, fmpq(1), fmpq(1)) == fmpq(3, 35) - fmpq(1, 25)
    assert random_composition(ray, np.eye(5)).deviation <= math.sqrt(CLOSE)
    assert random_composition(np.ones((1, 1)), np.ones((1, 1))).deviation == 0


def test_a_subspace_is_read_or_not_and_turning_it_around_changes_nothing():
    tokens, positions = np.eye(6)[:3], np.eye(6)[3:]
    reads_positions = np.eye(6)[:, 3:]
    scores = subspace_scores({"tokens": tokens, "positions": positions}, reads_positions)
    assert scores["tokens"] == 0
    assert abs(scores["positions"] - 1 / math.sqrt(3)) <= CLOSE
    turned = subspace_scores({"positions": -positions}, reads_positions)
    assert turned["positions"] == scores["positions"]


def test_output_and_copying_of_a_uniform_head_on_orthogonal_values():
    T = 7
    stream = 3 * np.eye(T)
    expected = sum(1 / math.sqrt(t) for t in range(1, T + 1)) / T
    assert abs(relative_output(uniform(T) @ stream, stream) - expected) <= CLOSE
    assert abs(copying_cosine(uniform(T) @ stream, stream) - expected) <= CLOSE
    # Random logits make the output longer and less like the token's own value, by as much to first order.
    heads, v = 4000, 2.0**-5
    written = random_maps(heads, T, v) @ stream
    factor = v * np.arange(T) / (2 * np.arange(1, T + 1))
    for measure, sign in ((relative_output, 1), (copying_cosine, -1)):
        scores = measure(written, np.broadcast_to(stream, written.shape))
        departed = sum((1 + sign * factor) / np.sqrt(np.arange(1, T + 1))) / T
        assert abs(scores.mean() - departed) <= DEVIATIONS * scores.std() / math.sqrt(heads) + v**2
        assert abs(departed - expected) > DEVIATIONS * scores.std() / math.sqrt(heads) + v**2
    silent = np.zeros((T, T))
    assert relative_output(silent, stream) == copying_cosine(silent, stream) == 0
    assert relative_output(stream, silent) == 0
    assert abs(copying_cosine(-stream, stream) + 1) <= CLOSE
