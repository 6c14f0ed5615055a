"""Weights set by hand: an induction head, one layer that does without, backups and chains."""

import itertools
import math

import numpy as np
import pytest

from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference.attention_only import losses, run
from reference.constructions import CONFIDENT, backup_model, induction_model, one_layer_matcher
from reference.cyclic import cyclic_sequences
from reference.errors import InputError
from reference.induction import copy_targets, sequence_induction_score, walk_through
from reference.multi_head import multi_head_output
from reference.one_layer_floor import bag_entropy, one_head_floor, one_head_rows

V, T = 20, 33
CLOSE = gamma(1000, unit_roundoff("float64"))
# What a confident prediction leaves to the other words.
SURE = V * math.exp(-CONFIDENT) + CLOSE


def begun(periods, count=40, seed=0):
    """Cyclic sequences after token 0: inputs, what follows, and which rows have seen a repetition."""
    tokens, period = cyclic_sequences(np.random.default_rng(seed), count, T - 1, V, periods)
    tokens = np.concatenate([np.zeros((count, 1), dtype=np.int64), tokens], axis=1)
    return tokens[:, :-1], tokens[:, 1:], np.arange(T) > period[:, None]


def test_the_two_layer_construction_is_an_induction_head_to_the_last_bit():
    tokens = np.random.default_rng(1).integers(1, V, (30, T))
    tokens[:, 0] = 0
    found = run(induction_model(V, T), tokens)
    # Evenly over every key that follows an earlier occurrence, else on the beginning.
    targets = copy_targets(tokens)
    expected = np.where(targets, 1 / np.maximum(targets.sum(axis=-1, keepdims=True), 1), 0.0)
    expected[..., 0] = ~targets.any(axis=-1)
    assert np.abs(found.attention[1][0] - expected).max() <= CLOSE
    assert np.abs(sequence_induction_score(found.attention[1][0], tokens) - 1).max() <= CLOSE


def test_it_predicts_what_the_walk_through_says():
    tokens = np.array([[0, 1, 2, 3, 4, 1, 2, 3, 4, 1]])
    predicted = run(induction_model(V, T), tokens).logits[0].argmax(axis=-1)
    steps = walk_through(tokens[0])
    assert [int(predicted[s.position]) for s in steps if s.attended] == [
        s.predicted for s in steps if s.attended
    ]


def test_it_continues_any_period_and_any_renaming():
    tokens, following, known = begun((3, 5, 8))
    model = induction_model(V, T)
    assert losses(run(model, tokens).logits, following)[known].max() <= SURE
    names = np.r_[0, np.random.default_rng(2).permutation(np.arange(1, V))]
    renamed = run(model, names[tokens])
    assert (renamed.attention[1] == run(model, tokens).attention[1]).all()


def test_one_layer_continues_every_period_of_a_finite_set():
    """That a random period needs two layers is not so: it needs two layers, or heads in proportion."""
    periods = (5, 6, 7, 8, 9)
    tokens, following, known = begun(periods)
    model = one_layer_matcher(V, T, periods)
    assert len(model.layers) == 1
    assert losses(run(model, tokens).logits, following)[known].max() <= SURE
    other, following, known = begun((4, 11))
    assert losses(run(model, other).logits, following)[known].mean() > 1


@pytest.mark.parametrize(
    ("block", "periods"),
    [
        ([1, 2, 1, 3], (2, 4)),  # the repeated token stands at the distance of another period,
        ([1, 1, 2], (3,)),  # or is itself the candidate,
        ([1], (1,)),  # as in a block of one
    ],
)
def test_one_layer_is_misled_by_a_token_that_its_block_repeats(block, periods):
    tokens = np.array([[0, *(block[t % len(block)] for t in range(T))]])
    logits = run(one_layer_matcher(V, T, periods), tokens[:, :-1]).logits
    assert losses(logits, tokens[:, 1:])[0, len(block) + 1 :].max() > math.log(2) - SURE


def test_backups_interact_positively_and_a_chain_negatively():
    """Delta_ij - Delta_i - Delta_j: positive where each covers for the other, -Delta_i in a chain."""
    tokens, following, known = begun((4, 6))
    before = np.concatenate([tokens[:, :1], tokens[:, :-1]], axis=1)

    def effect(model, wanted, rows, *heads):
        whole = losses(run(model, tokens).logits, wanted)[rows].mean()
        return losses(run(model, tokens, heads).logits, wanted)[rows].mean() - whole

    def interaction(model, wanted, rows, a, b):
        return (
            effect(model, wanted, rows, a, b)
            - effect(model, wanted, rows, a)
            - effect(model, wanted, rows, b)
        )

    later = np.broadcast_to(np.arange(T) > 1, tokens.shape)
    backups = interaction(backup_model(V, T), before, later, (0, 0), (0, 1))
    assert abs(backups - math.log(V)) <= SURE
    chain = interaction(induction_model(V, T), following, known, (0, 0), (1, 0))
    assert abs(chain + math.log(V)) <= SURE


