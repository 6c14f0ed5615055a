"""The statistics of a corpus of any size: two passes over its parts, with sums that are saved and resumed.

The first pass adds up counts and shares (B_bar, Phi_bar), the second the attention evidence (Q_bar,
Delta_bar), which needs G_bar of the whole corpus. Memory is the [V, V] sums and one part. Sums are float64;
the compiled engine returns the same bits for any number of threads and for a run that was resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import UInt32

from gpu.engines import EngineName, engine
from gpu.progress import Progress, Saver, chained, load
from gpu.sparse_bigram import SparseBigram
from gpu.sums import FirstSums, SecondSums
from gpu.tokens import Parts, checked_parts, whole_numbers
from reference.errors import InputError

SECONDS_BETWEEN_SAVES = 60.0

# Told after each part: the pass, 1 or 2, and the sequences that are in.
Told = Callable[[int, int], None]


def statistics(tokens: Any, vocab_size: int) -> dict[str, np.ndarray]:
    """Return the six statistics of an array of tokens [N, T+1] by name, float64.

    Raises:
        InputError: the tokens are no [N, T+1] array of whole numbers below `vocab_size`.
    """
    return stream_statistics(Parts(whole_numbers(tokens, vocab_size)), vocab_size)


def stream_statistics(
    parts: Iterable[np.ndarray],
    vocab_size: int,
    *,
    engine_name: EngineName = "auto",
    device: str = "cpu",
    threads: int | None = None,
    saved: Path | None = None,
    seconds_between_saves: float = SECONDS_BETWEEN_SAVES,
    told: Told | None = None,
) -> dict[str, np.ndarray]:
    """Return the six statistics of a corpus that comes in parts, by name, float64.

    Args:
        parts: arrays [n, T+1] of whole numbers below `vocab_size`; gone through twice, in the same order.
        vocab_size: V.
        engine_name: "compiled" (numba), "torch", or "auto", the compiled one where it can run.
        device: where torch computes.
        threads: of the compiled engine, as many as processors by default.
        saved: a file to save progress to and to resume from; it is removed at the end.
        seconds_between_saves: how often; 0 saves after each part.
        told: called after each part with the pass, 1 or 2, and the sequences that are in.

    Raises:
        InputError: a part is no such array, there is none or only once, the saved progress is of another
            corpus or another size, or it cannot be written.
    """
    chosen = engine(engine_name, device, threads)
    saver = Saver(saved, seconds_between_saves)
    progress = _start(parts, vocab_size, saved)

    def first_is_in() -> None:
        _tell(told, 1, progress.first)
        saver.now_and_then(progress)

    def second_is_in() -> None:
        _tell(told, 2, progress.second)
        saver.now_and_then(progress)

    if progress.second is None:
        go_through(parts, progress, lambda part: chosen.add_first(part, progress.first), first_is_in)
        progress.begin_second_pass()
    second = progress.second
    assert second is not None
    found = first_statistics(progress.first)
    go_through(parts, progress, lambda part: chosen.add_second(part, found["G_bar"], second), second_is_in)
    if progress.digest != progress.whole:
        raise InputError("The parts of the corpus changed between the two passes; give the same ones twice.")
    saver.remove()
    return found | {"Q_bar": second.Q_bar(), "Delta_bar": second.Delta_bar()}


def first_statistics(sums: FirstSums) -> dict[str, np.ndarray]:
    """Return the statistics that the first pass determines: B_bar, Phi_bar, Sigma_B and G_bar."""
    parts, Phi_bar = SparseBigram.from_counts(sums.count, sums.positions), sums.Phi_bar()
    return {
        "B_bar": sums.B_bar(),
        "Phi_bar": Phi_bar,
        "Sigma_B": parts.gram(),
        "G_bar": parts.gram_times(Phi_bar),
    }


def go_through(
    parts: Iterable[np.ndarray],
    progress: Progress,
    add: Callable[[UInt32[np.ndarray, "n T_plus_1"]], None],
    is_in: Callable[[], None],
) -> None:
    """Add the parts that are not in yet, and call `is_in` after each.

    Raises:
        InputError: a part is no array of tokens, or the parts that are in were others.
    """
    digest, seen = "", 0
    for seen, tokens in enumerate(checked_parts(parts, len(progress.first.count)), start=1):
        digest = chained(digest, tokens)
        if seen > progress.parts:
            add(tokens)
            progress.parts, progress.digest = seen, digest
            is_in()
        elif seen == progress.parts and digest != progress.digest:
            raise _other_corpus()
    if seen < progress.parts:
        raise _other_corpus()


def _start(parts: Iterable[np.ndarray], vocab_size: int, saved: Path | None) -> Progress:
    length = next(checked_parts(parts, vocab_size)).shape[1] - 1
    if saved is not None and saved.exists():
        return load(saved, vocab_size, length)
    return Progress(FirstSums.zero(vocab_size, length))


def _tell(told: Told | None, which: int, sums: FirstSums | SecondSums | None) -> None:
    if told is not None and sums is not None:
        told(which, sums.sequences)


def _other_corpus() -> InputError:
    return InputError(
        "The saved progress is of another corpus; remove its file, or give the corpus it began with."
    )
