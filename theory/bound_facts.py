"""The inequalities used inside the proofs of the theorem, decided exactly.

Each function returns a truth that was computed, for one size or one corpus; nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.next_order import inner
from theory.one_hot import uniform_attention
from theory.step_polynomials import ATTENTION, OUTPUT, VALUE

LIMITS: dict[str, fmpq] = {
    "|A0|": fmpq(2),
    "|B_bar|": fmpq(1),
    "|Phi_bar|": fmpq(2),
    "max |Q_bar|": fmpq(1),
    "max |Delta_bar|": fmpq(1),
    "operator norm of a Gaussian start, times sqrt(V) / v": fmpq(3),
    "Frobenius norm of a Gaussian start, over v": fmpq(2),
}
"""What the proofs of Theorems D.10 and D.13 say is the most of each: discrete Hardy, Lemmas D.11 and D.12."""

SHARPER: dict[str, fmpq] = {"|Phi_bar|": fmpq(1), "|Q_bar|": fmpq(1), "|Delta_bar|": fmpq(1)}
"""What holds beyond that, derived in `theory.bounds`; Frobenius norms."""


def operator_norm_below(a: fmpq_mat, limit: fmpq) -> bool:
    """|a| < limit as an operator, for a [m, n], exactly: limit^2 - a^T a is positive definite."""
    excess = (a.transpose() * a) * fmpq(-1)
    for i in range(a.ncols()):
        excess[i, i] += limit * limit
    return positive_definite(excess)


def hardy_norm_below(length: int, limit: fmpq = LIMITS["|A0|"]) -> bool:
    """|A0| < limit as an operator, for uniform causal attention over `length` positions (discrete Hardy)."""
    return operator_norm_below(uniform_attention(length), limit)


def hardy_identity_gap(length: int) -> fmpq_mat:
    """(1 - A0)(1 - A0)^T - (1 - diag(1/t)) [T, T], zero: |1 - A0| <= 1, so that |A0| <= 2 at every length.

    Derived here: entry (m, n) of A0 A0^T has min(m, n) terms 1/(m n), so it is 1/max(m, n). That is also the
    entry of A0 + A0^T for m != n; on the diagonal this has 2/n. So A0 A0^T = A0 + A0^T - diag(1/t).
    """
    A0 = uniform_attention(length)
    one = fmpq_mat(length, length, [fmpq(int(i == j)) for i in range(length) for j in range(length)])
    rest = one - A0
    gap = rest * rest.transpose() - one
    for t in range(length):
        gap[t, t] += fmpq(1, t + 1)
    return gap


def positive_definite(symmetric: fmpq_mat) -> bool:
    """True when all pivots of a symmetric [n, n] are positive, without exchanges (Sylvester's criterion)."""
    return all(row[0] > 0 for row in _pivot_rows(symmetric))


def positive_semidefinite(symmetric: fmpq_mat) -> bool:
    """True when no pivot of [n, n] is negative, and one of 0 has a row of zeros: beside c a minor is -c^2."""
    return all(row[0] > 0 or not any(row) for row in _pivot_rows(symmetric))


def _pivot_rows(symmetric: fmpq_mat) -> Iterator[list[fmpq]]:
    """Each row from its diagonal entry on, as elimination without exchanges leaves it."""
    rows = symmetric.tolist()
    for i, pivot in enumerate(rows):
        yield pivot[i:]
        for lower in rows[i + 1 :] if pivot[i] else ():
            factor = lower[i] / pivot[i]
            if factor:
                for j in range(i, len(rows)):
                    lower[j] -= factor * pivot[j]


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
    """(value, limit) of each size that the proofs bound, of statistics; squared where there is a root."""

    def squared(name: str, limit: fmpq) -> tuple[fmpq, fmpq]:
        return inner(statistics[name], statistics[name]), limit**2

    def largest(name: str, limit: fmpq) -> tuple[fmpq, fmpq]:
        return max(abs(x) for x in statistics[name].entries()), limit

    return {
        "|B_bar|^2": squared("B_bar", LIMITS["|B_bar|"]),
        "|Phi_bar|^2": squared("Phi_bar", LIMITS["|Phi_bar|"]),
        "|Phi_bar|^2, sharper": squared("Phi_bar", SHARPER["|Phi_bar|"]),
        "max |Q_bar|": largest("Q_bar", LIMITS["max |Q_bar|"]),
        "max |Delta_bar|": largest("Delta_bar", LIMITS["max |Delta_bar|"]),
        "|Q_bar|^2": squared("Q_bar", SHARPER["|Q_bar|"]),
        "|Delta_bar|^2": squared("Delta_bar", SHARPER["|Delta_bar|"]),
    }
