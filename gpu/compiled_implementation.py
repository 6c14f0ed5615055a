"""The streaming statistics as an implementation under test: what the compiled loops say, without torch."""

from __future__ import annotations

from typing import Any

import numba  # noqa: F401  without it there is nothing to hold to the laws, and importing this says so
import numpy as np

from gpu.streaming import stream_statistics
from gpu.tokens import Parts, whole_numbers


class Compiled:
    """The statistics of the compiled engine, in parts of some sequences."""

    name = "compiled"
    dtype = "float64"

    def statistics(self, tokens: Any, vocab_size: int) -> dict[str, np.ndarray]:
        """Return the six statistics by name.

        Raises:
            InputError: the tokens are no [N, T+1] array of whole numbers below `vocab_size`.
        """
        parts = Parts(whole_numbers(tokens, vocab_size))
        return stream_statistics(parts, vocab_size, engine_name="compiled")


implementation = Compiled()
