"""The step coefficients as polynomials in s with rational coefficients, by exact summation.

A quantity that gains p(r) in step r, r = 0, 1, ..., holds sum_{r<s} p(r) after s steps. Written in Newton's
basis, p(r) = sum_j d_j C(r, j) with d_j the j-th forward difference at 0, the sum is sum_j d_j C(s, j+1),
because sum_{r<s} C(r, j) = C(s, j+1). So a polynomial gain of degree n gives a polynomial of degree n + 1
that vanishes at s = 0. `theory.step_coefficients` runs the same recursions as integers and sums them once
more with SymPy.
"""

from __future__ import annotations

from itertools import pairwise

from flint import fmpq_poly

R = fmpq_poly([0, 1])
"""The number of steps taken so far, as a polynomial."""


def binomial(k: int) -> fmpq_poly:
    """C(s, k) as a polynomial in s of degree k."""
    result = fmpq_poly([1])
    for i in range(k):
        result = result * fmpq_poly([-i, 1]) / (i + 1)
    return result


def gathered(gain: fmpq_poly) -> fmpq_poly:
    """sum_{r<s} gain(r) as a polynomial in s."""
    values = [gain(r) for r in range(gain.degree() + 1)]
    result = fmpq_poly([])
    for j in range(len(values)):
        result = result + binomial(j + 1) * values[0]
        values = [b - a for a, b in pairwise(values)]
    return result


OUTPUT = gathered(fmpq_poly([1]))
"""What W_O holds of B_bar after s steps: one a step (Theorem 4.1)."""

VALUE = gathered(OUTPUT)
"""What V holds of Phi_bar^T B_bar^T: each step adds what W_O held."""

ATTENTION = gathered(OUTPUT * VALUE)
"""What W holds of Q_bar and P of Delta_bar: each step adds what W_O held times what V held."""

LEADING = {"W_O": OUTPUT, "V": VALUE, "W": ATTENTION, "P": ATTENTION}
