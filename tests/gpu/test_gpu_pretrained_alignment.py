"""Models with the theory's maps planted have cosine 1 with them, and others what plain matrices say."""

import numpy as np
import pytest
import torch
from gpu_corpora import corpus
from tiny_models import VOCABULARY, WIDTH, gpt_neox, llama, randomised, silent, wrapped

from gpu import compiled
from gpu.pretrained.alignment import KINDS, alignments, theory_of
from gpu.pretrained.covariances import row_normalised
from gpu.pretrained.token_blocks import most_frequent, token_blocks
from properties.statistics_bounds import product, statistics_magnitudes
from properties.tolerances import gamma, unit_roundoff
from reference.corpus import shuffled
from reference.statistics import statistics

pytestmark = pytest.mark.skipif(not compiled.available(), reason="numba is not installed")

TOKENS = corpus(40, 8, VOCABULARY)
FEW = 9
PLANTED = {"gpt_neox": gpt_neox, "llama": llama}


def theory_over(most):
    ids = most_frequent(TOKENS, most)
    blocks = token_blocks(TOKENS, VOCABULARY, ids)
    control = token_blocks(shuffled(TOKENS, 0), VOCABULARY, ids)
    return ids, blocks, theory_of(blocks, control, "cpu")


def covariance(rows):
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred @ centred.T


def cosine(one, other):
    return float(np.sum(one * other) / (np.linalg.norm(one) * np.linalg.norm(other)))


def normalised(rows):
    return row_normalised(torch.tensor(rows)).numpy()


def rounding_of(condition):
    """Return how far a cosine of maps of this condition moves by the roundings of both ways to it."""
    return gamma(8 * VOCABULARY**2 * WIDTH, unit_roundoff("float64")) * condition


def test_blocks_are_those_of_the_whole_vocabularys_statistics():
    ids = most_frequent(TOKENS, FEW)
    blocks = token_blocks(TOKENS, VOCABULARY, ids)
    expected = statistics(TOKENS, VOCABULARY)
    magnitudes = statistics_magnitudes(TOKENS, VOCABULARY)
    value = expected["Phi_bar"].T @ expected["B_bar"].T
    # Both sides round.
    bounds = {
        "Q_bar": 2 * magnitudes["Q_bar"].bound("float64"),
        "value": 2 * product(magnitudes["B_bar"], magnitudes["Phi_bar"]).bound("float64").T,
    }
    whole = {"Q_bar": expected["Q_bar"], "value": value}
    for name, matrix in whole.items():
        block = np.ix_(ids, ids)
        error = np.abs(getattr(blocks, name) - matrix[block])
        assert (error <= bounds[name][block]).all(), name
        assert (np.abs(getattr(blocks, name) - matrix.T[block]) > bounds[name][block]).any(), name


def test_the_most_frequent_tokens_come_first_and_ties_in_order():
    tokens = np.array([[5, 5, 2, 7], [2, 9, 5, 0]])
    assert most_frequent(tokens, 4).tolist() == [5, 2, 0, 7]
    assert sorted(shuffled(tokens, 3).ravel()) == sorted(tokens.ravel())
    assert shuffled(tokens, 3).tolist() == shuffled(tokens, 3).tolist() != shuffled(tokens, 4).tolist()


def plant_attention(model, layer, target, ids):
    """Set a layer's queries so that its map is `target`; keys are the stream as the norm leaves it.

    In NeoX two heads of half the width share the singular directions; in Llama four heads share two keys.
    """
    with torch.no_grad():
        if hasattr(model, "gpt_neox"):
            block, embedding = model.gpt_neox.layers[layer], model.gpt_neox.embed_in.weight
            X = embedding[ids] - embedding[ids].mean(dim=1, keepdim=True)
        else:
            block, embedding = model.model.layers[layer], model.model.embed_tokens.weight
            X = embedding[ids]
        X = X * block.input_layernorm.weight
        inverse = torch.linalg.pinv(X)
        W_QK = inverse @ torch.tensor(target) @ inverse.T
        if hasattr(model, "gpt_neox"):
            U, s, Vh = torch.linalg.svd(W_QK)
            k = WIDTH // 2
            joint = block.attention.query_key_value.weight.view(2, 3, k, WIDTH)
            for head in range(2):
                some = slice(head * k, head * k + k)
                joint[head, 0] = (2 * U[:, some] * s[some]).T
                joint[head, 1] = Vh[some]
        else:
            block.self_attn.k_proj.weight.copy_(torch.eye(WIDTH, dtype=torch.float64).repeat(2, 1))
            queries = block.self_attn.q_proj.weight.view(4, WIDTH, WIDTH)
            queries[0] = (4 * W_QK).T - queries[1:].sum(dim=0)
    return float(torch.linalg.cond(X)) ** 2


