"""Tokens with the frequencies of a language, for a corpus of any size without a file."""

from __future__ import annotations

import numpy as np
from jaxtyping import UInt16

# Zipf's law with Mandelbrot's offset: the share of rank r is as 1 / (r + OFFSET).
OFFSET = 2.7


def zipf_tokens(sequences: int, length: int, vocab_size: int, seed: int) -> UInt16[np.ndarray, "N T_plus_1"]:
    """Return independent tokens, the same for the same seed; `vocab_size` is at most 65,536."""
    share = 1 / (np.arange(vocab_size) + 1 + OFFSET)
    upto = np.cumsum(share / share.sum())
    drawn = np.random.default_rng(seed).random((sequences, length + 1))
    return np.minimum(np.searchsorted(upto, drawn), vocab_size - 1).astype(np.uint16)
