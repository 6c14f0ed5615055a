"""Two models with the same stream, in which a probe reads the same bit: one uses it, the other does not.

Tokens are 2B: a word 0..B-1 and a bit, token = word + B bit. The stream is the word one-hot and, in one more
coordinate, +1 or -1 for the bit. Both predict the next word, word + 1 modulo B. In the sequences of the first
the next token has the bit of the current one, and the model says so; in those of the second the next bit is a
coin, and the model gives both bits the same logit, never reading that coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.attention_only import losses
from reference.probes import without_direction

CONFIDENT = 20.0


@dataclass(frozen=True)
class Example:
    """Sequences [N, T+1] and a model of them: the embedding [2B, B+1] and the logits' weights [B+1, 2B]."""

    tokens: Int64[np.ndarray, "N T_plus_1"]
    embedding: Float64[np.ndarray, "V d"]
    unembedding: Float64[np.ndarray, "d V"]

    def stream(self) -> Float64[np.ndarray, "N T d"]:
        """Return the residual stream at each position."""
        return self.embedding[self.tokens[:, :-1]]

    def loss(self, stream: Float64[np.ndarray, "N T d"]) -> Float64[np.ndarray, "N T"]:
        """Return the loss at each position that follows from a stream."""
        return losses(stream @ self.unembedding, self.tokens[:, 1:])

    def loss_without(self, unit: Float64[np.ndarray, " d"]) -> Float64[np.ndarray, "N T"]:
        """Return the loss with a direction of the stream removed."""
        return self.loss(without_direction(self.stream(), unit))


def used_bit(words: int, sequences: int, length: int, seed: int) -> Example:
    """Return the example whose model reads the bit: it costs log 2 a token to lose it."""
    return _example(words, sequences, length, seed, used=True)


def unused_bit(words: int, sequences: int, length: int, seed: int) -> Example:
    """Return the example whose model does not read the bit: nothing is lost with it."""
    return _example(words, sequences, length, seed, used=False)


def _example(B: int, sequences: int, length: int, seed: int, used: bool) -> Example:
    rng = np.random.default_rng(seed)
    word = (rng.integers(0, B, (sequences, 1)) + np.arange(length + 1)) % B
    bit = rng.integers(0, 2, (sequences, length + 1))
    if used:
        bit = np.broadcast_to(bit[:, :1], bit.shape)
    sign = np.array([-1.0, 1.0])
    embedding = np.column_stack([np.tile(np.eye(B), (2, 1)), np.repeat(sign, B)])
    following = np.roll(np.eye(B), 1, axis=1)
    unembedding = CONFIDENT * np.vstack([np.tile(following, (1, 2)), np.repeat(sign, B)[None] * used])
    return Example(word + B * bit, embedding, unembedding)
