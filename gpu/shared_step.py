"""The loss and gradients of a step: the mean over its batches, computed in one process or several.

The batch i is computed, by itself, in the process i mod P. Then all processes add the gradients of the
batches in their order: the same sums in the same order for any number P of processes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Integer
from torch import Tensor

from gpu.model import Transformer
from gpu.precision import full_precision
from gpu.step_choice import cheapest_loss_and_gradients
from gpu.team import Team
from gpu.threads import threads_for

Tokens = Integer[np.ndarray, "N T_plus_1"]


def mean_over_batches(
    model: Transformer, tokens: Tokens, batches: Sequence[np.ndarray], team: Team
) -> tuple[float, dict[str, Tensor]]:
    """Return the mean of the batches' losses, and dLoss/dparameter by name, in every process.

    Args:
        model: the weights, the same in every process.
        tokens: the corpus.
        batches: which sequences each batch takes, [n]; all batches have as many.
        team: the processes.
    """
    total = {group: torch.zeros_like(value) for group, value in model.named_parameters()}
    losses = np.zeros(len(batches))
    for begin in range(0, len(batches), team.size):
        round_size = min(team.size, len(batches) - begin)
        ours: dict[str, Tensor] = {}
        if team.rank < round_size:
            which = begin + team.rank
            losses[which], ours = _batch(model, tokens[batches[which]])
        for source in range(round_size):
            for group, into in total.items():
                sent = ours[group] if source == team.rank else torch.empty_like(into)
                team.send(sent, source)
                into += sent
    for into in total.values():
        into /= len(batches)
    return sum(team.total(losses).tolist()) / len(batches), total


def _batch(model: Transformer, tokens: Tokens) -> tuple[float, dict[str, Tensor]]:
    batch = torch.tensor(tokens.astype(np.int64), device=model.W_O.device)
    with full_precision(), threads_for(batch, len(model.W_O)):
        loss, gradients = cheapest_loss_and_gradients(model, batch)
    return loss, {group: gradient.contiguous() for group, gradient in gradients.items()}
