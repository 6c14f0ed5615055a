"""What is counted by the fastest code that is installed: compiled where numba is, or the plain reference."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
from jaxtyping import Int64

from properties.predictions.expansion import PairSums


def statistics_of(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, np.ndarray]:
    """Return the six statistics by name; those of both codes are equal, to rounding.

    Raises:
        InputError: the tokens are no [N, T+1] array of numbers below `vocab_size`.
    """
    if find_spec("numba") is not None:
        from gpu.streaming import statistics as streamed

        return streamed(tokens, vocab_size)
    from reference.statistics import statistics

    return statistics(tokens, vocab_size)


def pair_sums_of() -> PairSums:
    """Return the sums over pairs of positions that terms beyond the leading ones are made of."""
    if find_spec("numba") is not None:
        from gpu import pair_sums as compiled

        return compiled
    from reference import pair_sums

    return pair_sums
