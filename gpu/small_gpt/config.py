"""The sizes of a small GPT."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reference.errors import InputError


@dataclass(frozen=True)
class Config:
    """A decoder-only transformer.

    Attributes:
        vocab_size: V.
        context: T, the most positions that it sees.
        layers: L; 0 predicts from the token and its position alone.
        heads: H attention heads a layer.
        width: d, of the residual stream; a head has d/H of it.
        mlp: whether each layer has a perceptron of width 4d after its attention.
        normalised: whether what a layer reads is centred and scaled to unit variance first.
        positions: whether position embeddings are added to the token embeddings.
        deviation: the standard deviation of each weight at the start; GPT-2's .02 by default.

    Raises:
        InputError: a size is out of its range, or the heads do not divide the width.
    """

    vocab_size: int
    context: int
    layers: int = 2
    heads: int = 4
    width: int = 128
    mlp: bool = True
    normalised: bool = True
    positions: bool = True
    deviation: float = 0.02

    def __post_init__(self) -> None:
        least = {"vocab_size": 1, "context": 1, "layers": 0, "heads": 1, "width": 1}
        for name, limit in least.items():
            if getattr(self, name) < limit:
                raise InputError(f"{name} is {getattr(self, name)}; give {limit} or more.")
        if not 0 <= self.deviation < math.inf:
            raise InputError(f"deviation is {self.deviation}; give a finite number, 0 or more.")
        if self.width % self.heads:
            raise InputError(
                f"{self.heads} heads do not share a width of {self.width} evenly; give a multiple of it."
            )

    @property
    def head_width(self) -> int:
        """The features of one head, d/H; head h has h d/H to (h+1) d/H of a layer's concatenated heads."""
        return self.width // self.heads
