"""What can be read off one attention map: where a row of weights lies.

A map is [T, T], causal, with rows that sum to 1; row t (0-based) attends to k <= t.
"""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from reference.errors import InputError


def head_profile(attention: Float[Tensor, "T T"]) -> dict[str, float]:
    """Return entropy, diagonal, previous and distance of one attention map, means over all T rows.

    - entropy: a row's entropy as a part of the largest possible, log(t+1); row 0 counts as 0. In 0..1.
    - diagonal: weight on the token itself. In 0..1.
    - previous: weight on the token before; row 0 counts as 0. In 0..1.
    - distance: mean distance t - k in tokens. In 0..(T-1)/2.

    Source: the metrics in common use for attention heads; the values at uniform attention are in
    `theory.baselines`.
    """
    T = len(attention)
    place = torch.arange(T, dtype=attention.dtype, device=attention.device)
    entropy = torch.special.entr(attention).sum(dim=1)[1:]
    distance = attention * (place[:, None] - place)
    return {
        "entropy": float((entropy / place[1:].log1p()).sum() / T),
        "diagonal": float(attention.diagonal().sum() / T),
        "previous": float(attention.diagonal(-1).sum() / T),
        "distance": float(distance.sum() / T),
    }


def induction_score(attention: Float[Tensor, "T T"], period: int) -> float:
    """Return the mean weight of row t on t - period + 1, over t = period..T-1, for one attention map.

    That sub-diagonal is where a perfect induction head has weight 1 on a sequence repeating with `period`.

    Raises:
        InputError: the period is not in 1..T-1.
    """
    T = len(attention)
    if not 1 <= period < T:
        raise InputError(f"The period {period} does not fit a map of {T} rows; give 1 to {T - 1}.")
    # With period 1 the sub-diagonal is the diagonal itself, whose first row lies before the range.
    return float(attention.diagonal(1 - period)[-(T - period) :].mean())
