"""Which rows a probe is trained on and which it is tested on: whole sequences, never their parts.

Source: attention-chapter, sec. 4.18.4: positions of one sequence hang together, so that a probe which has
seen some of them is tested on what it knows.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int64

from reference.errors import InputError


def probe_split(sequences: Int64[np.ndarray, " rows"], share: float, seed: int) -> Bool[np.ndarray, " rows"]:
    """Return which rows are for testing: all rows of about `share` of the sequences, at least one each side.

    Args:
        sequences: the number of the sequence that each row comes from.
        share: of the sequences to test on, in 0..1.
        seed: of the choice; it does not depend on the order of the rows.

    Raises:
        InputError: there are fewer than two sequences, or the share is not between 0 and 1.
    """
    numbers = np.unique(sequences)
    if len(numbers) < 2:
        raise InputError("Rows of one sequence cannot be split by sequence; give two sequences or more.")
    if not 0 < share < 1:
        raise InputError(f"A test share of {share} leaves one side empty; give one between 0 and 1.")
    tested = min(max(round(share * len(numbers)), 1), len(numbers) - 1)
    chosen = np.random.default_rng(seed).permutation(numbers)[:tested]
    return np.isin(sequences, chosen)
