"""Gradients by paths: equal to the dense model's, and taken where they cost less."""

import numpy as np
import pytest
import torch
from gpu_corpora import corpus, parameters

import gpu.paths
import gpu.step_choice
from gpu.gradients import loss_and_gradients
from gpu.model import Transformer
from gpu.paths import path_loss_and_gradients, paths
from gpu.step_choice import cheapest_loss_and_gradients, dense_work, path_work, paths_pay
from properties.rounded_model import given, gradients, loss, stacked

# (sequences, positions, vocabulary, layers)
MODELS = [(1, 1, 1, 1), (1, 1, 3, 2), (3, 4, 5, 0), (3, 5, 4, 1), (4, 6, 5, 2), (3, 5, 4, 3), (2, 3, 3, 4)]


def test_paths_are_the_subsets_of_the_layers_in_order():
    assert paths(0) == [()]
    assert paths(2) == [(), (0,), (1,), (0, 1)]
    assert len(set(paths(5))) == 32
    assert all(list(path) == sorted(path) for path in paths(5))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", MODELS)
def test_gradients_within_the_rounding_bound_of_the_formulas_by_hand(shape, dtype):
    N, T, V, L = shape
    tokens, weights = corpus(N, T, V), small_parameters(T, V, L)
    found_loss, found = path_loss_and_gradients(module(weights, dtype), torch.tensor(tokens))
    expected, bound = loss(given(weights, dtype), tokens)
    assert abs(found_loss - expected) <= bound
    exact = gradients(given(weights, dtype), tokens)
    # A product of weights comes first here, so a term passes through no more operations than in the
    # formulas: V_p W_O costs V a row as h V_l does, and the pick costs none.
    for group in ("W_O", *(("V", "W", "P") if L else ())):
        value, bound = stacked(exact, group)
        assert (np.abs(found[group].numpy() - value) <= bound).all(), group
    assert found["V"].shape == found["W"].shape == (L, V, V)
    assert found["P"].shape == (L, T)


def test_parts_of_a_batch_add_up(monkeypatch):
    tokens, weights = corpus(5, 4, 3), small_parameters(4, 3, 2)
    whole = path_loss_and_gradients(module(weights, "float64"), torch.tensor(tokens))[1]
    monkeypatch.setitem(gpu.paths.ENTRIES_AT_ONCE, "cpu", 1)
    parts = path_loss_and_gradients(module(weights, "float64"), torch.tensor(tokens))[1]
    exact = gradients(given(weights, "float64"), tokens)
    for group, value in whole.items():
        assert ((parts[group] - value).abs().numpy() <= 2 * stacked(exact, group)[1]).all()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_second_call_returns_the_same_bits(dtype):
    tokens, weights = torch.tensor(corpus(20, 12, 6)), small_parameters(12, 6, 3)
    once = path_loss_and_gradients(module(weights, dtype), tokens)[1]
    again = path_loss_and_gradients(module(weights, dtype), tokens)[1]
    for group, value in once.items():
        assert torch.equal(value, again[group])


@pytest.mark.parametrize(("layers", "batch"), [(1, 6), (2, 20), (3, 66)])
def test_the_break_even_is_where_the_documentation_says(layers, batch):
    assert paths_pay(batch, 200, 3000, layers)
    assert not paths_pay(batch - 1, 200, 3000, layers)
    assert f"{batch} with" in gpu.step_choice.__doc__ or f"batch of {batch} on" in gpu.step_choice.__doc__


def test_paths_are_not_taken_without_layers_or_with_many():
    assert not paths_pay(10**9, 200, 3000, 0)
    assert not paths_pay(10**9, 200, 3000, 4)


def test_work_is_counted_by_hand_for_one_layer():
    # Forward: scores h W, values h V and logits h W_O; by paths one table V W_O, then A times picked rows,
    # and three products of [T, T]: the scores from picked cells, and A by token.
    assert dense_work(7, 4, 5, 1) == 3 * 7 * (3 * 4 * 25)
    assert path_work(7, 4, 5, 1) == 3 * 125 + 3 * 7 * 2 * (16 * 5 + 3 * 64)


@pytest.mark.parametrize("pays", [True, False])
def test_the_cheaper_way_is_taken(pays, monkeypatch):
    tokens, subject = torch.tensor(corpus(3, 4, 5)), module(small_parameters(4, 5, 2), "float64")
    monkeypatch.setattr(gpu.step_choice, "paths_pay", lambda *sizes: pays)
    expected = (path_loss_and_gradients if pays else loss_and_gradients)(subject, tokens)
    found = cheapest_loss_and_gradients(subject, tokens)
    assert found[0] == expected[0]
    assert torch.equal(found[1]["V"], expected[1]["V"])


def small_parameters(length, vocab_size, layers):
    """Weights that both types hold exactly."""
    drawn = parameters(length, vocab_size, layers)
    return {group: (value / 4).astype(np.float32).astype(np.float64) for group, value in drawn.items()}


def module(weights, dtype):
    return Transformer({g: torch.tensor(v, dtype=getattr(torch, dtype)) for g, v in weights.items()})
