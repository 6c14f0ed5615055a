"""The theory's maps over a corpus's most frequent tokens, for the vocabulary of a pretrained model.

The statistics are those of the whole vocabulary, V words as the model's output has them, counted sparsely;
of the maps only the block [n, n] over the n most frequent tokens of the corpus is made dense.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from gpu.sparse_statistics import SparseStatistics, sparse_statistics
from gpu.tokens import Parts
from gpu.two_passes import Told


@dataclass(frozen=True)
class TokenBlocks:
    """The blocks of the theory's maps over n tokens.

    Attributes:
        Q_bar: [n query, n key] (eq. 14, 17).
        value: [n context, n current], Phi_bar^T B_bar^T (paper, Theorem 4.1).
    """

    Q_bar: Float64[np.ndarray, "n n"]
    value: Float64[np.ndarray, "n n"]


def most_frequent(tokens: Int64[np.ndarray, "N T_plus_1"], most: int) -> Int64[np.ndarray, " n"]:
    """Return the numbers of the `most` most frequent tokens, or of all that occur, ties in order."""
    numbers, counts = np.unique(tokens, return_counts=True)
    return numbers[np.lexsort((numbers, -counts))][:most]


def token_blocks(
    tokens: Int64[np.ndarray, "N T_plus_1"],
    vocab_size: int,
    ids: Int64[np.ndarray, " n"],
    told: Told | None = None,
) -> TokenBlocks:
    """Return the blocks of Q_bar and Phi_bar^T B_bar^T over the tokens `ids`.

    Memory: about 30 bytes for each pair of tokens that met in one sequence, while it runs, and the two
    blocks, 16 n^2 bytes.

    Raises:
        InputError: numba is not installed, or a token is not below `vocab_size`.
    """
    found = sparse_statistics(Parts(tokens), vocab_size, told=told)
    Q_bar = found.Q_bar[ids][:, ids].toarray()
    return TokenBlocks(Q_bar, _value_block(found, ids))


def _value_block(found: SparseStatistics, ids: Int64[np.ndarray, " n"]) -> Float64[np.ndarray, "n n"]:
    """Return the block of Phi_bar^T B_bar^T.

    Phi_bar = (share - 1 s^T / V) / NT with s the sums of its columns, B_bar = (count - r 1^T / V) / NT with r
    the sums of its rows; in the product the cross terms are -s r^T / V twice and +s r^T / V once.
    """
    share, count = found.share[:, ids], found.count[ids]
    V = share.shape[0]
    even = np.outer(np.asarray(share.sum(axis=0)), np.asarray(count.sum(axis=1))) / V
    block: np.ndarray = ((share.T @ count.T).toarray() - even) / found.positions**2
    return block
