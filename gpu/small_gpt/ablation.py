"""Removing heads of a small GPT, all over or at some positions, and what that does to each loss."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import torch
from jaxtyping import Bool, Float64, Int64
from torch import Tensor

from gpu.boundary import to_numpy
from gpu.small_gpt.model import Edits, SmallGPT
from gpu.small_gpt.training import WORTH_SHARING_A_STEP
from gpu.threads import threads_worth

Head = tuple[int, int]  # layer, head
BATCH = 64


def removing(heads: Collection[Head], where: Bool[Tensor, "N T"] | None = None) -> Edits:
    """Return edits that zero what heads gathered, before the output projection; `where` alone, if given."""

    def zeroed(layer: int, mixed: Tensor) -> Tensor:
        numbers = [head for at, head in heads if at == layer]
        if not numbers:
            return mixed
        kept = mixed.new_ones(mixed.shape[1:4])  # [H, N, T]
        kept[numbers] = 0.0 if where is None else (~where).to(mixed.dtype)
        return mixed * kept[..., None]

    return Edits(mixed=zeroed)


def removing_after_projection(heads: Collection[Head], head_width: int) -> Edits:
    """Return the edits of a common slip: the slice of a head is zeroed in the projection's *output*.

    There it holds a part of what every head wrote and no head's contribution.
    """

    def zeroed(layer: int, projected: Tensor) -> Tensor:
        kept = projected.new_ones(projected.shape[-1])
        for at, head in heads:
            if at == layer:
                kept[head * head_width : (head + 1) * head_width] = 0.0
        return projected * kept

    return Edits(projected=zeroed)


def removing_direction(layer: int, unit: Float64[np.ndarray, " d"]) -> Edits:
    """Return edits that take a direction of length 1 out of the stream before a layer; L is the end."""

    def removed(at: int, stream: Tensor) -> Tensor:
        if at != layer:
            return stream
        w = torch.from_numpy(unit).to(stream.dtype)
        left: Tensor = stream - (stream @ w)[..., None] * w
        return left

    return Edits(stream=removed)


@torch.no_grad()
def losses(
    model: SmallGPT, tokens: Int64[np.ndarray, "N T_plus_1"], edits: Edits | None = None
) -> Float64[np.ndarray, "M N T"]:
    """Return the loss in nats at each position of each sequence, for each model.

    Edits that depend on the sequences need them in one piece; those without are run in batches.
    """
    size = len(tokens) if edits else BATCH
    found = []
    for start in range(0, len(tokens), size):
        piece = torch.from_numpy(tokens[start : start + size])
        with threads_worth(model.work(piece[:, 1:].numel()), WORTH_SHARING_A_STEP):
            found.append(to_numpy(model.losses(piece, edits)))
    return np.concatenate(found, axis=1).astype(np.float64)


def effects(
    model: SmallGPT,
    tokens: Int64[np.ndarray, "N T_plus_1"],
    removed: Collection[Collection[Head]],
    where: Bool[np.ndarray, "N T"] | None = None,
) -> Float64[np.ndarray, "K M N T"]:
    """Return by how much the loss rises at each position when each of K sets of heads is removed.

    `where` says at which positions they are removed; everywhere by default. The loss is that of every
    position, removed there or not: a head removed early changes what later positions read.
    """
    base = losses(model, tokens)
    mask = None if where is None else torch.from_numpy(where)
    return np.stack([losses(model, tokens, removing(heads, mask)) - base for heads in removed])


def all_heads(model: SmallGPT) -> list[Head]:
    """Return every (layer, head)."""
    return [(layer, head) for layer in range(model.config.layers) for head in range(model.config.heads)]
