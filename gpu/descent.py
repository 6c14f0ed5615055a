"""Full-batch gradient descent from zero at a constant rate."""

from __future__ import annotations

import torch
from jaxtyping import Int64
from torch import Tensor

from gpu.gradients import gradients
from gpu.model import Transformer, zero_parameters


def train(
    tokens: Int64[Tensor, "N T_plus_1"],
    vocab_size: int,
    layers: int,
    rate: float,
    steps: int,
    dtype: torch.dtype = torch.float64,
) -> Transformer:
    """Return the model after `steps` full-batch steps from zero at learning rate `rate`, in `dtype`."""
    start = zero_parameters(vocab_size, tokens.shape[1] - 1, layers, dtype, tokens.device)
    model = Transformer(start)
    for _ in range(steps):
        descend(model, tokens, rate)
    return model


@torch.no_grad()
def descend(model: Transformer, tokens: Int64[Tensor, "N T_plus_1"], rate: float) -> None:
    """Move the model one full-batch step downhill."""
    step = gradients(model, tokens)
    for group, value in model.named_parameters():
        value.sub_(step[group], alpha=rate)
