"""Two passes over the parts of a corpus, with sums that are saved and resumed, in one process or several.

The second pass needs the sums of the whole first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from jaxtyping import UInt32

from gpu.progress import First, Kind, Progress, Saver, Second, chained, load
from gpu.team import Team
from gpu.tokens import checked_parts
from reference.errors import InputError

SECONDS_BETWEEN_SAVES = 60.0

# Told after each part: the pass, 1 or 2, and the sequences that have been gone through.
Told = Callable[[int, int], None]
Tokens = UInt32[np.ndarray, "n T_plus_1"]
Between = TypeVar("Between")


@dataclass(frozen=True)
class Passes(Generic[First, Second, Between]):
    """What the passes do.

    Attributes:
        first: the kind of sums of the first pass.
        second: that of the second.
        add_first: adds a part to the first pass's sums.
        between: what the second pass needs of the first one's sums.
        add_second: adds a part to the second pass's sums.
        takes: whether this process has work in the part 0, 1, ...
        shared_by: what of the work each of several processes does, "parts" or "rows".
    """

    first: Kind[First]
    second: Kind[Second]
    add_first: Callable[[Any, First], None]
    between: Callable[[First], Between]
    add_second: Callable[[Any, Between, Second], None]
    takes: Callable[[int], bool]
    shared_by: str


@dataclass(frozen=True)
class Traces:
    """What a run leaves and tells on its way.

    Attributes:
        saved: a file to save progress to and to resume from; it stays, see `kept_until_written`.
        seconds_between_saves: how often; 0 saves after each part.
        told: called after each part with the pass, 1 or 2, and the sequences that have been gone through.
    """

    saved: Path | None = None
    seconds_between_saves: float = SECONDS_BETWEEN_SAVES
    told: Told | None = None


def run_passes(
    parts: Iterable[np.ndarray],
    vocab_size: int,
    passes: Passes[First, Second, Between],
    traces: Traces,
    team: Team,
) -> tuple[First, Between, Second]:
    """Go through the parts [n, T+1] twice; return the sums of both passes, and what lies between.

    Raises:
        InputError: a part is no array of tokens, there is none or only once, the saved progress is of another
            corpus or another size or cannot be written, or another process has ended.
    """
    saver = Saver(traces.saved, traces.seconds_between_saves)
    progress = _start(parts, vocab_size, passes, traces.saved, team)
    _catch_up(progress, passes, team)

    def goes_on(which: int) -> Callable[[int], None]:
        def is_through(sequences: int) -> None:
            if traces.told is not None:
                traces.told(which, sequences)
            saver.now_and_then(progress)

        return is_through

    if progress.second is None:
        go_through(
            parts, progress, lambda part: passes.add_first(part, progress.first), goes_on(1), passes.takes
        )
        team.agree("corpus", progress.digest)
        progress.first.join(team)
        progress.begin_second_pass(passes.second.zero(vocab_size, progress.length))
    second = progress.second
    assert second is not None
    between = passes.between(progress.first)
    go_through(
        parts, progress, lambda part: passes.add_second(part, between, second), goes_on(2), passes.takes
    )
    if progress.digest != progress.whole:
        if traces.saved is not None and traces.saved.exists():
            raise _other_corpus(progress)
        raise InputError("The parts of the corpus changed between the two passes; give the same ones twice.")
    second.join(team)
    return progress.first, between, second


def go_through(
    parts: Iterable[np.ndarray],
    progress: Progress[Any, Any],
    add: Callable[[Tokens], None],
    is_through: Callable[[int], None],
    takes: Callable[[int], bool] = lambda part: True,
) -> None:
    """Add the parts [n, T+1] that are not in yet, and call `is_through` after each with the sequences so far.

    Raises:
        InputError: a part is no array of tokens, or the parts that are in were others.
    """
    digest, seen, sequences = "", 0, 0
    for seen, tokens in enumerate(checked_parts(parts, progress.vocab_size), start=1):
        digest, sequences = chained(digest, tokens), sequences + len(tokens)
        if seen > progress.parts:
            if takes(seen - 1):
                add(tokens)
            progress.parts, progress.digest = seen, digest
            is_through(sequences)
        elif seen == progress.parts and digest != progress.digest:
            raise _other_corpus(progress)
    if seen < progress.parts:
        raise _other_corpus(progress)


def _start(
    parts: Iterable[np.ndarray],
    vocab_size: int,
    passes: Passes[First, Second, Between],
    saved: Path | None,
    team: Team,
) -> Progress[First, Second]:
    length = next(checked_parts(parts, vocab_size)).shape[1] - 1
    whose = f"process {team.rank} of {team.size} by {passes.shared_by}" if team.size > 1 else "one process"
    if saved is not None and saved.exists():
        return load(saved, vocab_size, length, whose, passes.first, passes.second)
    return Progress(vocab_size, length, passes.first.zero(vocab_size, length), whose=whose, path=saved)


@contextmanager
def kept_until_written(saved: Path, team: Team) -> Iterator[None]:
    """Remove the progress in a file at the end of the block, in which the first process writes the result.

    Where it cannot, all processes keep what they have.
    """
    yield
    team.shared(np.array(True), 0)
    saved.unlink(missing_ok=True)


def _catch_up(progress: Progress[First, Second], passes: Passes[First, Second, Between], team: Team) -> None:
    """Take a process that was stopped in the first pass to the second, if another had come that far.

    The one that had has the sums of all.
    """
    ahead = [bool(team.shared(np.array(progress.second is not None), source)) for source in range(team.size)]
    if not any(ahead) or all(ahead):
        return
    source = ahead.index(True)
    whole = team.shared(np.frombuffer(bytes.fromhex(progress.whole or "00" * 32), dtype=np.uint8), source)
    progress.first.copy_from(team, source)
    if progress.second is None:
        progress.digest = whole.tobytes().hex()
        progress.begin_second_pass(passes.second.zero(progress.vocab_size, progress.length))


def _other_corpus(progress: Progress[Any, Any]) -> InputError:
    return InputError(
        f"{progress.path} has progress through another corpus; remove it to start anew, or give the corpus "
        "that it began with."
    )
