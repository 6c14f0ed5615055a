"""The identities that a certificate proves, as data: group, order, step polynomials, statistics.

Each says of every layer: the coefficients of the group below `order` vanish, and the one at `order` is
sum_j coefficient_j(s) direction_j after s steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq_poly

from theory import next_order
from theory.matrix import M
from theory.one_hot import OneSequence
from theory.orders import GROUPS, leading_orders
from theory.statistics import leading_directions, statistics_of
from theory.step_polynomials import LEADING

KINDS = ("leading", "next")

DIRECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "leading": {
        "W_O": ("B_bar",),
        "V": ("Phi_bar^T B_bar^T",),
        "W": ("Q_bar",),
        "P": ("Delta_bar",),
    },
    "next": {
        "W_O": ("-D_p B_bar / V",),
        "V": ("-Phi_bar^T B_bar^T D_p / V", "-K B_bar B_bar^T / V"),
        "W": tuple(f"-evidence of {m} / V" for m in ("U B^T D_p B Phi", "U Sigma B^T K^T", "X B Sigma Phi")),
        "P": tuple(f"-evidence of {m} / V" for m in ("U B^T D_p B Phi", "U Sigma B^T K^T", "X B Sigma Phi")),
    },
}
"""The name of each matrix in `direction_matrices`, in the same order."""


@dataclass(frozen=True)
class Identity:
    """One group's identity: see the module. The leading kind also claims that all lower orders vanish."""

    group: str
    order: int
    coefficients: tuple[fmpq_poly, ...]
    vanishing: tuple[int, ...]


def identities(kind: str) -> list[Identity]:
    """Those of one kind, "leading" (Theorem 4.1) or "next" (`theory.next_order`). ValueError for another."""
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
    """A bound on the degree in s of the coefficient of eta^`order`, of any parameter, after s steps.

    The coefficient grows in step r by the coefficient of eta^(order-1) of a gradient, which is a sum of
    products of parameter coefficients whose orders (each at least 1, as the start is zero) add up to order -
    1: the gradient is an analytic function of the parameters, and of them alone. If those are polynomials in
    r of degrees d_j, so is the growth, of degree at most the largest sum of d_j over ways to write order - 1
    as a sum; and the sum over r < s of a polynomial of degree n is one of degree n + 1 in s. This computes
    that recursion; it also shows that the coefficient vanishes at s = 0, so agreement at s = 0..degree is
    agreement at every s.
    """
    degrees = [0]
    largest = [0]
    for k in range(1, order + 1):
        degrees.append(1 + largest[k - 1])
        largest.append(max(degrees[j] + largest[k - j] for j in range(1, k + 1)))
    return degrees[order]
