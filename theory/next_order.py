"""One order beyond the leading terms: the eta^2 term of W_O, eta^3 of V, and eta^5 of W and P. Derived here.

Write B, Phi, Sigma for B_bar, Phi_bar, Sigma_B, D = D_p = E[X^T X] = diag P(i) for the frequency of each
current token, K = E[X^T A0^T X] [context, current], E for the average over sequences and positions, and let r
count the steps taken. At these orders h = X and A = A0: V enters h at order 2, W and P enter A at order 4,
and each correction they make is two orders beyond a leading term, not one. So only two things are new.

1. The prediction is no longer uniform. p = 1/V + (1/V) F (1 - 11^T/V) + ..., and F = r eta X B has rows that
   sum to zero, so the residual is R = U - (eta r / V) X B.
   W_O gains eta E[X^T R] = eta B - eta^2 (r/V) D B, hence gathers -(1/V) sum_{r<s} r = -C(s,2)/V of D B.
2. What flows back is G = R W_O^T. At order 2, with W_O = eta r B - eta^2 C(r,2) D B / V,
   G_2 = -(1/V) [C(r,2) U B^T D + r^2 X B B^T].
   V gains eta E[X^T A0^T G], and E[X^T A0^T U] = Phi^T, so at order 3 it gathers
   -(1/V) [sum C(r,2) Phi^T B^T D + sum r^2 K B B^T].
   W and P gain the evidence of the messages G V^T. With G_1 = r U B^T, V_2 = C(r,2) Phi^T B^T and V_3 as
   above, G_1 V_3^T + G_2 V_2^T = -(1/V) [ (r C(r,3) + C(r,2)^2) U B^T D B Phi
                                    + r (sum_{q<r} q^2) U Sigma B^T K^T
                                    + r^2 C(r,2) X B Sigma Phi ].

Every layer has the same terms: layers differ only from order 4 in V and order 6 in W and P on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.corpus import Rows, check_corpus
from theory.matrix import M
from theory.one_hot import OneSequence, constants
from theory.statistics import average, evidence, leading_directions, statistics_of
from theory.step_polynomials import LEADING, OUTPUT, VALUE, gathered

ORDER = {"W_O": 2, "V": 3, "W": 5, "P": 5}
"""The order in eta of these terms; the leading ones are one lower."""

OUTPUT_NEXT = gathered(OUTPUT)
VALUE_NEXT = (gathered(OUTPUT_NEXT), gathered(OUTPUT * OUTPUT))
ATTENTION_NEXT = (
    gathered(OUTPUT * VALUE_NEXT[0] + OUTPUT_NEXT * VALUE),
    gathered(OUTPUT * VALUE_NEXT[1]),
    gathered(OUTPUT * OUTPUT * VALUE),
)

COEFFICIENTS: dict[str, tuple[fmpq_poly, ...]] = {
    "W_O": (OUTPUT_NEXT,),
    "V": VALUE_NEXT,
    "W": ATTENTION_NEXT,
    "P": ATTENTION_NEXT,
}
"""Polynomials in s that multiply the matrices of `directions`, in the same order."""


def directions(corpus: Sequence[OneSequence[M]]) -> dict[str, list[M]]:
    """The matrices of the next order, with their factor -1/V: one for W_O, two for V, three for W and for P.

    W_O: D B. V: Phi^T B^T D; K B B^T. W [V, V] and P [T, 1]: the evidence of U B^T D B Phi; of U Sigma B^T
    K^T; of X B Sigma Phi. For shares that do not sum to one these stay right: they are homogeneous in the
    shares.
    """
    statistics = statistics_of(corpus)
    B, Phi, Sigma = statistics["B_bar"], statistics["Phi_bar"], statistics["Sigma_B"]
    D = average(corpus, lambda one: one.X.transpose() * one.X)
    K = average(corpus, lambda one: one.X.transpose() * one.A0.transpose() * one.X)
    minus = fmpq(-1, B.nrows())
    target = B.transpose() * D * B * Phi
    current = Sigma * B.transpose() * K.transpose()
    output = B * Sigma * Phi
    pulls = [
        evidence(corpus, lambda one: one.U * target * minus),
        evidence(corpus, lambda one: one.U * current * minus),
        evidence(corpus, lambda one: one.X * output * minus),
    ]
    return {
        "W_O": [D * B * minus],
        "V": [Phi.transpose() * B.transpose() * D * minus, K * B * B.transpose() * minus],
        "W": [by_tokens for by_tokens, _ in pulls],
        "P": [by_distance for _, by_distance in pulls],
    }


def next_order(
    tokens: Rows, vocab_size: int, steps: int, weights: Sequence[Any] | None = None
) -> dict[str, fmpq_mat]:
    """The coefficient one order beyond the leading one (`ORDER`) of each group after `steps` steps.

    W_O, V, W as [V, V], P as [T, 1].

    Raises:
        ValueError: a bad corpus or negative steps.
    """
    if steps < 0:
        raise ValueError(f"steps must be 0 or more, not {steps}")
    matrices = directions(constants(check_corpus(tokens, vocab_size, weights)))
    return {g: combined([p(steps) for p in COEFFICIENTS[g]], matrices[g]) for g in matrices}


def combined(coefficients: Sequence[fmpq], matrices: Sequence[M]) -> M:
    """The sum of matrices times rational coefficients."""
    total = matrices[0] * coefficients[0]
    for c, m in zip(coefficients[1:], matrices[1:], strict=True):
        total = total + m * c
    return total


def gram(tokens: Rows, vocab_size: int) -> dict[str, list[list[fmpq]]]:
    """Inner products of the leading direction (first) and the next-order directions of each group.

    They are all that relative errors and cosines depend on; see `theory.alignment`.
    """
    corpus = constants(check_corpus(tokens, vocab_size))
    leading, following = leading_directions(statistics_of(corpus)), directions(corpus)
    return {
        g: [[inner(a, b) for b in (leading[g], *following[g])] for a in (leading[g], *following[g])]
        for g in leading
    }


def step_amounts(group: str, steps: int) -> list[int]:
    """How much of the leading direction (first) and of each next-order one there is after `steps` steps.

    Integers, because they are sums of products of integers.
    """
    return [int(p(steps).p) for p in (LEADING[group], *COEFFICIENTS[group])]


def inner(a: fmpq_mat, b: fmpq_mat) -> fmpq:
    """The Frobenius inner product of two matrices of one shape."""
    return sum((x * y for x, y in zip(a.entries(), b.entries(), strict=True)), fmpq(0))
