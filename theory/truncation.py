"""How much a truncated series can miss: a rigorous bound on the tail, for every corpus at once. Derived here.

A series with non-negative coefficients M_k *dominates* parameters theta when |theta_k| <= M_k for every k
(Frobenius norm). Sums, products and functions with non-negative Taylor coefficients keep domination, so the
whole descent can be followed by a few scalars: o, v_l, w_l, p_l for W_O, V, W, P. With H dominating the norm
of each row of h and g the mean norm of the rows of what flows back,

    scores: z = H^2 w + p;   softmax rows add up, in absolute value, to a(z) = e^z / (2 - e^z), because
        E = uniform * exp(z) has row sums 1 + (at most e^z - 1) and 1 / (1 - x) dominates 1 / (1 + x);
    H <- H (1 + a v);   logits: f = H o;   residual rows: at most a(f) (Y - 1/V has norm below 1 = a(0));
    o gains H a(f);     g = a(f) o;   then down the layers, h the rows that the layer read:
    v gains a h g;      score gradients: at most S = a (1 + a) g v h a row;   w gains h^2 S;   p gains S;
    g <- g (1 + a v) + 2 S h w.

Sums over keys use that rows of A and S add up; what flows back is kept as a mean over positions, so that
columns need not. At a given eta all these are numbers, and the tail of theta beyond order K is at most
M(eta) - sum_{k<=K} M_k eta^k. The first is rounded up, the second is exact. Valid while every e^z stays below
2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_poly

_BITS = 256
"""Upper bounds are rounded up to multiples of 2^-256: far below any tail of interest, and short."""


@dataclass(frozen=True)
class _Sizes:
    """The dominating scalars: numbers at one eta, or polynomials in eta."""

    W_O: Any
    V: list[Any]
    W: list[Any]
    P: list[Any]


def tail_bounds(layers: int, steps: int, rate: fmpq, order: int) -> dict[str, list[fmpq]]:
    """For each group and layer (W_O has one): a bound on |sum_{k>order} theta_k eta^k|, for any corpus.

    Full-batch descent from zero with weights that sum to one, `steps` steps at the rational rate eta > 0.
    Frobenius norms; P's bound also holds for each entry. Raises ValueError when the rate is not positive or
    when eta and the number of steps are so large (s eta near log 2) that the dominating series need not
    converge.
    """
    if rate <= 0:
        raise ValueError(f"the rate must be positive, not {rate}")
    whole, partial = _zeros(layers, fmpq(0)), _zeros(layers, fmpq_poly([]))
    for _ in range(steps):
        whole = _step(whole, rate, _softmax_at, _rounded_up)
        partial = _step(
            partial,
            fmpq_poly([0, 1]),
            lambda z: _softmax_series(z, order + 1),
            lambda p: p.truncate(order + 1),
        )

    def tail(total: fmpq, kept: fmpq_poly) -> fmpq:
        return total - kept(rate)

    return {
        "W_O": [tail(whole.W_O, partial.W_O)],
        "V": [tail(t, k) for t, k in zip(whole.V, partial.V, strict=True)],
        "W": [tail(t, k) for t, k in zip(whole.W, partial.W, strict=True)],
        "P": [tail(t, k) for t, k in zip(whole.P, partial.P, strict=True)],
    }


def _zeros(layers: int, zero: Any) -> _Sizes:
    return _Sizes(zero, [zero] * layers, [zero] * layers, [zero] * layers)


def _step(at: _Sizes, eta: Any, softmax: Callable[[Any], Any], tidy: Callable[[Any], Any]) -> _Sizes:
    """The sizes after one more step, by the recursion of the module."""
    rows: list[Any] = [1]
    reach: list[Any] = []
    for v, w, p in zip(at.V, at.W, at.P, strict=True):
        a = softmax(rows[-1] * rows[-1] * w + p)
        reach.append(a)
        rows.append(tidy(rows[-1] * (a * v + 1)))
    residual = softmax(rows[-1] * at.W_O)
    g = tidy(residual * at.W_O)
    V, W, P = list(at.V), list(at.W), list(at.P)
    for n in reversed(range(len(V))):
        a, h = reach[n], rows[n]
        S = tidy(a * (a + 1) * g * at.V[n] * h)
        V[n] = tidy(at.V[n] + eta * (a * h * g))
        W[n] = tidy(at.W[n] + eta * (h * h * S))
        P[n] = tidy(at.P[n] + eta * S)
        g = tidy(g * (a * at.V[n] + 1) + 2 * S * h * at.W[n])
    return _Sizes(tidy(at.W_O + eta * (rows[-1] * residual)), V, W, P)


def _rounded_up(x: Any) -> fmpq:
    """The least multiple of 2^-256 that is at least x."""
    scaled = fmpq(x) * 2**_BITS
    return fmpq(scaled.ceil(), 2**_BITS)


def _softmax_at(z: Any) -> fmpq:
    """An upper bound on e^z / (2 - e^z) for a number z >= 0. ValueError when e^z may reach 2."""
    e = _exponential_above(fmpq(z))
    if e >= 2:
        raise ValueError(
            "s eta is too large for a bound on the series' tail; take a smaller rate or fewer steps"
        )
    return _rounded_up(e / (2 - e))


def _exponential_above(z: fmpq) -> fmpq:
    """An upper bound on e^z for 0 <= z < 1: 60 Taylor terms, and the rest by a geometric series."""
    if z >= 1:
        return fmpq(3)
    total, term = fmpq(0), fmpq(1)
    for j in range(60):
        total += term
        term = _rounded_up(term * z / (j + 1))
    return _rounded_up(total + 2 * term)


def _softmax_series(z: Any, n: int) -> fmpq_poly:
    """The coefficients of e^z / (2 - e^z) below eta^n, for a polynomial z without constant term."""
    z = fmpq_poly([0]) + z
    exponential = power = fmpq_poly([1])
    j = 0
    while power := power.mul_low(z, n):
        j += 1
        power = power / j
        exponential = exponential + power
    rest = exponential - 1  # 2 - e^z = 1 - rest
    inverse = power = fmpq_poly([1])
    while power := power.mul_low(rest, n):
        inverse = inverse + power
    return exponential.mul_low(inverse, n)
