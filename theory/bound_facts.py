"""The inequalities used inside the proofs of the theorem, decided exactly.

Each function returns a truth that was computed, for one size or one corpus; nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.next_order import inner
from theory.one_hot import uniform_attention
from theory.step_polynomials import ATTENTION, OUTPUT, VALUE


def hardy_norm_at_most_two(length: int) -> bool:
    """|A0| <= 2 as an operator, for uniform causal attention over `length` positions (discrete Hardy).

    Decided as: 4 - A0^T A0 is positive semidefinite, by exact elimination with positive pivots.
    """
    A0 = uniform_attention(length)
    excess = (A0.transpose() * A0) * fmpq(-1)
    for i in range(length):
        excess[i, i] += 4
    return positive_definite(excess)


def positive_definite(symmetric: fmpq_mat) -> bool:
    """True when all pivots of Gaussian elimination without exchanges are positive (Sylvester's criterion)."""
    rows = symmetric.tolist()
    for i, pivot in enumerate(rows):
        if pivot[i] <= 0:
            return False
        for lower in rows[i + 1 :]:
            factor = lower[i] / pivot[i]
            if factor:
                for j in range(i, len(rows)):
                    lower[j] -= factor * pivot[j]
    return True


def uniform_jacobian_spectrum(keys: int) -> list[tuple[fmpq, int]]:
    """Eigenvalues, with multiplicities, of the softmax Jacobian I/t - 11^T/t^2 at uniform attention.

    The paper uses that its norm is 1/t for t >= 2 and 0 for t = 1.
    """
    t = keys
    J = fmpq_mat(t, t, [fmpq(int(i == j), t) - fmpq(1, t * t) for i in range(t) for j in range(t)])
    return sorted(((fmpq(value), count) for value, count in J.charpoly().roots()), key=lambda pair: pair[0])


def coefficient_bound_gap() -> fmpq_poly:
    """2 s^4 - (6 C(s,4) + 4 C(s,3)) in u = s - 1: without a negative coefficient it is >= 0 for s >= 1."""
    gap = 2 * OUTPUT**4 - 2 * ATTENTION
    return gap(fmpq_poly([1, 1]))


def attention_gain_gap() -> fmpq_poly:
    """r C(r,2) - (r^3 - r^2) / 2, which the paper says is zero for each term of c_s."""
    return OUTPUT * VALUE - (OUTPUT**3 - OUTPUT**2) / 2


def eighth_power_gap() -> fmpq_poly:
    """s^4 / 8 - c_s as a polynomial in u = s - 1, used by `theory.bounds`: no negative coefficient."""
    gap = OUTPUT**4 / 8 - ATTENTION
    return gap(fmpq_poly([1, 1]))


def norms(statistics: Mapping[str, fmpq_mat]) -> dict[str, tuple[fmpq, fmpq]]:
    """(value, limit) of each size that the proofs bound, on one corpus; squared where there is a root."""

    def largest(a: fmpq_mat) -> fmpq:
        return max(abs(x) for x in a.entries())

    one = fmpq(1)
    return {
        "|B_bar|^2": (inner(statistics["B_bar"], statistics["B_bar"]), one),
        "|Phi_bar|^2": (inner(statistics["Phi_bar"], statistics["Phi_bar"]), fmpq(4)),
        "|Phi_bar|^2, sharper": (inner(statistics["Phi_bar"], statistics["Phi_bar"]), one),
        "max |Q_bar|": (largest(statistics["Q_bar"]), one),
        "max |Delta_bar|": (largest(statistics["Delta_bar"]), one),
        "|Q_bar|^2": (inner(statistics["Q_bar"], statistics["Q_bar"]), one),
        "|Delta_bar|^2": (inner(statistics["Delta_bar"], statistics["Delta_bar"]), one),
    }
