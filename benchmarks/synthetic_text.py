"""Tokens with the frequencies of a language, for a corpus of any size without a file."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64, UInt16

# Zipf's law with Mandelbrot's offset: the share of rank r is as 1 / (r + OFFSET).
OFFSET = 2.7
# How many words usually follow a word, and how often one of them does.
FOLLOWERS, USUAL = 32, 0.95


def zipf_tokens(sequences: int, length: int, vocab_size: int, seed: int) -> UInt16[np.ndarray, "N T_plus_1"]:
    """Return independent tokens, the same for the same seed; `vocab_size` is at most 65,536."""
    drawn = np.random.default_rng(seed).random((sequences, length + 1))
    return _ranks(drawn, vocab_size).astype(np.uint16)


def following_tokens(
    sequences: int, length: int, vocab_size: int, seed: int
) -> UInt16[np.ndarray, "N T_plus_1"]:
    """Return tokens each of which is usually one of a few that follow the one before, as words of a text do.

    The same for the same seed; `vocab_size` is at most 65,536. With 3,000 words about as many different
    pairs follow each other in a million tokens as in a million words of children's stories.
    """
    chance = np.random.default_rng(seed)
    followers = _ranks(np.random.default_rng(0).random((vocab_size, FOLLOWERS)), vocab_size)
    tokens = _ranks(chance.random((sequences, length + 1)), vocab_size)
    for t in range(1, length + 1):
        usual = np.flatnonzero(chance.random(sequences) < USUAL)
        which = _ranks(chance.random(len(usual)), FOLLOWERS)
        tokens[usual, t] = followers[tokens[usual, t - 1], which]
    return tokens.astype(np.uint16)


def _ranks(drawn: Float64[np.ndarray, "*shape"], count: int) -> Int64[np.ndarray, "*shape"]:
    """Turn numbers in 0..1 into ranks below `count` by Zipf's law."""
    share = 1 / (np.arange(count) + 1 + OFFSET)
    return np.minimum(np.searchsorted(np.cumsum(share / share.sum()), drawn), count - 1)
