"""Attention-only models compute what their formulas say, with positions in either place."""

import numpy as np
import pytest
import torch

from gpu.pretrained.attention_only import AttentionOnlyModel
from properties.tolerances import rounding
from reference.errors import InputError


def attention_only(positions="shortformer", layers=2, **changed):
    random = torch.Generator().manual_seed(3)
    shapes = {"embed.W_E": (9, 6), "pos_embed.W_pos": (12, 6)}
    for layer in range(layers):
        for group in ("W_Q", "W_K", "W_V"):
            shapes[f"blocks.{layer}.attn.{group}"] = (2, 6, 3)
        shapes[f"blocks.{layer}.attn.W_O"] = (2, 3, 6)
        shapes |= {f"blocks.{layer}.attn.b_{group}": (2, 3) for group in "QKV"}
        shapes[f"blocks.{layer}.attn.b_O"] = (6,)
    parameters = {n: torch.randn(s, generator=random, dtype=torch.float64) for n, s in shapes.items()}
    parameters |= changed
    return parameters, AttentionOnlyModel(parameters, positions, 0, "a tiny model")


@pytest.mark.parametrize("positions", ["standard", "shortformer"])
def test_an_attention_only_model_computes_what_its_formulas_say(positions):
    parameters, model = attention_only(positions)
    tokens = np.array([4, 0, 8, 4])
    P = {name: value.numpy() for name, value in parameters.items()}
    x, places = P["embed.W_E"][tokens], P["pos_embed.W_pos"][:4]
    x = x + places if positions == "standard" else x
    for layer, maps in enumerate(model.attention(torch.tensor(tokens)[None])):
        W = {key.rsplit(".", 1)[1]: value for key, value in P.items() if f"blocks.{layer}." in key}
        read = x + places if positions == "shortformer" else x
        out = np.tile(W["b_O"], (4, 1))
        for head in range(2):
            for t in range(4):
                q = read[t] @ W["W_Q"][head] + W["b_Q"][head]
                keys = read[: t + 1] @ W["W_K"][head] + W["b_K"][head]
                weight = np.exp(keys @ q / 3**0.5 - (keys @ q / 3**0.5).max())
                weight /= weight.sum()
                out[t] += weight @ (x[: t + 1] @ W["W_V"][head] + W["b_V"][head]) @ W["W_O"][head]
                magnitude = np.abs(keys) @ np.abs(q)
                bound = rounding(magnitude.max() + 1, 200, "float64")
                assert np.abs(maps[0, head, t, : t + 1].numpy() - weight).max() <= bound
        x = x + out
    assert model.first_values(torch.tensor([[7, 7]]))[0].unique(dim=0).shape[0] == 1 + (
        positions == "standard"
    )


def test_an_attention_only_model_with_a_part_missing_is_refused():
    parameters, _ = attention_only()
    del parameters["blocks.1.attn.W_K"]
    with pytest.raises(InputError, match=r"no parameter 'blocks\.1\.attn\.W_K'"):
        AttentionOnlyModel(parameters, "standard", None, "m")
    with pytest.raises(InputError, match=r"blocks\.0\.attn\.W_O of a tiny model has shape \[2, 3, 5\]"):
        attention_only(**{"blocks.0.attn.W_O": torch.zeros(2, 3, 5, dtype=torch.float64)})
    with pytest.raises(InputError, match=r"no parameter 'blocks\.0"):
        attention_only(layers=0)
