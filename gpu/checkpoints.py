"""A training run on disk: weights with what they are weights of, in one file that is whole or not there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Integer

from gpu.array_files import damaged, read_arrays, write_arrays, write_json
from gpu.boundary import GROUPS, to_numpy
from gpu.model import Transformer
from gpu.run_folder import ABOUT, CHECKPOINT, LOG
from gpu.training_settings import Settings
from reference.atomic_files import write_text
from reference.corpus import parts
from reference.errors import InputError

KIND = "training checkpoint"


@dataclass(frozen=True)
class Checkpoint:
    """The weights after some steps.

    Attributes:
        model: the weights.
        step: how many steps made them.
    """

    model: Transformer
    step: int


def digest(tokens: Integer[np.ndarray, "N T_plus_1"]) -> str:
    """Return the SHA-256 of an array of tokens and its shape."""
    whole = hashlib.sha256(f"{tokens.shape}\n".encode())
    for _, some in parts(tokens):
        whole.update(np.ascontiguousarray(some, dtype="<i8").data)
    return whole.hexdigest()


def save(folder: Path, checkpoint: Checkpoint, settings: Settings, corpus: str) -> None:
    """Write the checkpoint into a folder, in the place of the one before.

    Raises:
        InputError: it cannot be written.
    """
    arrays = {group: to_numpy(value) for group, value in checkpoint.model.named_parameters()}
    facts = {"kind": KIND, "step": checkpoint.step, "settings": asdict(settings), "corpus": corpus}
    write_arrays(folder / CHECKPOINT, arrays, facts)


def describe(folder: Path, settings: Settings, corpus: str, about: Mapping[str, Any]) -> None:
    """Write what the run in a folder is, for people.

    Raises:
        InputError: it cannot be written.
    """
    write_json(folder / ABOUT, {**about, "settings": asdict(settings), "corpus_tokens": corpus})


def load(folder: Path, settings: Settings, corpus: str, device: torch.device) -> Checkpoint | None:
    """Return the checkpoint in a folder, or None where there is none.

    Raises:
        InputError: it cannot be read, or is of other settings or another corpus.
    """
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    arrays, facts = read_arrays(path)
    if facts.get("kind") != KIND:
        raise InputError(f"{path} is no training checkpoint; give another folder.")
    _check_whole(path, arrays, facts, settings)
    _check_same(path, facts, settings, corpus)
    if facts["step"] > settings.steps:
        raise InputError(f"{path} is of step {facts['step']}, more than {settings.steps}; give more steps.")
    tensors = {group: torch.tensor(arrays[group], device=device) for group in GROUPS}
    return Checkpoint(Transformer(tensors), facts["step"])


def _check_whole(
    path: Path, arrays: Mapping[str, np.ndarray], facts: Mapping[str, Any], settings: Settings
) -> None:
    """Raise InputError where a file lacks something, or has it of another kind than `save` writes."""
    if type(facts.get("step")) is not int or facts["step"] < 0:
        raise damaged(path, "it says no step")
    if not isinstance(facts.get("settings"), dict) or "corpus" not in facts:
        raise damaged(path, "it says no settings or no corpus")
    # Of other settings the sizes are others: that is told by name.
    V, L = (facts["settings"].get(name, getattr(settings, name)) for name in ("vocab_size", "layers"))
    shapes = {"W_O": (V, V), "V": (L, V, V), "W": (L, V, V)}
    for group in GROUPS:
        found = arrays.get(group)
        of_shape = found is not None and found.shape == shapes.get(group, (L, *found.shape[1:2]))
        if found is None or found.dtype.name not in ("float32", "float64") or not of_shape:
            raise damaged(path, f"it has no {group} of the sizes that it says")


def cut_log(folder: Path, step: int) -> None:
    """Leave out the lines of the log beyond a step: a resumed run writes them again."""
    path = folder / LOG
    if not path.exists():
        return
    # What a killed process left unfinished may be no text; it is past the step in any case.
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    kept = [line for line in lines if _step_of(line) <= step]
    write_text(path, "".join(f"{line}\n" for line in kept))


def last_entry(folder: Path) -> dict[str, Any] | None:
    """Return the last line of the log; None where there is none."""
    path = folder / LOG
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return json.loads(lines[-1]) if lines else None


def append_log(folder: Path, line: dict[str, Any]) -> None:
    """Append a line of JSON to the log.

    Raises:
        InputError: it cannot be written.
    """
    path = folder / LOG
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}; free some space and resume.") from None


def _check_same(path: Path, facts: dict[str, Any], settings: Settings, corpus: str) -> None:
    if facts["corpus"] != corpus:
        raise InputError(f"{path} is of another corpus; give the corpus it began with, or another folder.")
    now, then = asdict(settings), facts["settings"]
    # A constant rate does not depend on how many steps are to come.
    free = {"steps"} if settings.schedule == "constant" else set()
    for name in now:
        if name not in free and now[name] != then.get(name):
            raise InputError(
                f"{path} was made with {name} = {then.get(name)}, not {now[name]}; "
                "give the same settings, or another folder."
            )


def _step_of(line: str) -> float:
    """Return the step of a line of the log; a line that a killed process left unfinished is past them all."""
    try:
        return float(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return float("inf")
