"""Corpora whose statistics are not symmetric, with the awkward sizes among them."""

import numpy as np


def corpus(sequences, length, vocab_size, seed=0):
    """Tokens that favour small numbers, so that frequencies differ and some words stay unseen."""
    chance = np.random.default_rng(seed)
    return (chance.random((sequences, length + 1)) ** 2 * vocab_size).astype(np.int64)


# (sequences, positions, vocabulary): one of each at a time, more words than tokens, more tokens than words.
SHAPES = [(1, 1, 1), (1, 1, 4), (3, 1, 2), (1, 6, 3), (4, 5, 1), (2, 3, 50), (9, 12, 5), (5, 33, 20)]

SMALL = (24, 6, 7)


def parameters(length, vocab_size, layers, seed=1):
    """Parameters large enough that no attention row is near uniform."""
    chance = np.random.default_rng(seed)
    shapes = {
        "W_O": (vocab_size, vocab_size),
        "V": (layers, vocab_size, vocab_size),
        "W": (layers, vocab_size, vocab_size),
        "P": (layers, length),
    }
    return {group: chance.standard_normal(shape) for group, shape in shapes.items()}
