"""The identities that a certificate proves, as data: group, order, step polynomials, statistics.

Each says of every layer: the coefficients of the group below `order` vanish, and the one at `order` is
sum_j coefficient_j(s) direction_j after s steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq_poly

from theory import next_order
from theory.certificate_format import KINDS
from theory.matrix import M
from theory.one_hot import OneSequence
from theory.orders import GROUPS, leading_orders
from theory.statistics import leading_directions, statistics_of
from theory.step_polynomials import LEADING


@dataclass(frozen=True)
class Identity:
    """One group's identity: see the module. The leading kind also claims that all lower orders vanish."""

    group: str
    order: int
    coefficients: tuple[fmpq_poly, ...]
    vanishing: tuple[int, ...]


def identities(kind: str) -> list[Identity]:
    """Those of one kind, "leading" (Theorem 4.1) or "next" (`theory.next_order`).

    Raises:
        ValueError: it is another kind.
    """
    if kind not in KINDS:
        raise ValueError(f"there are certificates of the kinds {', '.join(KINDS)}, not {kind!r}")
    if kind == "leading":
        orders = leading_orders(1)
        return [Identity(g, orders[g], (LEADING[g],), tuple(range(orders[g]))) for g in GROUPS]
    return [Identity(g, next_order.ORDER[g], next_order.COEFFICIENTS[g], ()) for g in GROUPS]


def direction_matrices(kind: str, corpus: Sequence[OneSequence[M]]) -> dict[str, list[M]]:
    """The matrices that the identities of a kind are written in, for each group; rational or symbolic."""
    if kind == "leading":
        return {g: [m] for g, m in leading_directions(statistics_of(corpus)).items()}
    return next_order.directions(corpus)


def step_degree(order: int) -> int:
    """The largest degree in s that the coefficient of eta^`order` of any parameter can have after s steps.

    It is a polynomial in s of degree at most its order that vanishes at s = 0, by induction on the order. The
    gradient is an analytic function of the parameters and of them alone, so its coefficient of eta^(k-1) is a
    sum of products of parameter coefficients whose orders (each at least 1, as the start is zero) add up to
    k - 1. If those of order j < k are polynomials in r of degree at most d_j, what the coefficient of eta^k
    gains in step r is a polynomial in r of degree at most the largest sum of d_j over ways to write k - 1 as
    a sum; and the sum over r < s of a polynomial of degree n has degree n + 1 and is 0 at s = 0. This
    computes that recursion, whose solution is d_k = k: a sum of d_j = j over parts of k - 1 is k - 1.

    So agreement after s = 0..k steps is agreement after any number. A rate or a batch that changes with the
    step is not covered: the gain must depend on r through the parameters only.
    """
    degrees = [0]
    largest = [0]
    for k in range(1, order + 1):
        degrees.append(1 + largest[k - 1])
        largest.append(max(degrees[j] + largest[k - j] for j in range(1, k + 1)))
    return degrees[order]
