"""Induction on sequences: the walk-through, the targets, and the score's zero point."""

import numpy as np
import pytest

from properties.tolerances import gamma, unit_roundoff
from reference.attention_metrics import induction_score
from reference.errors import InputError
from reference.induction import copy_targets, match_targets, sequence_induction_score, walk_through, weight_on
from theory import baselines

CLOSE = gamma(1000, unit_roundoff("float64"))
A, B, C, D = range(4)


def uniform(T):
    return np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]


def test_the_walk_through_predicts_what_followed():
    """At position 8 of A B C D A B C D A the head attends to 5, whose previous token is A, and says B."""
    steps = walk_through(np.array([A, B, C, D, A, B, C, D, A]))
    assert [step.predicted for step in steps] == [None] * 4 + [B, C, D, A, B]
    assert (steps[8].earlier, steps[8].attended, steps[8].predicted) == (4, 5, B)
    assert (steps[4].earlier, steps[4].attended) == (0, 1)


def test_targets_follow_earlier_occurrences():
    tokens = np.array([A, B, A, A, B])
    targets = copy_targets(tokens)
    assert [np.flatnonzero(row).tolist() for row in targets] == [[], [], [1], [1, 3], [2]]
    assert [np.flatnonzero(row).tolist() for row in match_targets(tokens)] == [[], [], [0], [0, 2], [1]]


def test_uniform_attention_scores_its_exact_zero_point():
    for tokens in ([A, A], [A, B, A, A, B, C], [0, 1, 2, 3] * 4):
        exact = baselines.sequence_induction_score(tokens)
        found = sequence_induction_score(uniform(len(tokens)), np.array(tokens))
        assert abs(found - int(exact.p) / int(exact.q)) <= CLOSE
    with pytest.raises(ValueError, match="no token"):
        baselines.sequence_induction_score([A, B, C])
    with pytest.raises(InputError, match="no token recurs"):
        sequence_induction_score(uniform(3), np.array([A, B, C]))


def test_two_copies_of_different_tokens_give_the_score_of_the_period():
    tokens = np.array([A, B, C, D] * 2)
    attention = np.tril(np.random.default_rng(0).random((3, 8, 8)))
    attention /= attention.sum(axis=-1, keepdims=True)
    batch = np.broadcast_to(tokens, (3, 8))
    assert np.abs(sequence_induction_score(attention, batch) - induction_score(attention, 4)).max() <= CLOSE


def test_a_head_that_repeats_is_told_from_one_that_predicts():
    tokens = np.array([A, B, C, D] * 2)
    targets = copy_targets(tokens)
    follows, repeats = np.zeros((2, 8, 8))
    for t in range(8):
        follows[t, np.flatnonzero(targets[t])[-1] if targets[t].any() else 0] = 1
        repeats[t, t - 4 if t >= 4 else 0] = 1
    assert (weight_on(follows, targets), weight_on(follows, match_targets(tokens))) == (1, 0)
    assert (weight_on(repeats, targets), weight_on(repeats, match_targets(tokens))) == (0, 1)
