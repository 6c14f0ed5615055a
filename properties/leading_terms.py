"""The leading and the next-order terms of every weight in float64, for a corpus of any size.

`theory.next_order` has the derivation and the same matrices in rational arithmetic; here they are gathered
and scattered, so that a corpus of thousands of words will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float64, Int64

from reference.statistics import (
    attention_evidence,
    bigram,
    context,
    interchangeability,
    uniform_attention,
    uniform_jacobian,
)

if TYPE_CHECKING:
    from theory.alignment import Gram

GROUPS = ("W_O", "V", "W", "P")


@dataclass(frozen=True)
class Directions:
    """What each weight is made of, [V, V], P [T]: its leading direction, then those of the next order."""

    W_O: list[np.ndarray]
    V: list[np.ndarray]
    W: list[np.ndarray]
    P: list[np.ndarray]

    def gram(self, group: str) -> Gram:
        """Return the inner products of a group's directions, as `theory.alignment` takes them."""
        rows = [direction.ravel() for direction in getattr(self, group)]
        return [[float(a @ b) for b in rows] for a in rows]

    def leading(self, group: str, rate: float, steps: int) -> np.ndarray:
        """Return the leading term of a group after `steps` steps: [V, V], P [T]."""
        return self._amounts(group, steps)[0] * rate ** _order(group) * getattr(self, group)[0]

    def following(self, group: str, rate: float, steps: int) -> np.ndarray:
        """Return the term one order higher: [V, V], P [T]."""
        parts = zip(self._amounts(group, steps)[1:], getattr(self, group)[1:], strict=True)
        return rate ** (_order(group) + 1) * sum(amount * direction for amount, direction in parts)

    @staticmethod
    def _amounts(group: str, steps: int) -> list[float]:
        from theory.next_order import step_amounts

        return [float(amount) for amount in step_amounts(group, steps)]


def leading_directions(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, np.ndarray]:
    """Return what each weight is proportional to at its leading order: [V, V], P [T] (paper, Thm. 4.1)."""
    B, Phi = bigram(tokens, vocab_size), context(tokens, vocab_size)
    Q, Delta = attention_evidence(tokens, interchangeability(B) @ Phi)
    return {"W_O": B, "V": Phi.T @ B.T, "W": Q, "P": Delta}


def directions(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> Directions:
    """Return the leading and the next-order directions of each weight."""
    V = vocab_size
    B, Phi = bigram(tokens, V), context(tokens, V)
    Sigma = interchangeability(B)
    leading = leading_directions(tokens, V)
    frequency = np.bincount(tokens[:, :-1].ravel(), minlength=V) / tokens[:, 1:].size
    K = earlier_tokens(tokens, V)
    target = B.T @ (frequency[:, None] * B) @ Phi
    current = Sigma @ B.T @ K.T
    pulls = (
        attention_evidence(tokens, target - target.mean(axis=0)),
        attention_evidence(tokens, current - current.mean(axis=0)),
        evidence_of_queries(tokens, B @ Sigma @ Phi),
    )
    return Directions(
        W_O=[leading["W_O"], -frequency[:, None] * B / V],
        V=[leading["V"], -leading["V"] * frequency / V, -K @ B @ B.T / V],
        W=[leading["W"], *(-by_tokens / V for by_tokens, _ in pulls)],
        P=[leading["P"], *(-by_distance / V for _, by_distance in pulls)],
    )


def earlier_tokens(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> Float64[np.ndarray, "V V"]:
    """K [context, current] = (1/NT) sum X^T A0^T X: how often a word stands where another reads."""
    A0 = uniform_attention(tokens.shape[1] - 1)
    K = np.zeros((vocab_size, vocab_size))
    for sequence in tokens:
        x = sequence[:-1]
        np.add.at(K, (x[None, :], x[:, None]), A0)
    return K / tokens[:, 1:].size


def evidence_of_queries(
    tokens: Int64[np.ndarray, "N T_plus_1"], M: Float64[np.ndarray, "V V"]
) -> tuple[Float64[np.ndarray, "V V"], Float64[np.ndarray, " T"]]:
    """Return the evidence, by tokens [query, key] and by distance, of the pulls M[x_t, x_k].

    `reference.statistics.attention_evidence` has the pulls G[y_t, x_k] of the targets.
    """
    T = tokens.shape[1] - 1
    by_tokens, by_distance = np.zeros_like(M), np.zeros(T)
    distance = np.subtract.outer(np.arange(T), np.arange(T))
    visible = distance >= 0
    for sequence in tokens:
        x = sequence[:-1]
        pull = uniform_jacobian(M[x[:, None], x[None, :]])
        np.add.at(by_tokens, (x[:, None], x[None, :]), pull)
        np.add.at(by_distance, distance[visible], pull[visible])
    return by_tokens / tokens[:, 1:].size, by_distance / tokens[:, 1:].size


def _order(group: str) -> int:
    from theory.next_order import ORDER

    return ORDER[group] - 1
