"""What each head of a small GPT attends to and writes, as arrays over models, layers and heads."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float64, Int64

from gpu.attention_metrics import copy_targets, head_profile, weight_on
from gpu.boundary import to_numpy
from gpu.output_size import copying_cosine, relative_output
from gpu.small_gpt.model import SmallGPT, Trace
from gpu.small_gpt.training import WORTH_SHARING_A_STEP
from gpu.threads import threads_worth


@torch.no_grad()
def traced(model: SmallGPT, tokens: Int64[np.ndarray, "N T"]) -> Trace:
    """Return everything that a forward pass computes."""
    with threads_worth(model.work(tokens.size), WORTH_SHARING_A_STEP):
        return model.run(torch.from_numpy(tokens))


def residual_streams(
    model: SmallGPT, tokens: Int64[np.ndarray, "N T"]
) -> Float64[np.ndarray, "L_plus_1 M N T d"]:
    """Return the residual stream before each layer and after the last."""
    return np.stack([to_numpy(stream) for stream in traced(model, tokens).streams]).astype(np.float64)


def attention_maps(model: SmallGPT, tokens: Int64[np.ndarray, "N T"]) -> Float64[np.ndarray, "M L H N T T"]:
    """Return every head's attention to each sequence."""
    maps = [to_numpy(A) for A in traced(model, tokens).attention]
    return np.stack(maps, axis=1).astype(np.float64)


@torch.no_grad()
def profiles(model: SmallGPT, tokens: Int64[np.ndarray, "N T"]) -> dict[str, Float64[np.ndarray, "M L H N"]]:
    """Return the profile of every head on each sequence, by name, and what it adds to the stream.

    Besides `gpu.attention_metrics.head_profile`: relative_output and copying, what a head writes over the
    stream that it reads, in length and as a cosine.
    """
    found: dict[str, list[np.ndarray]] = {}
    trace = traced(model, tokens)
    for layer, A in enumerate(trace.attention):
        outputs = model.head_outputs(layer, trace.mixed[layer])
        stream = trace.streams[layer][:, None].expand_as(outputs)
        scores = {
            **head_profile(A.double()),
            "relative_output": relative_output(outputs, stream),
            "copying": copying_cosine(outputs, stream),
            "output_norm": outputs.norm(dim=-1).mean(dim=-1),
        }
        for name, value in scores.items():
            found.setdefault(name, []).append(to_numpy(value).astype(np.float64))
    return {name: np.stack(layers, axis=1) for name, layers in found.items()}


@torch.no_grad()
def head_scores(
    model: SmallGPT, tokens: Int64[np.ndarray, "N T_plus_1"]
) -> dict[str, Float64[np.ndarray, "M L H"]]:
    """Return each head's previous-token weight and induction score on sequences, means over them."""
    inputs = tokens[:, :-1]
    trace = traced(model, inputs)
    targets = copy_targets(torch.from_numpy(inputs))
    found = {
        "previous": [head_profile(A)["previous"].mean(dim=-1) for A in trace.attention],
        "induction": [weight_on(A, targets).mean(dim=-1) for A in trace.attention],
    }
    return {
        name: np.stack([to_numpy(one) for one in layers], axis=1).astype(np.float64)
        for name, layers in found.items()
    }
