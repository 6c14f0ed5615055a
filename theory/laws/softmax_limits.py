"""How far logits move a softmax from uniform: Lemmas D.2 and D.3, decided.

Let p be the softmax of z [d], whose range is r, and J = diag p - p p^T its Jacobian.

*The Jacobian.* v^T J v is the variance of v under p, so J is positive semidefinite, and so are both parts of

    max p I - J = (max p I - diag p) + p p^T.

Hence |J| <= max p, for every distribution. It is reached where i and j share the largest probability:
J (e_i - e_j) = max p (e_i - e_j). A positive p is the softmax of log p, so that rational p, of which
elimination over the rationals decides, are as good as any.

*The largest probability.* d max p = d / sum_i e^(z_i - max z) <= e^r, since no term is below e^-r. Equal
logits reach it. One logit r above d - 1 others gives d / (1 + (d - 1) e^-r) = 1 + (1 - 1/d) r + O(r^2).

*The move.* Along t z the range is t r, so

    d |p - 1/d| <= d int_0^1 |J(t z)| |z| dt <= int_0^1 e^(t r) dt |z| = (e^r - 1)/r |z| <= e^r |z|.

The last is Lemma D.2. At z = (t, -t), p - 1/2 = tanh(t)/2 (1, -1) is the share tanh(t) e^(-2t) / t of it,
between (1 - t^2)(1 - 2t) and 1. The one before it is sharper, and nothing smaller holds for every d: one
logit r above d - 1 zeros moves p by the share sqrt(d (d - 1)) / (d - 1 + e^r) of it, so that e^(r/2) in
place of e^r is too small from some d on. Lemma D.3 is D.2 with range z <= 2 max |z|. Derived here.

Sizes are balls, multiplied by d and squared where there is a root: without a quotient that is 0 / 0 at z = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from theory.balls import BITS
from theory.bound_facts import positive_semidefinite

Logits = Sequence[fmpq]


def jacobian(p: Sequence[fmpq]) -> fmpq_mat:
    """diag p - p p^T [d, d]."""
    d = len(p)
    return fmpq_mat(d, d, [p[i] * (int(i == j) - p[j]) for i in range(d) for j in range(d)])


def jacobian_norm_at_most(p: Sequence[fmpq], limit: fmpq) -> bool:
    """|J| <= limit, exactly: J and limit I - J are positive semidefinite."""
    J, whole = jacobian(p), fmpq_mat(len(p), len(p))
    for i in range(len(p)):
        whole[i, i] = limit
    return positive_semidefinite(J) and positive_semidefinite(whole - J)


def spread(z: Logits) -> fmpq:
    """The range of z."""
    return max(z) - min(z)


def widest_spread(z: Logits) -> fmpq:
    """What Lemma D.3 takes for the range: 2 max |z|."""
    return 2 * max(abs(x) for x in z)


def largest_probability(z: Logits) -> Any:
    """d max p, exactly 1 for equal logits."""
    with ctx.workprec(BITS):
        return len(z) / _total(z)


def exponential(r: fmpq) -> Any:
    """e^r, the limit of d max p."""
    with ctx.workprec(BITS):
        return arb(r).exp()


def moved_squared(z: Logits) -> Any:
    """d^2 |p - 1/d|^2, exactly 0 for equal logits."""
    d, top = len(z), max(z)
    with ctx.workprec(BITS):
        whole = _total(z)
        return sum(((d * arb(x - top).exp() - whole) ** 2 for x in z), arb(0)) / whole**2


def limit_squared(z: Logits, r: fmpq) -> Any:
    """e^(2 r) |z|^2: Lemma D.2 for logits whose range is at most r."""
    with ctx.workprec(BITS):
        return arb(2 * r).exp() * arb(_squared(z))


def sharper_squared(z: Logits) -> Any:
    """((e^r - 1) / r)^2 |z|^2, which is |z|^2 where the range r is 0."""
    r = spread(z)
    with ctx.workprec(BITS):
        growth = arb(r).expm1() / arb(r) if r else arb(1)
        return growth**2 * arb(_squared(z))


def _total(z: Logits) -> Any:
    top = max(z)
    return sum((arb(x - top).exp() for x in z), arb(0))


def _squared(z: Logits) -> fmpq:
    return sum((x * x for x in z), fmpq(0))
