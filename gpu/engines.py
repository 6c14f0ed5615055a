"""Which code adds a part of a corpus to the sums: the compiled loops, torch, or fused kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from jaxtyping import UInt32

from gpu import compiled
from gpu.progress import Kind
from gpu.sums import FirstSums, SecondSums
from gpu.team import Team
from reference.errors import InputError
from reference.processors import usable_processors

Tokens = UInt32[np.ndarray, "n T_plus_1"]
EngineName = Literal["auto", "compiled", "torch", "fused"]


@dataclass(frozen=True)
class Engine:
    """What adds a part of a corpus to the sums.

    Attributes:
        kinds: the sums of both passes.
        add_first: of (tokens, sums).
        placed: of G_bar, [V, V], what `add_second` takes of it.
        add_second: of (tokens, what was placed, sums).
        takes: whether this process has work in the part 0, 1, ...
        shared_by: what of the work each of several processes does, "parts" or "rows".
    """

    kinds: tuple[Kind[Any], Kind[Any]]
    add_first: Callable[[Any, Any], None]
    placed: Callable[[Any], Any]
    add_second: Callable[[Any, Any, Any], None]
    takes: Callable[[int], bool]
    shared_by: str


def engine(
    name: EngineName,
    device: str,
    threads: int | None,
    team: Team,
    tokens: Tokens,
    vocab_size: int,
) -> Engine:
    """Return the engine called `name`; "auto" is the compiled one where it can run, or torch.

    Of several processes each gets its own: with the compiled engine each does some rows of every part, with
    the others every part is done by one of them. `tokens` is the first part of the corpus.

    Raises:
        InputError: it needs a package or a device that is not there, or the number of threads is not
            positive.
    """
    if name == "auto":
        name = "compiled" if device == "cpu" and compiled.available() else "torch"
    if name in ("torch", "fused"):
        return _on_device(name, device, team)
    if not compiled.available():
        raise InputError("The compiled engine needs numba; run: pip install numba, or choose torch.")
    if device != "cpu":
        raise InputError(f"The compiled engine runs on cpu only, not on {device}; choose torch.")
    threads = usable_processors() if threads is None else threads
    if threads < 1:
        raise InputError(f"Work needs at least one thread, not {threads}.")
    how: dict[str, Any] = {"cut": compiled.Cut.of(tokens, vocab_size), "threads": threads, "team": team}
    first, second = partial(compiled.add_first, **how), partial(compiled.add_second, **how)
    return Engine((FirstSums, SecondSums), first, lambda G_bar: G_bar, second, lambda part: True, "rows")


def _on_device(name: EngineName, device: str, team: Team) -> Engine:
    try:
        from gpu import torch_sums
    except ImportError:
        raise InputError(
            "Statistics at scale need numba or torch; run: pip install 'leadterms[gpu]'."
        ) from None
    sums = torch_sums.fused(device) if name == "fused" else torch_sums.eager(device)
    return Engine(
        sums.kinds,
        sums.add_first,
        sums.placed,
        sums.add_second,
        lambda part: part % team.size == team.rank,
        "parts",
    )
