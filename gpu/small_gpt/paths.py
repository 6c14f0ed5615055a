"""Cutting one path between two heads of a small GPT: what one wrote is taken out of what another reads."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from gpu.boundary import to_numpy
from gpu.small_gpt.ablation import Head
from gpu.small_gpt.model import Edits, SmallGPT
from gpu.small_gpt.training import WORTH_SHARING_A_STEP
from gpu.threads import threads_worth
from reference.errors import InputError

ROLES = ("query", "key", "value")


@torch.no_grad()
def cut(model: SmallGPT, tokens: Int64[np.ndarray, "N T"], writer: Head, reader: Head, role: str) -> Edits:
    """Return the edits that hide what `writer` added to the stream from one side of `reader`.

    The role is "query", "key" or "value". Other heads, the reader's other sides, the perceptrons and the
    logits still read it. The edits are for these tokens.

    Raises:
        InputError: the writer does not come before the reader, or there is no such role.
    """
    if writer[0] >= reader[0] or role not in ROLES:
        raise InputError(
            f"Head {writer} writes nothing that head {reader} reads as its {role}; give a head of an earlier "
            f"layer and one of {', '.join(ROLES)}."
        )
    trace = model.run(torch.from_numpy(tokens))
    written = model.head_outputs(writer[0], trace.mixed[writer[0]])[:, writer[1]]  # [M, N, T, d]

    def hidden(layer: int, side: str, stream: Tensor) -> Tensor:
        if layer != reader[0] or side != role:
            return stream
        own = stream.expand(-1, model.config.heads, -1, -1, -1).clone()
        own[:, reader[1]] -= written
        return own

    return Edits(read=hidden)


@torch.no_grad()
def attention_of(
    model: SmallGPT, tokens: Int64[np.ndarray, "N T"], head: Head, edits: Edits | None = None
) -> Float64[np.ndarray, "M N T T"]:
    """Return one head's attention, with or without edits."""
    with threads_worth(model.work(tokens.size), WORTH_SHARING_A_STEP):
        maps = model.run(torch.from_numpy(tokens), edits).attention[head[0]]
    found: np.ndarray = to_numpy(maps)[:, head[1]].astype(np.float64)
    return found
