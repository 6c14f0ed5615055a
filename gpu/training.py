"""Training the model as published, with a log and checkpoints from which a killed run resumes.

On a CPU a run that was killed at any moment and resumed ends with the same bits as one that was not, given
as many threads: batches, rates and the start depend on the settings and the step alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Int64

from gpu import checkpoints
from gpu.alignment import alignments, leading_terms, spreads
from gpu.boundary import to_numpy, usable_device
from gpu.checkpoints import Checkpoint
from gpu.model import Transformer
from gpu.precision import full_precision
from gpu.step_choice import cheapest_loss_and_gradients
from gpu.threads import threads_for
from gpu.tokens import whole_numbers
from gpu.training_settings import Settings
from reference.errors import InputError


@dataclass(frozen=True)
class Entry:
    """What is known after a step.

    Attributes:
        step: how many steps have been taken.
        loss: nats a token on the step's batch, before the step.
        rate: the step's learning rate.
        sequences_a_second: since this process began.
        seconds_left: to the last step, at that pace.
        alignments: cosines with the leading terms by group and layer, where statistics were given.
        spreads: how far the layers are apart by group, see `gpu.alignment`.
    """

    step: int
    loss: float
    rate: float
    sequences_a_second: float
    seconds_left: float
    alignments: dict[str, list[float | None]] | None = None
    spreads: dict[str, float | None] | None = None


@dataclass(frozen=True)
class Outputs:
    """Where a run leaves its traces, and how often.

    Attributes:
        folder: for `checkpoint.safetensors` and `log.jsonl`; a checkpoint there is resumed from.
        save_every: steps between checkpoints; the last step always has one.
        log_every: steps between lines of the log.
        told: called with the entry of every step.
    """

    folder: Path | None = None
    save_every: int = 50
    log_every: int = 10
    told: Callable[[Entry], None] | None = None

    def __post_init__(self) -> None:
        for name in ("save_every", "log_every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; give 1 or more.")


def train_model(
    tokens: Any,
    settings: Settings,
    *,
    statistics: Mapping[str, np.ndarray] | None = None,
    device: str = "cpu",
    outputs: Outputs | None = None,
) -> dict[str, np.ndarray]:
    """Return W_O [V, V], V and W [L, V, V] and P [L, T] after the settings' steps.

    Args:
        tokens: [N, T+1], whole numbers below V.
        settings: of the run.
        statistics: B_bar, Phi_bar, Q_bar and Delta_bar to log alignments with.
        device: cpu, cuda or cuda:NUMBER.
        outputs: files and reports, none by default.

    Raises:
        InputError: the tokens are no such array or fewer than a batch; the folder holds the checkpoint of
            another run or cannot be written to; or the loss stops being a number. Checkpoints stay.
    """
    outputs = outputs or Outputs()
    numbers, place = whole_numbers(tokens, settings.vocab_size), usable_device(device)
    settings.steps_an_epoch(len(numbers))
    corpus = checkpoints.digest(numbers)
    state = _begin(settings, corpus, numbers.shape[1] - 1, place, outputs.folder)
    leading = None if statistics is None else leading_terms(statistics, state.model)
    began, first = time.monotonic(), state.step
    for step in range(first, settings.steps):
        loss = _take_step(state.model, numbers, settings, step, state.step)
        pace = settings.batch * (step + 1 - first) / max(time.monotonic() - began, 1e-9)
        left = settings.batch * (settings.steps - step - 1) / pace
        entry = Entry(step + 1, loss, settings.rate_at(step), pace, left)
        if outputs.folder is not None and _due(entry.step, outputs.log_every, settings.steps):
            checkpoints.append_log(outputs.folder, asdict(_with_measures(entry, state.model, leading)))
        if outputs.folder is not None and _due(entry.step, outputs.save_every, settings.steps):
            state = Checkpoint(state.model, entry.step)
            checkpoints.save(outputs.folder, state, settings, corpus)
        if outputs.told is not None:
            outputs.told(entry)
    return {group: to_numpy(value) for group, value in state.model.named_parameters()}


def _begin(
    settings: Settings, corpus: str, length: int, device: torch.device, folder: Path | None
) -> Checkpoint:
    """Return the state to go on from: a checkpoint's, or the start."""
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"The folder {folder} cannot be made: {error.strerror}; give another.") from None
        found = checkpoints.load(folder, settings, corpus, device)
        checkpoints.cut_log(folder, found.step if found else 0)
        if found is not None:
            return found
    return Checkpoint(settings.start(length, device), 0)


@torch.no_grad()
def _take_step(
    model: Transformer, tokens: Int64[np.ndarray, "N T_plus_1"], settings: Settings, step: int, saved: int
) -> float:
    """Move the model one step downhill on its batch; return the loss before it."""
    batch = torch.tensor(tokens[settings.batch_at(step, len(tokens))], device=model.W_O.device)
    with full_precision(), threads_for(batch, settings.vocab_size):
        loss, gradients = cheapest_loss_and_gradients(model, batch)
    if not math.isfinite(loss):
        kept = f"the checkpoint of step {saved} is kept" if saved else "there is no checkpoint yet"
        raise InputError(f"The loss is {loss} at step {step + 1}: lower the rate {settings.rate:g}; {kept}.")
    for group, value in model.named_parameters():
        value.sub_(gradients[group], alpha=settings.rate_at(step))
    return loss


def _with_measures(entry: Entry, model: Transformer, leading: dict[str, torch.Tensor] | None) -> Entry:
    known = asdict(entry) | {"spreads": spreads(model)}
    return Entry(**known | {"alignments": None if leading is None else alignments(model, leading)})


def _due(step: int, every: int, last: int) -> bool:
    return step % every == 0 or step == last
