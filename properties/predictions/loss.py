"""The loss along the descent: `theory.laws.loss` in float64, from five numbers of the corpus.

log V - s eta |B|^2 + eta^2 (C(s,2) + s^2/2) <B, D B>/V - ..., up to eta^3; see the law for its terms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64


@dataclass(frozen=True)
class LossNumbers:
    """What the law needs of a corpus.

    Attributes:
        vocab_size: V.
        square: |B_bar|^2.
        second: <B, D B> / V with D = diag P(i).
        third: <B, D^2 B> / V^2.
        skew: <B, D (B*B)> / V.
        value: |Phi_bar^T B_bar^T|^2.
    """

    vocab_size: int
    square: float
    second: float
    third: float
    skew: float
    value: float


def loss_numbers(
    B_bar: Float64[np.ndarray, "V V"], frequency: Float64[np.ndarray, " V"], value: Float64[np.ndarray, "V V"]
) -> LossNumbers:
    """Return the numbers from B_bar, P(i) and v = Phi_bar^T B_bar^T."""
    V, squares = len(B_bar), B_bar**2
    by_row = squares.sum(axis=1)
    return LossNumbers(
        vocab_size=V,
        square=float(by_row.sum()),
        second=float(frequency @ by_row) / V,
        third=float(frequency**2 @ by_row) / V**2,
        skew=float(frequency @ (squares * B_bar).sum(axis=1)) / V,
        value=float((value**2).sum()),
    )


def loss_terms(numbers: LossNumbers, rate: float, steps: int, layers: int) -> list[float]:
    """Return the terms of order 0..3 in eta: log V, and what each order adds (nats a token)."""
    s = steps
    second = math.comb(s, 2) + s * s / 2
    third = math.comb(s, 3) + s * math.comb(s, 2)
    squares = (s - 1) * s * (2 * s - 1) // 6  # sum of r^2 below s
    curved = squares / 2 + s**3 / 6
    return [
        math.log(numbers.vocab_size),
        -s * rate * numbers.square,
        rate**2 * second * numbers.second,
        rate**3 * (curved * numbers.skew - third * (layers * numbers.value + numbers.third)),
    ]
