"""How large a Gaussian start is (Lemmas D.11 and D.12): one draw, decided over the rationals, and the chance.

The entries of a draw in floating point are rationals, so that its Frobenius norm is decided by a sum. Of the
operator norm a witness decides, which may come from anywhere: M = limit^2 1 - G^T G is positive definite when
M - R^T R is strictly diagonally dominant (Gershgorin), and any x shows |G|^2 >= |G x|^2 / |x|^2.

The chance, for n entries of the variance v^2 / V^(2 + 2 xi). Let g = V^(2 xi) >= 1.

* Frobenius. |G|_F > c v asks a chi-square of n = V^2 degrees to pass c^2 g n. By Markov's inequality for
  exp(a chi^2) with a = (1 - 1/c^2) / 2 that has at most the probability c^n exp(-a c^2 g n), which is
  exp(-n g (c^2 - 1 - log c^2) / 2) or less. At c = 2 the rate is 3/2 - log 2, above 0.806 an entry; the
  lemma says 1/4, which would be true of c = 1.6 and is not shown so for c = 1.5.
  P has T <= V^2 entries, fewer, and is more rarely as large.
* Operator. |G| > (2 + t) sqrt(V) standard deviations has at most the probability exp(-t^2 V / 2) (Davidson
  and Szarek, 2001, Thm. II.13, a theorem that is quoted). 3 v / sqrt(V) is 3 sqrt(g V) of them, so that
  t >= sqrt(g) and the rate is 1/2 of g V; the lemma says 1/4.

Over 3 L + 1 matrices chances add up: `theory.bounds.failure_exponents`. Derived here.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq, fmpq_mat

from theory.balls import BITS
from theory.next_order import inner


def certainly_below(G: fmpq_mat, limit_squared: fmpq, witness: fmpq_mat) -> bool:
    """Whether the witness R [V, V] shows |G| < limit: limit^2 1 - G^T G - R^T R is diagonally dominant."""
    rest = G.transpose() * G + witness.transpose() * witness
    for i, row in enumerate(rest.tolist()):
        others = sum((abs(x) for j, x in enumerate(row) if j != i), fmpq(0))
        if limit_squared - row[i] <= others:
            return False
    return True


def stretched_squared(G: fmpq_mat, x: fmpq_mat) -> fmpq:
    """|G x|^2 / |x|^2 for G [m, n] and a column x [n, 1] that is not 0: no more than |G|^2."""
    image = G * x
    return inner(image, image) / inner(x, x)


def frobenius_rate(times_squared: fmpq) -> Any:
    """(c^2 - 1 - log c^2) / 2: |G|_F > c v has at most the probability exp(-rate) to the V^(2 + 2 xi).

    It is 0 for c <= 1, where a is not positive and Markov's inequality says nothing.
    """
    if times_squared <= 1:
        return arb(0)
    with ctx.workprec(BITS):
        return (arb(times_squared) - 1 - arb(times_squared).log()) / 2
