"""The statistics of a corpus of any size: two passes over its parts, with sums that are saved and resumed.

The first pass adds up counts and shares (B_bar, Phi_bar), the second the attention evidence (Q_bar,
Delta_bar), which needs G_bar of the whole corpus. Memory is the [V, V] sums and one part. Sums are float64;
the compiled engine returns the same bits for any number of threads and of processes, and for a run that was
resumed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from gpu.engines import EngineName, engine
from gpu.sparse_bigram import SparseBigram
from gpu.sums import FirstSums
from gpu.team import Team
from gpu.tokens import Parts, checked_parts, whole_numbers
from gpu.two_passes import SECONDS_BETWEEN_SAVES, Passes, Told, Traces, run_passes


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
    team: Team | None = None,
) -> dict[str, np.ndarray]:
    """Return the six statistics of a corpus that comes in parts, by name, float64.

    Args:
        parts: arrays [n, T+1] of whole numbers below `vocab_size`; gone through twice, in the same order.
        vocab_size: V.
        engine_name: "compiled" (numba), "torch", "fused" (Triton's kernels, on a GPU), or "auto", the
            compiled one where it can run and torch elsewhere.
        device: where the others than the compiled one compute.
        threads: of the compiled engine, as many as processors by default.
        saved: a file to save progress to and to resume from. It stays: remove it once the result is safe,
            see `gpu.two_passes.kept_until_written`. Of several processes each has a file of its own.
        seconds_between_saves: how often; 0 saves after each part.
        told: called after each part with the pass, 1 or 2, and the sequences that have been gone through.
        team: the processes that share the work; each returns the statistics.

    Raises:
        InputError: a part is no such array, there is none or only once, the saved progress is of another
            corpus, size or number of processes, or it cannot be written.
    """
    team = team or Team()
    first_part = next(checked_parts(parts, vocab_size))
    chosen = engine(engine_name, device, threads, team, first_part, vocab_size)

    def between(sums: Any) -> tuple[dict[str, np.ndarray], Any]:
        found = first_statistics(sums.fetched())
        return found, chosen.placed(found["G_bar"])

    def add_second(tokens: np.ndarray, found: tuple[dict[str, np.ndarray], Any], sums: Any) -> None:
        chosen.add_second(tokens, found[1], sums)

    passes = Passes(*chosen.kinds, chosen.add_first, between, add_second, chosen.takes, chosen.shared_by)
    traces = Traces(saved, seconds_between_saves, told)
    _, (found, _), second = run_passes(parts, vocab_size, passes, traces, team)
    sums = second.fetched()
    return found | {"Q_bar": sums.Q_bar(), "Delta_bar": sums.Delta_bar()}


def first_statistics(sums: FirstSums) -> dict[str, np.ndarray]:
    """Return the statistics that the first pass determines: B_bar, Phi_bar, Sigma_B and G_bar."""
    parts, Phi_bar = SparseBigram.from_counts(sums.count, sums.positions), sums.Phi_bar()
    return {
        "B_bar": sums.B_bar(),
        "Phi_bar": Phi_bar,
        "Sigma_B": parts.gram(),
        "G_bar": parts.gram_times(Phi_bar),
    }
