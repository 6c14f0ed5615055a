"""The torch metrics are those of the reference, for stacks of heads at once."""

import numpy as np
import pytest
import torch

import gpu.attention_metrics as in_torch
import gpu.composition as composed
import gpu.output_size as sized
from properties.attention_cases import causal_map
from properties.tolerances import gamma, unit_roundoff
from reference import (
    attention_metrics,
    attention_rows,
    composition,
    effective_rank,
    head_similarity,
    induction,
    output_size,
)
from reference.errors import InputError

HEADS, T = 3, 8
MAPS = np.stack([causal_map(T, seed) for seed in range(2 * HEADS)]).reshape(HEADS, 2, T, T)
TOKENS = np.array([[0, 1, 0, 2, 1, 0, 2, 2], [3, 3, 0, 1, 3, 2, 0, 1]])


def same(found, expected, size=1.0):
    assert np.abs(found.numpy() - expected).max() <= size * gamma(8 * T * T, unit_roundoff("float64"))


def test_profiles_of_all_heads_at_once():
    maps = torch.from_numpy(MAPS)
    for mine, theirs in (
        (in_torch.row_profile, attention_rows.row_profile),
        (in_torch.head_profile, attention_metrics.head_profile),
    ):
        found, expected = mine(maps), theirs(MAPS)
        assert found.keys() == expected.keys()
        for name in expected:
            same(found[name], expected[name], size=T)


def test_spreads_of_all_heads_at_once():
    found, expected = in_torch.profile_spread(torch.from_numpy(MAPS)), attention_rows.profile_spread(MAPS)
    assert found.keys() == expected.keys()
    for name, spread in expected.items():
        assert found[name].keys() == vars(spread).keys()
        for part, value in vars(spread).items():
            same(found[name][part], value, size=T)
    with pytest.raises(InputError, match="at least two positions"):
        in_torch.profile_spread(torch.ones(1, 1))


@pytest.mark.parametrize("period", [1, 3, 7])
def test_induction_of_all_heads_at_once(period):
    same(
        in_torch.induction_score(torch.from_numpy(MAPS), period),
        attention_metrics.induction_score(MAPS, period),
    )


def test_weight_on_targets():
    maps, tokens = torch.from_numpy(MAPS), torch.from_numpy(TOKENS)
    for name in ("copy_targets", "match_targets"):
        targets = getattr(in_torch, name)(tokens)
        expected = getattr(induction, name)(TOKENS)
        assert (targets.numpy() == expected).all()
        found = in_torch.weight_on(maps, targets)
        for head in range(HEADS):
            same(found[head], induction.weight_on(MAPS[head], expected))
    with pytest.raises(InputError, match="no token recurs"):
        in_torch.weight_on(maps, in_torch.copy_targets(torch.arange(2 * T).view(2, T)))


def test_likeness_of_heads():
    maps = torch.from_numpy(MAPS)
    same(in_torch.head_similarity(maps), head_similarity.head_similarity(MAPS))
    same(in_torch.centred_head_similarity(maps), head_similarity.centred_head_similarity(MAPS))


def test_circuits_and_outputs():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(3, 1, 5, 4)), rng.normal(size=(2, 4, 6))
    first[0] = 0
    left, right = torch.from_numpy(first), torch.from_numpy(second)
    same(composed.composition_score(left, right), composition.composition_score(first, second))
    sources = {"tokens": first[1, 0], "positions": first[2, 0]}
    read = composed.subspace_scores({name: torch.from_numpy(one) for name, one in sources.items()}, right)
    for name, value in composition.subspace_scores(sources, second).items():
        same(read[name], value)
    circuits = first[:, 0] @ second[0]
    assert (
        composed.energy_rank(torch.from_numpy(circuits), 0.9).numpy()
        == effective_rank.energy_rank(circuits, 0.9)
    ).all()
    ratio = composed.participation_ratio(torch.from_numpy(circuits))
    same(ratio, effective_rank.participation_ratio(circuits), size=T)
    output, stream = rng.normal(size=(2, HEADS, T, 5))
    stream[0, 2] = 0
    for name in ("relative_output", "copying_cosine"):
        found = getattr(sized, name)(torch.from_numpy(output), torch.from_numpy(stream))
        same(found, getattr(output_size, name)(output, stream), size=T)