def random_norms(model):
    """Give the norms scales that differ, so that one left out shows."""
    random = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "input_layernorm.weight" in name:
                parameter.copy_(0.5 + torch.rand(WIDTH, generator=random, dtype=torch.float64))
    return model


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_q_bar_is_found_and_its_transpose_told_from_it(kind):
    """Layer 0 holds the transposed map and layer 1 Q_bar itself, rows divided by their lengths."""
    ids, blocks, theory = theory_over(FEW)
    right, turned = normalised(blocks.Q_bar), normalised(blocks.Q_bar.T)
    model = random_norms(silent(PLANTED[kind]()))
    conditions = [
        plant_attention(model, layer, target, torch.tensor(ids))
        for layer, target in enumerate((right.T, right))
    ]
    bound = rounding_of(max(conditions))
    wrong, found = (one.attention for one in alignments(wrapped(model), ids, theory))
    between = cosine(covariance(right), covariance(turned))
    assert abs(found["full"] - 1) <= bound
    assert abs(found["less_1"] - 1) <= bound / (1 - theory.best_rank_one["attention"])
    assert abs(found["transposed"] - between) <= bound
    assert abs(theory.orientation["full"] - between) <= bound
    expected = cosine(covariance(right.T), covariance(right))
    assert abs(wrong["full"] - expected) <= bound
    assert expected + bound < 1
    assert found["shuffled"] + bound < 1


def test_heads_are_compared_one_by_one_and_their_mean():
    """The mean of heads is not the mean of cosines: each is that of its own plain map."""
    ids, blocks, theory = theory_over(FEW)
    model = wrapped(randomised(gpt_neox()))
    T, turned, value = (covariance(normalised(one)) for one in (blocks.Q_bar, blocks.Q_bar.T, blocks.value))
    streams = model.streams(torch.tensor(ids))
    for layer, found in enumerate(alignments(model, ids, theory)):
        heads, X = model.heads(layer), streams.before[layer].numpy()
        maps = [X @ q.numpy() @ k.numpy().T @ X.T for q, k in zip(heads.W_Q, heads.W_K, strict=True)]
        mean = sum(maps) / len(maps)
        scaled = X * model.scales(streams.before[layer], layer).numpy()[:, None]
        read = [
            (scaled @ q.numpy() + b.numpy()) @ (scaled @ k.numpy()).T
            for q, k, b in zip(heads.W_Q, heads.W_K, heads.b_Q, strict=True)
        ]
        expected = {
            "full": cosine(covariance(mean), T),
            "transposed": cosine(covariance(mean), turned),
            "as_read": cosine(covariance(sum(read)), T),
        }
        bound = rounding_of(np.linalg.norm(X) ** 2 * len(X))
        for name, value_of in expected.items():
            assert abs(found.attention[name] - value_of) <= bound, name
        for got, one in zip(found.heads, maps, strict=True):
            assert abs(got - cosine(covariance(one), T)) <= bound
        rows = {"no_mlp": streams.without_mlp(layer), "output": streams.output(layer)}
        for kind, one in rows.items():
            assert abs(getattr(found, kind)["full"] - cosine(covariance(one.numpy()), value)) <= bound
    assert abs(found.heads[0] - found.heads[1]) > bound


def test_planted_outputs_are_found_without_the_mlp_and_lost_with_it():
    ids, blocks, theory = theory_over(WIDTH)
    model = silent(gpt_neox(layers=1))
    target = normalised(blocks.value)
    random = torch.Generator().manual_seed(1)
    with torch.no_grad():
        model.gpt_neox.embed_in.weight[torch.tensor(ids)] = torch.tensor(target)
        mlp = model.gpt_neox.layers[0].mlp.dense_4h_to_h.bias
        mlp.copy_(torch.randn(WIDTH, generator=random, dtype=torch.float64))
    (found,) = alignments(wrapped(model), ids, theory)
    bound = rounding_of(WIDTH)
    assert abs(found.no_mlp["full"] - 1) <= bound
    expected = cosine(covariance(target + mlp.detach().numpy()), covariance(target))
    assert abs(found.output["full"] - expected) <= bound
    assert expected + bound < 1


def test_the_controls_of_a_random_model_are_far_from_a_planted_one():
    ids, _, theory = theory_over(WIDTH)
    layers = alignments(wrapped(randomised(llama())).untrained(0), ids, theory)
    for kind in KINDS:
        best = theory.best_rank_one[kind]
        assert 0 < best <= 1 + rounding_of(WIDTH)
        for layer in layers:
            assert -1 <= getattr(layer, kind)["full"] < best
