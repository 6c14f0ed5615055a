"""Weights, streams and attention are taken from a model as the model itself uses them."""

import numpy as np
import pytest
import torch
from tiny_models import BUILDERS, VOCABULARY, gpt_neox, randomised, wrapped

from gpu.pretrained.families import family_of
from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.errors import InputError

IDS = torch.arange(VOCABULARY)


def rows(model):
    """Return the layers of a model of the library with their MLP and the norm before it."""
    if hasattr(model, "transformer"):
        return [(block.mlp, block.ln_2) for block in model.transformer.h]
    layers = model.gpt_neox.layers if hasattr(model, "gpt_neox") else model.model.layers
    return [(block.mlp, block.post_attention_layernorm) for block in layers]


@pytest.mark.parametrize("kind", BUILDERS)
def test_heads_score_as_the_models_own_attention_does(kind):
    """With every token at place 0 nothing is rotated, and a row of scores is one of the token map."""
    module = randomised(BUILDERS[kind]())
    model = wrapped(module)
    tokens = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])
    T = tokens.shape[1]
    own = module(tokens, position_ids=torch.zeros_like(tokens), output_attentions=True).attentions[0][0]
    heads, stream = model.heads(0), model.streams(tokens[0]).before[0]
    read = stream * model.scales(stream, 0)[:, None]
    k = heads.W_Q.shape[-1]
    hidden = torch.ones(T, T, dtype=torch.bool).triu(1)
    for head in range(model.sizes.heads):
        parts = [(read, heads.W_Q[head], heads.b_Q[head]), (read, heads.W_K[head], 0.0)]
        q, key = (x @ W + b for x, W, b in parts)
        sizes = [x.abs() @ W.abs() + abs(b) for x, W, b in parts]
        right, swapped = (
            (scores / k**0.5).masked_fill(hidden, -torch.inf).softmax(dim=1)
            for scores in (q @ key.T, key @ q.T)
        )
        # The library takes the softmax, and Llama its norm, in float32. Relatively, a weight moves by at most
        # twice what a score moves by.
        moved = rounding((sizes[0] @ sizes[1].T / k**0.5).max().item(), 2 * model.sizes.width + k, "float32")
        bound = 2 * moved + rounding(1.0, T + 2 * ELEMENTARY_ULPS, "float32")
        assert (own[head] - right).abs().max() <= bound
        assert (own[head] - swapped).abs().max() > bound


@pytest.mark.parametrize("kind", BUILDERS)
def test_streams_are_what_layers_find_and_leave(kind):
    module = randomised(BUILDERS[kind]())
    streams = wrapped(module).streams(IDS)
    hidden = module(IDS[:, None], output_hidden_states=True).hidden_states
    for layer, (mlp, norm) in enumerate(rows(module)):
        assert torch.equal(streams.before[layer], hidden[layer][:, 0])
        middle = streams.without_mlp(layer)
        into_mlp = streams.before[layer] if kind == "gpt_neox" else middle
        with torch.no_grad():
            added = mlp(norm(into_mlp))
        bound = rounding((middle.abs() + added.abs()).numpy(), 4, "float64")
        assert (np.abs((middle + added - streams.output(layer)).numpy()) <= bound).all()
        assert not torch.equal(streams.before[layer], middle)


@pytest.mark.parametrize("kind", BUILDERS)
def test_only_learned_positions_reach_the_first_values(kind):
    model = wrapped(randomised(BUILDERS[kind]()))
    values = model.first_values(torch.tensor([[7, 7]]))
    assert torch.equal(values[0, 0], values[0, 1]) == (kind != "gpt2")
    assert (model.embeddings()[1] is None) == (kind != "gpt2")


def test_random_weights_are_those_of_the_seed():
    model = wrapped(randomised(gpt_neox()))
    one, again, other = (model.untrained(seed).heads(1).W_Q for seed in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)
    assert one.dtype == torch.float64


def test_a_model_of_another_type_is_refused():
    with pytest.raises(InputError, match="of type 'bert'; those that can be examined are gpt2, gpt_neox"):
        family_of("bert", "some/model")
