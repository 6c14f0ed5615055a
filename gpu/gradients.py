"""The loss and its gradients by automatic differentiation of the dense model, over runs of sequences."""

from __future__ import annotations

import torch
from jaxtyping import Int64
from torch import Tensor

from gpu.model import Transformer

# Entries of [N, T, V] and [N, T, T] arrays that one backward pass may keep: 1 GB in float64.
ENTRIES_AT_ONCE = 1 << 27


def gradients(model: Transformer, tokens: Int64[Tensor, "N T_plus_1"]) -> dict[str, Tensor]:
    """Return dLoss/dparameter for W_O [V, V], V [L, V, V], W [L, V, V] and P [L, T]."""
    return loss_and_gradients(model, tokens)[1]


def loss_and_gradients(
    model: Transformer, tokens: Int64[Tensor, "N T_plus_1"]
) -> tuple[float, dict[str, Tensor]]:
    """Return the mean cross-entropy over all N*T positions, and dLoss/dparameter by name.

    The gradients have the shapes of the parameters. A corpus too large for one backward pass is cut into runs
    of sequences whose parts add up.
    """
    parameters = dict(model.named_parameters())
    total = {group: torch.zeros_like(value) for group, value in parameters.items()}
    layers, T = model.P.shape
    loss, run = 0.0, sequences_at_once(layers, T, len(model.W_O))
    for start in range(0, len(tokens), run):
        part = tokens[start : start + run]
        with torch.enable_grad():
            part_loss = model.loss(part) * (len(part) / len(tokens))
        # A model without layers has empty groups that the loss does not depend on.
        found = torch.autograd.grad(part_loss, list(parameters.values()), materialize_grads=True)
        for group, gradient in zip(parameters, found, strict=True):
            total[group] += gradient
        loss += float(part_loss.detach())
    return loss, total


def sequences_at_once(layers: int, T: int, V: int) -> int:
    """Return how many sequences one backward pass may hold, at least one."""
    # A layer keeps h, h W and A h of width V, and its scores before and after the softmax.
    entries = (4 + 3 * layers) * T * V + 3 * layers * T * T
    return max(1, ENTRIES_AT_ONCE // max(1, entries))
