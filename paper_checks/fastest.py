"""The statistics of a corpus by the fastest implementation that is installed."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np


def fastest_statistics(tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
    """Count with the compiled engine where numba is there, else with the reference; equal, to rounding.

    Args:
        tokens: int64 [N, T+1].
        vocab_size: V.
    """
    if find_spec("numba") is not None:
        from gpu.streaming import statistics as streamed

        return streamed(tokens, vocab_size)
    from reference.statistics import statistics

    return statistics(tokens, vocab_size)