def test_the_entropy_of_the_bag_is_that_of_all_orders_of_the_block():
    """Enumerate every block over four tokens: what the token and the bag leave open, by Bayes' rule."""
    tokens, length = 4, 9
    for P in (2, 3, 4):
        for t in range(P, length):
            seen: dict[tuple[int, ...], list[int]] = {}
            for block in itertools.permutations(range(tokens), P):
                sequence = [block[i % P] for i in range(t + 2)]
                seen.setdefault((sequence[t], *sorted(sequence[: t + 1])), []).append(sequence[t + 1])
            entropy, total = 0.0, sum(map(len, seen.values()))
            for following in seen.values():
                counts = np.unique(following, return_counts=True)[1]
                entropy += -(counts * np.log(counts / len(following))).sum() / total
            assert abs(entropy - bag_entropy(np.array(t), np.array(P))) <= CLOSE
    with pytest.raises(InputError, match="t >= P"):
        bag_entropy(np.array(2), np.array(3))


def one_head(w, c, periods, t):
    """The loss of a positional head, w by distance, at row t, mean over periods with c free in each."""
    found = []
    for P in periods:
        logits = np.zeros(P)
        np.add.at(logits, np.arange(t + 1) % P, w[: t + 1])  # the token at distance D is that of D mod P
        logits[0] = 0.0  # the current token may be told apart
        scaled = np.multiply.outer(c, logits)
        found.append((np.log(np.exp(scaled).sum(axis=1)) - scaled[:, P - 1]).min())
    return np.mean(found)


def test_the_floor_of_one_head_holds_on_early_rows():
    rng = np.random.default_rng(0)
    scales = np.geomspace(0.01, 300, 60)
    for periods in ([10, 12, 14, 16], [9, 11, 13], [6, 7, 8, 9]):
        rows, floor = one_head_rows(np.array(periods)), one_head_floor(np.array(periods))
        assert len(rows)
        best = math.inf
        for _ in range(400):
            w = np.zeros(rows[-1] + 1)
            w[np.array(periods) - 1] = rng.permutation(np.geomspace(1, rng.uniform(0.05, 1), len(periods)))
            w += rng.choice([0, 0.1]) * rng.random(len(w))
            best = min(best, one_head(w, scales, periods, rows[0]))
        assert floor <= best <= math.log(len(periods)) + CLOSE


def test_neighbouring_periods_lower_the_floor_of_one_head():
    """After period P the candidate of P + 1 holds the current token and can be told."""
    assert abs(one_head_floor(np.array([10, 12, 14, 16])) - math.log(24) / 4) <= CLOSE
    # Longest first: each has the next longer one, which tells itself, and those beyond it ahead.
    assert abs(one_head_floor(np.array([6, 7, 8, 9])) - math.log(1 * 1 * 2 * 3) / 4) <= CLOSE
    assert one_head_floor(np.array([6, 6])) == 0
    # Two of the first, one of the second: the frequent one stands first.
    assert abs(one_head_floor(np.array([8, 5, 5])) - math.log(2) / 3) <= CLOSE
    with pytest.raises(InputError, match="twice the shortest"):
        one_head_floor(np.array([3, 6]))


def test_on_later_rows_copies_vote_and_the_floor_is_gone():
    periods, t = [10, 12, 14, 16], 70
    w = np.zeros(t + 1)
    for P in periods:
        w[P - 1 :: P] += 1
    assert one_head(w, np.array([20.0]), periods, t) < math.exp(-10)


def test_a_rare_period_pays_for_the_order_of_the_others():
    """Of 5, 3 and 2 sequences with periods 6, 7 and 8 the order 7, 6, 8 is best: 7 does not hide 6.

    Were it the other way round, 6, 7, 8 would cost 2 of ten log 2 alone.
    """
    assert abs(one_head_floor(np.repeat([6, 7, 8], [5, 3, 2])) - 0.2 * math.log(3)) <= CLOSE


def test_cyclic_sequences_repeat_different_tokens():
    tokens, period = cyclic_sequences(np.random.default_rng(0), 50, 20, 9, (3, 5))
    assert set(period.tolist()) == {3, 5}
    for row, P in zip(tokens, period, strict=True):
        assert len(set(row[:P].tolist())) == P
        assert (row[P:] == row[:-P]).all()
        assert row.min() > 0
    with pytest.raises(InputError, match="periods of 1 to 8"):
        cyclic_sequences(np.random.default_rng(0), 2, 20, 9, (9,))


def test_cyclic_sequences_draw_periods_and_blocks_evenly_and_each_on_its_own():
    """Were some periods or tokens rarer, or one block shared, position or memory would help to predict."""
    count, words, periods = 4000, 6, (2, 3, 5)
    tokens, period = cyclic_sequences(np.random.default_rng(0), count, 9, words, periods)

    def even(found, of, choices):
        p = 1 / choices
        return abs(found - p) <= DEVIATIONS * math.sqrt(p * (1 - p) / of)

    for P in periods:
        mine = tokens[period == P]
        assert even(len(mine) / count, count, len(periods))
        first, second = mine[:, 0], mine[:, 1]
        for token in range(1, words):
            assert even((first == token).mean(), len(mine), words - 1)
            after = second[first == token]
            for other in {*range(1, words)} - {token}:
                assert even((after == other).mean(), len(after), words - 2)
        # The next sequence says nothing of this one.
        assert even((first[1:] == first[:-1]).mean(), len(mine) - 1, words - 1)


def test_there_is_no_seventh_head():
    weights = {name: np.zeros((2, 4, 2)) for name in ("W_Q", "W_K", "W_V")} | {"W_O": np.zeros((2, 2, 4))}
    with pytest.raises(InputError, match="no head 7 among 2"):
        multi_head_output(weights, np.zeros((1, 3, 4)), [7])
    with pytest.raises(InputError, match="two tokens and two positions"):
        induction_model(1, 5)
