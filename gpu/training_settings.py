"""What determines a training run: the same settings on the same tokens give the same weights on a CPU."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int64

from gpu.boundary import float_type
from gpu.model import Transformer, zero_parameters
from reference.errors import InputError

# As many as torch's generator takes.
SEEDS = 1 << 64


@dataclass(frozen=True)
class Settings:
    """Gradient descent as published, with its options.

    Attributes:
        vocab_size: V.
        layers: L.
        rate: the largest learning rate, eta.
        steps: how many steps are taken.
        batch: sequences whose gradient is computed at once.
        accumulate: batches a step, whose gradients are averaged; several processes share them out. An epoch
            takes N // (batch * accumulate) steps; its rest is left out.
        dtype: "float32" or "float64", of weights and gradients.
        schedule: after the warm-up the rate stays, or falls to zero in a line or half a cosine.
        warmup: steps in which the rate rises in a line to `rate`.
        start_size: v of the Gaussian start, whose entries have variance v^2 / V^(2 + 2 xi); 0 starts at zero.
        start_decay: xi of the Gaussian start.
        shuffled: whether each epoch takes the sequences in an order of its own, or all as they are.
        seed: of the orders and the start.

    Raises:
        InputError: an option is out of its range.
    """

    vocab_size: int
    layers: int
    rate: float
    steps: int
    batch: int
    accumulate: int = 1
    dtype: str = "float32"
    schedule: str = "constant"
    warmup: int = 0
    start_size: float = 0.0
    start_decay: float = 0.0
    shuffled: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        float_type(self.dtype)
        least = {
            "vocab_size": 1,
            "layers": 0,
            "steps": 0,
            "accumulate": 1,
            "batch": 1,
            "warmup": 0,
            "seed": 0,
        }
        for name, limit in least.items():
            if getattr(self, name) < limit:
                raise InputError(f"{name} is {getattr(self, name)}; give {limit} or more.")
        if self.seed >= SEEDS:
            raise InputError(f"seed is {self.seed}; give a number below 2^64.")
        for name in ("rate", "start_size", "start_decay"):
            if not 0 <= getattr(self, name) <= torch.finfo(float_type(self.dtype)).max:
                raise InputError(
                    f"{name} is {getattr(self, name)}; give a number, 0 or more, that {self.dtype} holds."
                )
        if self.schedule not in ("constant", "linear", "cosine"):
            raise InputError(f"There is no schedule '{self.schedule}'; give constant, linear or cosine.")
        if self.start_size > 0 and self.start_deviation < torch.finfo(float_type(self.dtype)).tiny:
            raise InputError(
                f"start_decay is {self.start_decay}, which makes the start too small for {self.dtype}; "
                "give a smaller one."
            )

    @property
    def start_deviation(self) -> float:
        """The standard deviation of the entries of a Gaussian start; 0 where it is too small for a float."""
        try:
            return float(self.start_size / self.vocab_size ** (1 + self.start_decay))
        except OverflowError:
            return 0.0

    @property
    def sequences_a_step(self) -> int:
        """Those of all batches of a step."""
        return self.batch * self.accumulate

    def rate_at(self, step: int) -> float:
        """Return the learning rate of step 0, 1, ..."""
        if step < self.warmup:
            return self.rate * (step + 1) / self.warmup
        done = (step - self.warmup) / max(1, self.steps - self.warmup)
        falling = {"constant": 1.0, "linear": 1 - done, "cosine": (1 + math.cos(math.pi * done)) / 2}
        return self.rate * falling[self.schedule]

    def steps_an_epoch(self, sequences: int) -> int:
        """Return how many steps N sequences give.

        Raises:
            InputError: they are fewer than those of a step.
        """
        if sequences < self.sequences_a_step:
            what = "no batch" if self.accumulate == 1 else f"no {self.accumulate} batches"
            less = "give a smaller one" if self.accumulate == 1 else "give smaller ones, or accumulate fewer"
            raise InputError(f"{sequences} sequences make {what} of {self.batch}; {less}.")
        return sequences // self.sequences_a_step

    def batches_at(self, step: int, sequences: int) -> list[np.ndarray]:
        """Return which of N sequences, [n] each, the batches of step 0, 1, ... take."""
        return np.split(self.sequences_at(step, sequences), self.accumulate)

    def sequences_at(self, step: int, sequences: int) -> Int64[np.ndarray, " sequences_a_step"]:
        """Return which of N sequences step 0, 1, ... takes."""
        epoch, place = divmod(step, self.steps_an_epoch(sequences))
        order = np.arange(sequences)
        if self.shuffled:
            order = np.random.default_rng([self.seed, epoch]).permutation(sequences)
        return order[place * self.sequences_a_step : (place + 1) * self.sequences_a_step]

    def start(self, length: int, device: torch.device) -> Transformer:
        """Return the model before the first step, for sequences of T = `length` positions.

        The Gaussian start is drawn in float64 on the CPU: the same numbers on every device.
        """
        parameters = zero_parameters(self.vocab_size, length, self.layers, float_type(self.dtype), device)
        if self.start_size > 0:
            draw = torch.Generator().manual_seed(self.seed)
            for value in parameters.values():
                drawn = torch.randn(value.shape, generator=draw, dtype=torch.float64)
                value.copy_(drawn * self.start_deviation)
        return Transformer(parameters)
