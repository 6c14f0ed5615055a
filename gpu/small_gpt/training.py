"""Training several small GPTs at once, each on batches of its own, with a record along the way."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from gpu.small_gpt.config import Config
from gpu.small_gpt.model import SmallGPT
from gpu.threads import threads_worth
from reference.errors import InputError

# A step is many small products: a second thread waits more than it helps below this many multiply-adds.
WORTH_SHARING_A_STEP = 1 << 31
# Given a step and a seed: tokens [B, T+1] for that model.
Batches = Callable[[int, int], Int64[np.ndarray, "B T_plus_1"]]


@dataclass(frozen=True)
class Settings:
    """AdamW with a warm-up and half a cosine down to a tenth of the rate.

    Attributes:
        steps: how many.
        rate: the largest learning rate.
        warmup: steps in which the rate rises in a line.
        decay: weight decay of matrices.
        clip: the largest norm of a model's gradient.
        record_every: steps between records; the start and the end are recorded too.
    """

    steps: int
    rate: float = 1e-3
    warmup: int = 50
    decay: float = 0.01
    clip: float = 1.0
    record_every: int = 10**9

    def rate_at(self, step: int) -> float:
        """Return the learning rate of step 0, 1, ..."""
        rising = min(1.0, (step + 1) / max(1, self.warmup))
        done = min(1.0, step / max(1, self.steps))
        return self.rate * rising * (0.55 + 0.45 * math.cos(math.pi * done))


@dataclass(frozen=True)
class Run:
    """A trained model and what was recorded on the way: (step, record) in order."""

    model: SmallGPT
    records: list[tuple[int, Any]]


def train(
    config: Config,
    seeds: tuple[int, ...],
    batches: Batches,
    settings: Settings,
    record: Callable[[SmallGPT], Any] | None = None,
) -> Run:
    """Train one model a seed and return them together.

    Each model has the weights, the batches and the gradient clipping of its seed alone.

    Raises:
        InputError: no seed is given, or a loss stops being a number.
    """
    if not seeds:
        raise InputError("No seed is given, so there is no model to train; give at least one.")
    model = SmallGPT(config, seeds)
    matrices = [p for name, p in model.weights.items() if not name.startswith("b_")]
    biases = [p for name, p in model.weights.items() if name.startswith("b_")]
    groups = [{"params": matrices, "weight_decay": settings.decay}, {"params": biases, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW([g for g in groups if g["params"]], lr=settings.rate, betas=(0.9, 0.98))
    records: list[tuple[int, Any]] = []
    for step in range(settings.steps):
        if record is not None and step % settings.record_every == 0:
            records.append((step, _recorded(record, model)))
        for group in optimiser.param_groups:
            group["lr"] = settings.rate_at(step)
        tokens = torch.from_numpy(np.stack([batches(step, seed) for seed in seeds]))
        # A sum over models: each one's gradient is that of its own mean loss.
        with threads_worth(3 * model.work(tokens[0, :, 1:].numel()), WORTH_SHARING_A_STEP):
            loss = model.losses(tokens).mean(dim=(1, 2)).sum()
            if not math.isfinite(loss.item()):
                raise InputError(
                    f"The loss is {loss.item()} at step {step}; lower the rate {settings.rate:g}."
                )
            optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            _clip(model, settings.clip)
            optimiser.step()
    if record is not None:
        records.append((settings.steps, _recorded(record, model)))
    return Run(model.eval(), records)


def _recorded(record: Callable[[SmallGPT], Any], model: SmallGPT) -> Any:
    with torch.no_grad():
        return record(model)


def _clip(model: SmallGPT, largest: float) -> None:
    """Scale each model's gradient to a norm of `largest` at most."""
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    squares = torch.stack([g.flatten(1).square().sum(dim=1) for g in gradients]).sum(dim=0)
    scale = (largest / squares.sqrt().clamp(min=1e-12)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(scale.view(-1, *[1] * (gradient.ndim - 1)))
