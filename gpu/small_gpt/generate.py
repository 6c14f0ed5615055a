"""What a small GPT writes."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from gpu.small_gpt.model import Edits, SmallGPT
from gpu.small_gpt.training import WORTH_SHARING_A_STEP
from gpu.threads import threads_worth


@torch.no_grad()
def continued(
    model: SmallGPT, beginning: Sequence[int], count: int, edits: Edits | None = None
) -> list[list[int]]:
    """Return for each model the `count` tokens that it finds most likely, one after the other.

    Greedy, so the same weights write the same text; of a long text the model sees the last T tokens.
    """
    M = len(model.seeds)
    tokens = torch.tensor(beginning, dtype=torch.int64).expand(M, 1, -1)
    for _ in range(count):
        seen = tokens[..., -model.config.context :]
        with threads_worth(model.work(seen.shape[-1]), WORTH_SHARING_A_STEP):
            logits = model(seen, edits)
        tokens = torch.cat([tokens, logits[:, :, -1].argmax(dim=-1, keepdim=True)], dim=-1)
    return [row[0, len(beginning) :].tolist() for row in tokens]
