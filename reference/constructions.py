"""Attention-only models with weights set by hand, which do one thing exactly.

The stream is a row of fields: the token one-hot [V], the position one-hot [T], a field for the token before
[V] and one for the prediction [V]. Scores are whole multiples of SHARP, so large that a softmax over them is
one-hot to the last bit of float64 (exp(-SHARP) underflows to 0). Token 0 begins every sequence and occurs
nowhere else; a head that has nothing to say attends to it, and its value is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reference.attention_only import AttentionOnly
from reference.errors import InputError
from reference.multi_head import Heads

SHARP = 1000.0
# The logit of a prediction: the other V-1 tokens together keep (V-1) exp(-CONFIDENT).
CONFIDENT = 40.0


@dataclass(frozen=True)
class _Fields:
    """Where the fields lie in a stream of width 3V + T."""

    vocab_size: int
    length: int

    def __post_init__(self) -> None:
        if self.vocab_size < 2 or self.length < 2:
            raise InputError("A construction needs two tokens and two positions at least.")

    @property
    def width(self) -> int:
        return 3 * self.vocab_size + self.length

    def _at(self, start: int, size: int) -> np.ndarray:
        """Return [width, size], which reads a field out of the stream; its transpose writes it."""
        field = np.zeros((self.width, size))
        field[start + np.arange(size), np.arange(size)] = 1.0
        return field

    @property
    def token(self) -> np.ndarray:
        return self._at(0, self.vocab_size)

    @property
    def position(self) -> np.ndarray:
        return self._at(self.vocab_size, self.length)

    @property
    def before(self) -> np.ndarray:
        return self._at(self.vocab_size + self.length, self.vocab_size)

    @property
    def predicted(self) -> np.ndarray:
        return self._at(2 * self.vocab_size + self.length, self.vocab_size)

    @property
    def word(self) -> np.ndarray:
        """Reads the token field of every token but the first, which has the value 0."""
        reading = self.token.copy()
        reading[0, 0] = 0.0
        return reading

    def model(self, *layers: Heads) -> AttentionOnly:
        return AttentionOnly(self.token.T, self.position.T, layers, self.predicted)


def _heads(scores: Sequence[np.ndarray], values: Sequence[np.ndarray]) -> Heads:
    """Return heads with the score matrices [d, d] and value matrices [d, d] given."""
    d = len(scores[0])
    eye = np.broadcast_to(np.eye(d), (len(scores), d, d)).copy()
    return Heads(W_Q=np.stack(scores) * math.sqrt(d), W_K=eye, W_V=np.stack(values), W_O=eye)


def _by_distance(length: int, distance: int) -> np.ndarray:
    """Return [T, T] with 1 where the key lies `distance` before the query."""
    return np.eye(length, k=-distance)


def _first(length: int) -> np.ndarray:
    """Return [T, T] with 1 where the key is the first position."""
    at_first = np.zeros((length, length))
    at_first[:, 0] = 1.0
    return at_first


def induction_model(vocab_size: int, length: int) -> AttentionOnly:
    """Return a two-layer model whose second head is an induction head and nothing else.

    Layer 0: position t attends to t-1 and writes that token into the field `before`. Layer 1: the query is
    the token, the key is `before`, so t attends evenly to every k with x_{k-1} = x_t, else to the beginning;
    the value is the token at k, written as the prediction. Without the first head, or without the second, or
    without both, nothing is predicted: a chain.

    Source: attention-chapter, sec. 4.14.2, and Elhage et al. 2021.
    """
    f = _Fields(vocab_size, length)
    previous = SHARP * f.position @ _by_distance(length, 1) @ f.position.T
    matching = 2 * f.token @ f.before.T + f.position @ _first(length) @ f.position.T
    return f.model(
        _heads([previous], [f.word @ f.before.T]),
        _heads([SHARP * matching], [CONFIDENT * f.word @ f.predicted.T]),
    )


def backup_model(vocab_size: int, length: int) -> AttentionOnly:
    """Return a one-layer model with two equal heads, each of which predicts the token before alone."""
    f = _Fields(vocab_size, length)
    previous = SHARP * f.position @ _by_distance(length, 1) @ f.position.T
    copying = CONFIDENT * f.word @ f.predicted.T
    return f.model(_heads([previous, previous], [copying, copying]))


def one_layer_matcher(vocab_size: int, length: int, periods: Sequence[int]) -> AttentionOnly:
    """Return a one-layer model that continues blocks of different tokens whose period is among `periods`.

    Two heads a period P. The first has three keys: the beginning (score 2), the candidate at distance P-1 (3)
    and the token at distance P (4), with 4 taken off every key that holds the current token. Where the token
    at distance P is another one, it takes the weight and is copied; where it is the current one, it drops to
    0 and the candidate is copied. The second head has the beginning (2) and the token at distance P (3, less
    4 where it is the current one) and takes back what the first copied of a token at distance P. In all, head
    pairs of other periods add nothing, or the same candidate where they are multiples of the true one, whose
    pair predicts it. A token that a block repeats misleads them: it stands at the distance of another period,
    or is the candidate itself, and so is that of period 1.

    So one layer is enough for any finite set of periods, with heads in proportion: that two layers are needed
    is true for a bounded size (Sanford, Hsu and Telgarsky 2024), not without one.

    Source: derived here.
    """
    f = _Fields(vocab_size, length)
    start = 2 * _first(length)
    same_token = -4 * f.token @ f.token.T
    scores, values = [], []
    for period in periods:
        matched, candidate = _by_distance(length, period), _by_distance(length, period - 1)
        for places, sign in ((start + 3 * candidate + 4 * matched, 1.0), (start + 3 * matched, -1.0)):
            scores.append(SHARP * (f.position @ places @ f.position.T + same_token))
            values.append(sign * CONFIDENT * f.word @ f.predicted.T)
    return f.model(_heads(scores, values))
