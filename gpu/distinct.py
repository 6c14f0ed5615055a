"""The distinct tokens of each sequence, in the order in which they come.

A text repeats its words: What the tokens of a
sequence pick from a table is picked once for each distinct token, and X = Z (rows of the distinct tokens),
where Z[t, u] = 1 if x[t] is the u-th distinct token of its sequence. In this order the first t positions see
the first few of them, so that products keep their causal zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor


@dataclass(frozen=True)
class Distinct:
    """The distinct tokens of some sequences; U is the most that a sequence has.

    Attributes:
        tokens: [n, U], those of each sequence as they come, then token 0, which no position is.
        which: [n, T], the place of each position's token among them.
        seen: T + 1 numbers that do not fall: no sequence has more distinct tokens in its first t positions.
    """

    tokens: Int64[Tensor, "n U"]
    which: Int64[Tensor, "n T"]
    seen: list[int]

    @classmethod
    def of(cls, x: Int64[Tensor, "n T"]) -> Distinct:
        """Find them."""
        place = torch.arange(x.shape[1], device=x.device)
        same = x[:, :, None] == x[:, None, :]
        first = torch.where(same, place, len(place)).amin(dim=2)  # [n, T], where the token comes first
        count = (first == place).cumsum(dim=1)  # [n, T]
        which = count.gather(1, first) - 1
        seen = [0, *count.amax(dim=0).tolist()]
        tokens = x.new_zeros(len(x), seen[-1]).scatter_(1, which, x)
        return cls(tokens, which, seen)

    def Z(self, dtype: torch.dtype) -> Float[Tensor, "n T U"]:
        """Return Z, where a token that no position is has a column of zeros."""
        zeros = torch.zeros(*self.which.shape, self.seen[-1], dtype=dtype, device=self.which.device)
        return zeros.scatter_(2, self.which[:, :, None], 1)
