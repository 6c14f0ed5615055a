"""Training the model as published, with a log and checkpoints from which a killed run resumes.

On a CPU a run that was killed at any moment and resumed, or done by several processes, ends with the same
bits as one that was not, given as many threads each: batches, rates and the start depend on the settings and
the step alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gpu import checkpoints
from gpu.alignment import alignments, leading_terms, spreads
from gpu.boundary import to_numpy, usable_device
from gpu.checkpoints import Checkpoint
from gpu.memory import check_memory
from gpu.model import Transformer
from gpu.run_folder import claimed
from gpu.shared_step import Tokens, mean_over_batches
from gpu.team import Team
from gpu.tokens import checked_tokens
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
        folder: for `checkpoint.safetensors`, `log.jsonl` and `run.json`.
        save_every: steps between checkpoints; the last step always has one.
        log_every: steps between lines of the log; the last step always has one.
        told: called with the entry of every step.
        resumed: whether a checkpoint in the folder is gone on from, or refused.
        about: what `run.json` tells besides the settings.

    Raises:
        InputError: `save_every` or `log_every` is below 1.
    """

    folder: Path | None = None
    save_every: int = 50
    log_every: int = 10
    told: Callable[[Entry], None] | None = None
    resumed: bool = True
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("save_every", "log_every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; give 1 or more.")


def train_model(
    tokens: Any,
    settings: Settings,
    *,
    statistics: Callable[[], Mapping[str, np.ndarray]] | None = None,
    device: str = "cpu",
    outputs: Outputs | None = None,
    team: Team | None = None,
) -> dict[str, np.ndarray]:
    """Return W_O [V, V], V and W [L, V, V] and P [L, T] after the settings' steps.

    Args:
        tokens: [N, T+1], whole numbers below V.
        settings: of the run.
        statistics: returns B_bar, Phi_bar, Q_bar and Delta_bar to log alignments with; asked once nothing
            stands in the way of the run.
        device: cpu, cuda or cuda:NUMBER.
        outputs: files and reports, none by default; of several processes the first one makes them.
        team: the processes that share the batches of a step.

    Raises:
        InputError: the tokens are no such array or fewer than a step's; there are more processes than
            batches; a step is larger than the memory; the folder is another run's or cannot be
            written to; or the loss stops being a number. Checkpoints stay.
    """
    outputs, team = outputs or Outputs(), team or Team()
    numbers, place = checked_tokens(tokens, settings.vocab_size), usable_device(device)
    settings.steps_an_epoch(len(numbers))
    if team.size > settings.accumulate:
        raise InputError(
            f"{team.size} processes share the batches of a step, which are {settings.accumulate}; "
            f"accumulate {team.size} or more, or start fewer processes."
        )
    check_memory(settings, numbers.shape[1] - 1, place)
    folder = outputs.folder if team.leads else None
    with nullcontext() if folder is None else claimed(folder):
        return _train(numbers, settings, statistics, place, outputs, folder, team)


def _train(
    tokens: Tokens,
    settings: Settings,
    statistics: Callable[[], Mapping[str, np.ndarray]] | None,
    device: torch.device,
    outputs: Outputs,
    folder: Path | None,
    team: Team,
) -> dict[str, np.ndarray]:
    corpus = checkpoints.digest(tokens)
    team.agree("corpus or other settings", f"{corpus} {settings}")
    state = _begin(settings, corpus, tokens.shape[1] - 1, device, outputs, folder, team)
    leading = None if statistics is None else leading_terms(statistics(), state.model)
    began, first, saved = time.monotonic(), state.step, state.step
    for step in range(first, settings.steps):
        loss = _take_step(state.model, tokens, settings, step, saved, team)
        pace = settings.sequences_a_step * (step + 1 - first) / max(time.monotonic() - began, 1e-9)
        left = settings.sequences_a_step * (settings.steps - step - 1) / pace
        entry = Entry(step + 1, loss, settings.rate_at(step), pace, left)
        if folder is not None and _due(entry.step, outputs.log_every, settings.steps):
            entry = _with_measures(entry, state.model, leading)
            checkpoints.append_log(folder, asdict(entry))
        if folder is not None and _due(entry.step, outputs.save_every, settings.steps):
            checkpoints.save(folder, Checkpoint(state.model, entry.step), settings, corpus)
            saved = entry.step
        if outputs.told is not None and team.leads:
            outputs.told(entry)
    return {group: to_numpy(value) for group, value in state.model.named_parameters()}


def _begin(
    settings: Settings,
    corpus: str,
    length: int,
    device: torch.device,
    outputs: Outputs,
    folder: Path | None,
    team: Team,
) -> Checkpoint:
    """Return the state to go on from, a checkpoint's or the start: in every process that of the first one."""
    found = None
    if folder is not None:
        found = checkpoints.load(folder, settings, corpus, device)
        if found is not None and not outputs.resumed:
            raise InputError(
                f"{folder} holds a run that is at step {found.step}; "
                "go on with it by --resume, or give another folder."
            )
        checkpoints.cut_log(folder, found.step if found else 0)
        checkpoints.describe(folder, settings, corpus, outputs.about)
    state = found or Checkpoint(settings.start(length, device), 0)
    for value in state.model.parameters():
        team.send(value.data, 0)
    return Checkpoint(state.model, int(team.shared(np.array(state.step), 0)))


@torch.no_grad()
def _take_step(
    model: Transformer, tokens: Tokens, settings: Settings, step: int, saved: int, team: Team
) -> float:
    """Move the model one step downhill on its batches; return the loss before it."""
    batches = settings.batches_at(step, len(tokens))
    loss, gradients = mean_over_batches(model, tokens, batches, team)
    for group, value in model.named_parameters():
        value.sub_(gradients[group], alpha=settings.rate_at(step))
    # The loss is from before the step; after the last one nothing would show that a weight is no number.
    if not (math.isfinite(loss) and all(value.isfinite().all() for value in model.parameters())):
        if step == 0 and not (
            math.isfinite(loss) and all(one.isfinite().all() for one in gradients.values())
        ):
            # No rate makes a number of these.
            raise InputError(
                f"The loss of the start, or its gradient, is no number in {settings.dtype}: give a smaller "
                f"--scale than {settings.start_size:g}, or a larger --decay."
            )
        kept = f"the checkpoint of step {saved} is kept" if saved else "there is no checkpoint yet"
        told = "A weight is no number" if math.isfinite(loss) else f"The loss is {loss}"
        raise InputError(f"{told} at step {step + 1}: lower the rate {settings.rate:g}; {kept}.")
    return loss


def _with_measures(entry: Entry, model: Transformer, leading: dict[str, torch.Tensor] | None) -> Entry:
    known = asdict(entry) | {"spreads": spreads(model)}
    return Entry(**known | {"alignments": None if leading is None else alignments(model, leading)})


def _due(step: int, every: int, last: int) -> bool:
    return step % every == 0 or step == last
