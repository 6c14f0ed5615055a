"""At which order in eta, and at which step, each parameter first moves, from what its gradient is made of.

The gradients (Lemma D.8) are sums of products. Replacing every parameter by the order in eta at which it
starts turns products into sums and sums into minima; replacing it by the step after which it is first
non-zero turns products into maxima (all factors must be there) and sums into minima (any path will do). The
descent is then the least fixed point of

    start(parameter) = 1 + start(its gradient),

from "never" (infinity) everywhere. Both questions are one recursion over two algebras. The answer is a lower
bound that holds for every corpus; a corpus whose leading statistic vanishes moves later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

GROUPS = ("W_O", "V", "W", "P")

_NEVER = 10**9
"""Stands for infinity: larger than any order that can occur, small enough to add up."""


@dataclass(frozen=True)
class Starts:
    """For each parameter the order, or the step, at which it starts; V, W, P have one entry a layer."""

    W_O: int
    V: tuple[int, ...]
    W: tuple[int, ...]
    P: tuple[int, ...]


def gradient_starts(at: Starts, product: Callable[[int, int], int]) -> Starts:
    """Where each gradient starts, given where the parameters do; `product` is + for orders and max for steps.

    Follows Lemma D.8. The residual Y - softmax(F), the one-hot X inside every activation and the uniform part
    of every attention map start at 0; whatever else they contain starts later and cannot lower a minimum.
    """
    upstream = at.W_O  # G_L = R W_O^T
    values: list[int] = []
    scores: list[int] = []
    for value, weight in zip(reversed(at.V), reversed(at.W), strict=True):
        score = product(upstream, value)  # S_l = J[G_l V_l^T h^T]
        values.append(upstream)  # h^T A^T G_l
        scores.append(score)  # h^T S_l h, and the sub-diagonals of S_l
        upstream = min(upstream, product(upstream, value), product(score, weight))
    return Starts(0, tuple(reversed(values)), tuple(reversed(scores)), tuple(reversed(scores)))


def _least_fixed_point(layers: int, product: Callable[[int, int], int]) -> Starts:
    if layers < 1:
        raise ValueError(f"layers must be 1 or more, not {layers}")
    never = (_NEVER,) * layers
    at = Starts(_NEVER, never, never, never)
    while True:
        g = gradient_starts(at, product)
        moved = Starts(
            min(at.W_O, 1 + g.W_O),
            *(_earlier(old, new) for old, new in ((at.V, g.V), (at.W, g.W), (at.P, g.P))),
        )
        if moved == at:
            return at
        at = moved


def _earlier(old: tuple[int, ...], gradient: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(min(a, 1 + b) for a, b in zip(old, gradient, strict=True))


def orders_by_layer(layers: int) -> Starts:
    """The order in eta at which each parameter of each layer starts.

    Raises:
        ValueError: layers < 1.
    """
    return _least_fixed_point(layers, lambda a, b: a + b)


def steps_by_layer(layers: int) -> Starts:
    """The steps after which each parameter of each layer is first non-zero.

    Raises:
        ValueError: layers < 1.
    """
    return _least_fixed_point(layers, max)


def leading_orders(layers: int) -> dict[str, int]:
    """The order in eta at which each group starts: the least over its layers.

    Raises:
        ValueError: layers < 1.
    """
    return _by_group(orders_by_layer(layers))


def first_steps(layers: int) -> dict[str, int]:
    """The number of steps after which each group is first non-zero: the least over its layers."""
    return _by_group(steps_by_layer(layers))


def _by_group(at: Starts) -> dict[str, int]:
    return {"W_O": at.W_O, "V": min(at.V), "W": min(at.W), "P": min(at.P)}
