"""What each weight is made of, to two orders beyond the leading one: `theory.next_order` and
`theory.laws.large_vocabulary` in float64.

A weight of layer l after s steps is

    eta^q a x  +  eta^(q+1) sum_j b_j n_j  +  eta^(q+2) sum_j c_j(l) m_j  +  ...

with its leading direction x, the next-order directions n_j, all of which V divides, and the directions m_j
that are left two orders further for a large V; what is missing at that order is smaller by the factor 1/V.
Norms, errors and cosines of the sum need only the inner products of the directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from jaxtyping import Float64, Int64

from properties.predictions.bigram import Bigram
from reference import pair_sums
from reference.pair_sums import Rows
from reference.statistics import uniform_attention

GROUPS = ("W_O", "V", "W", "P")
Tokens = Int64[np.ndarray, "N T_plus_1"]
Matrix = Float64[np.ndarray, "V V"]
Evidence = tuple[np.ndarray, np.ndarray]


class PairSums(Protocol):
    """`reference.pair_sums`, or `gpu.pair_sums`, which is compiled."""

    def shares(self, tokens: Tokens, vocab_size: int, weights: np.ndarray, rows: Rows) -> np.ndarray: ...  # noqa: D102
    def evidence(self, tokens: Tokens, table: np.ndarray, rows: Rows) -> Evidence: ...  # noqa: D102
    def stream_evidence(self, tokens: Tokens, table: np.ndarray) -> Evidence: ...  # noqa: D102
    def backward_evidence(self, tokens: Tokens, table: np.ndarray) -> Evidence: ...  # noqa: D102
    def averaged_evidence(self, tokens: Tokens, table: np.ndarray) -> Evidence: ...  # noqa: D102


@dataclass(frozen=True)
class Directions:
    """The directions of one group: arrays [V, V], or [T] for P.

    Attributes:
        leading: x.
        following: n_j, in the order of `theory.next_order.COEFFICIENTS`.
        second: m_j, in the order of `theory.laws.large_vocabulary.AMOUNTS`.
    """

    leading: np.ndarray
    following: Sequence[np.ndarray]
    second: Sequence[np.ndarray]

    @property
    def all(self) -> list[np.ndarray]:
        """All of them, [V, V] or [T], the leading one first."""
        return [self.leading, *self.following, *self.second]

    @cached_property
    def gram(self) -> Float64[np.ndarray, "n n"]:
        """The inner products of all of them."""
        rows = [direction.ravel() for direction in self.all]
        found = np.empty((len(rows), len(rows)))
        for i, row in enumerate(rows):
            for j in range(i + 1):
                found[i, j] = found[j, i] = row @ rows[j]
        return found

    @property
    def vanish(self) -> bool:
        """Whether the leading one is zero or no number: then the weight has no direction to keep."""
        return not self.gram[0, 0] > 0

    def combined(self, amounts: Float64[np.ndarray, " n"]) -> np.ndarray:
        """The sum of the directions times their amounts, [V, V] or [T]."""
        total = np.zeros_like(self.leading)
        for amount, direction in zip(amounts, self.all, strict=True):
            total += amount * direction
        return total


def amounts(group: str, rate: float, steps: int, layer: int, layers: int) -> Float64[np.ndarray, " n"]:
    """Return the factors of `Directions.all` after `steps` steps, in layer 0..layers-1 (0 for W_O)."""
    from theory.laws import large_vocabulary
    from theory.next_order import ORDER, step_amounts

    leading, *following = step_amounts(group, steps)
    counts = large_vocabulary.layer_counts(group, layers)[layer]
    second = [int(p(steps).p) * counts[which] for which, p in large_vocabulary.AMOUNTS[group]]
    q = ORDER[group] - 1
    return np.array(
        [
            float(leading) * rate**q,
            *(float(b) * rate ** (q + 1) for b in following),
            *(float(c) * rate ** (q + 2) for c in second),
        ]
    )


class Factor(Protocol):
    """B_bar as `properties.predictions.bigram.Bigram` gives it."""

    @property
    def frequency(self) -> np.ndarray: ...  # noqa: D102
    def dense(self) -> np.ndarray: ...  # noqa: D102
    def times(self, M: np.ndarray) -> np.ndarray: ...  # noqa: D102
    def T_times(self, M: np.ndarray) -> np.ndarray: ...  # noqa: D102


def expansion(tokens: Tokens, vocab_size: int, sums: PairSums = pair_sums) -> dict[str, Directions]:
    """Return the directions of each group: arrays [V, V], about forty at a time while they are made."""
    return expansion_of(Bigram.of(tokens, vocab_size), tokens, sums, centred)


def expansion_of(
    B: Factor, tokens: Tokens, sums: PairSums, centred: Callable[[Matrix], Matrix]
) -> dict[str, Directions]:
    """Return the directions from a corpus, B_bar, its sums and what takes the mean off columns.

    Every product is the one that `theory.next_order.directions` and `theory.laws.large_vocabulary.directions`
    name, ordered so that B_bar, which is sparse, is a factor wherever it can be. With v = Phi^T B^T:

        B Phi = v^T,    B^T B Phi = G,    B Phi Phi^T = D2,    D2 Phi = (Phi^T Phi v)^T.
    """
    V, P, A0 = len(B.frequency), B.frequency[:, None], uniform_attention(tokens.shape[1] - 1)

    def evidence(table: Matrix) -> Evidence:
        return sums.evidence(tokens, table, "next")

    Phi = centred(sums.shares(tokens, V, A0, "next"))
    v_T = B.times(Phi)
    G = B.T_times(v_T)
    BBK = B.times(B.T_times(sums.shares(tokens, V, A0, "current")))  # (K B B^T)^T
    m_T = B.times(centred(sums.shares(tokens, V, A0 @ A0, "next")))
    m, v = m_T.T, v_T.T
    square = Phi @ Phi.T
    D2 = B.times(square)
    D3 = D2 @ Phi
    below, above = v_T @ m, m @ v_T
    hops = B.T_times(v_T @ v_T)  # G v^T
    before, after = sums.averaged_evidence(tokens, G)
    stream = sums.stream_evidence(tokens, hops)
    leading = evidence(G)
    following = (
        evidence(B.T_times(P * v_T)),
        evidence(B.T_times(BBK)),
        sums.evidence(tokens, B.times(G), "current"),
    )
    second = (
        evidence(square @ G),
        evidence(B.T_times(D3)),
        evidence(B.T_times(below.T)),
        (stream[0] + v_T @ before + after @ v, stream[1]),
        evidence(B.T_times(above.T)),
        sums.backward_evidence(tokens, hops),
    )

    def scores(which: int) -> Directions:
        return Directions(
            leading[which], [-found[which] / V for found in following], [found[which] for found in second]
        )

    dense = B.dense()
    return {
        "W_O": Directions(dense, [-P * dense / V], [D2]),
        "V": Directions(v, [-v * B.frequency / V, -BBK.T / V], [D3.T, below, above]),
        "W": scores(0),
        "P": scores(1),
    }


def centred(shares: Matrix) -> Matrix:
    """Take the mean off each column: (Y - 1/V)^T in place of Y^T."""
    return np.asarray(shares - shares.mean(axis=0, keepdims=True))
