"""Real numbers in balls that arb's arithmetic guarantees, and what can be decided of them.

An operation on balls contains every result of the operation on the numbers in them, so a comparison that
holds of the balls holds. A comparison that the balls leave open is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, ctx, fmpq_mat

BITS = 192
"""Of the midpoints: the balls are then far narrower than any bound they are compared with."""


class Undecided(ArithmeticError):
    """The balls overlap: more bits are needed to tell."""


def ball_matrix(a: fmpq_mat) -> Any:
    """Balls around the rational entries of a matrix, of the same shape."""
    with ctx.workprec(BITS):
        return arb_mat([[arb(x) for x in row] for row in a.tolist()])


def softmax(z: Sequence[Any]) -> list[Any]:
    """Balls around the softmax of numbers or balls; exact where all are 0 and their count is a power of 2."""
    with ctx.workprec(BITS):
        weights = [arb(x).exp() for x in z]
        whole = sum(weights[1:], weights[0])
        return [weight / whole for weight in weights]


def squared_norm(a: Any) -> Any:
    """A ball that contains the squared Frobenius norm."""
    with ctx.workprec(BITS):
        return sum((x * x for x in a.entries()), arb(0))


def certainly_at_most(a: Any, limit: Any) -> bool:
    """Whether everything in the ball is at most the limit, a rational or everything in another ball."""
    with ctx.workprec(BITS):
        return bool(arb(a) <= arb(limit))


def at_most(a: Any, limit: Any) -> bool:
    """Whether a <= limit, decided.

    Raises:
        Undecided: the balls allow both.
    """
    if certainly_at_most(a, limit):
        return True
    with ctx.workprec(BITS):
        if arb(a) > arb(limit):
            return False
    raise Undecided(f"{BITS} bits do not tell whether {a} is at most {limit}")
