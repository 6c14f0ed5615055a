"""Scalars that dominate a descent: what one step can add to the size of each weight, for every corpus.

A series with non-negative coefficients M_k *dominates* parameters theta when |theta_k| <= M_k for every k
(Frobenius norm). Sums, products and functions with non-negative Taylor coefficients keep domination, so the
whole descent can be followed by a few scalars: o, v_l, w_l, p_l for W_O, V, W, P. With H dominating the norm
of each row of h, g the mean norm of the rows of what flows back, and a and f what softmax can do,

    scores: z = H^2 w + p;   softmax rows add up, in absolute value, to a(z) = e^z / (2 - e^z), because
        E = uniform * exp(z) has row sums 1 + (at most e^z - 1) and 1 / (1 - x) dominates 1 / (1 + x);
    H <- H (1 + a v);   logits: F = H o;   residual rows: at most f(F);
    o gains H f(F);     g = f(F) o;   then down the layers, h the rows that the layer read:
    v gains a h g;      score gradients: at most S = a (1 + a) g v h a row;   w gains h^2 S;   p gains S;
    g <- g (1 + a v) + 2 S h w.

Sums over keys use that rows of A and S add up; what flows back is kept as a mean over positions, so that
columns need not. What is learned enters the residual with a factor 1/V: with m the mean of exp(F) - 1 over
the words,

    p - 1/V = (1/V) (exp(F) - 1 - m) / (1 + m),   |exp(F) - 1 - m| <= e^F - 1,   |m| <= (e^F - 1) / sqrt(V),

as taking off the mean is a projection, and by Cauchy and Schwarz. Y - 1/V has norm below 1, hence f(F) = 1 +
(e^F - 1) / (V (1 - (e^F - 1) / sqrt(V))), which falls with V: what holds at V = 1 holds for any vocabulary.
Derived here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

from flint import fmpq, fmpq_poly

BITS = 256
"""Upper bounds are rounded up to multiples of 2^-256: far below anything of interest, and short."""


_TOO_LARGE = "s eta is too large for a bound on the series' tail; take a smaller rate or fewer steps"


@dataclass(frozen=True)
class Sizes:
    """The dominating scalars: numbers, or polynomials."""

    W_O: Any
    V: list[Any]
    W: list[Any]
    P: list[Any]

    def group(self, name: str) -> list[Any]:
        """Those of a group by layer; W_O has one."""
        return [self.W_O] if name == "W_O" else list(getattr(self, name))


@dataclass(frozen=True)
class Arithmetic:
    """How sizes are reckoned: a(z), f(z), and what keeps a result short without making it smaller."""

    attention: Callable[[Any], Any]
    residual: Callable[[Any], Any]
    tidy: Callable[[Any], Any]


def equal_sizes(layers: int, size: Any) -> Sizes:
    """Every parameter of the same size."""
    return Sizes(size, [size] * layers, [size] * layers, [size] * layers)


def combined(function: Callable[..., Any], *many: Sizes) -> Sizes:
    """`function` of the scalars of each parameter."""

    def layers(name: str) -> list[Any]:
        return [function(*each) for each in zip(*(getattr(one, name) for one in many), strict=True)]

    return Sizes(function(*(one.W_O for one in many)), layers("V"), layers("W"), layers("P"))


def gains(at: Sizes, using: Arithmetic) -> Sizes:
    """What dominates minus the gradients at parameters of these sizes, by the recursion of the module."""
    tidy = using.tidy
    rows: list[Any] = [1]
    reach: list[Any] = []
    for v, w, p in zip(at.V, at.W, at.P, strict=True):
        a = using.attention(rows[-1] * rows[-1] * w + p)
        reach.append(a)
        rows.append(tidy(rows[-1] * (a * v + 1)))
    residual = using.residual(rows[-1] * at.W_O)
    g = tidy(residual * at.W_O)
    gained = equal_sizes(len(at.V), None)
    for n in reversed(range(len(at.V))):
        a, h = reach[n], rows[n]
        S = tidy(a * (a + 1) * g * at.V[n] * h)
        gained.V[n] = tidy(a * h * g)
        gained.W[n] = tidy(h * h * S)
        gained.P[n] = S
        g = tidy(g * (a * at.V[n] + 1) + 2 * S * h * at.W[n])
    return Sizes(tidy(rows[-1] * residual), gained.V, gained.W, gained.P)


def step(at: Sizes, eta: Any, using: Arithmetic) -> Sizes:
    """The sizes after one more step at the rate eta."""
    return combined(lambda old, gain: using.tidy(old + eta * gain), at, gains(at, using))


def in_numbers(vocab_size: int) -> Arithmetic:
    """Sizes as numbers, rounded up, for so many words or more. Where e^z may reach 2 it raises ValueError."""
    return Arithmetic(
        lambda z: _reach(_exponential_above(z)),
        lambda z: _residual(_exponential_above(z), vocab_size),
        rounded_up,
    )


def in_series(order: int, vocab_size: int, short: bool = False) -> Arithmetic:
    """Sizes as series up to `order` for so many words or more, exact where none has a constant term.

    With `short`, coefficients are rounded up: those of a start that is not zero grow long otherwise.
    """
    n = order + 1

    def tidy(p: Any) -> fmpq_poly:
        cut = (fmpq_poly([0]) + p).truncate(n)
        return fmpq_poly([rounded_up(c) for c in cut.coeffs()]) if short else cut

    def times(a: fmpq_poly, b: fmpq_poly) -> fmpq_poly:
        return tidy(a.mul_low(b, n))

    def attention(z: Any) -> fmpq_poly:
        e = _exponential(z, times)
        return times(e, _one_over_one_minus(e - 1, times))

    def residual(z: Any) -> fmpq_poly:
        rest = _exponential(z, times) - 1
        pull = times(rest, _one_over_one_minus(rest / isqrt(vocab_size), times))
        return tidy(1 + pull / vocab_size)

    return Arithmetic(attention, residual, tidy)


def rounded_up(x: Any) -> fmpq:
    """The least multiple of 2^-256 that is at least x."""
    scaled = fmpq(x) * 2**BITS
    return fmpq(scaled.ceil(), 2**BITS)


def _reach(e: fmpq) -> fmpq:
    """An upper bound on e / (2 - e)."""
    if e >= 2:
        raise ValueError(_TOO_LARGE)
    return rounded_up(e / (2 - e))


def _residual(e: fmpq, vocab_size: int) -> fmpq:
    """An upper bound on f. With the largest whole number up to sqrt(V) it is larger still."""
    rest = e - 1
    left = 1 - rest / isqrt(vocab_size)
    if left <= 0:
        raise ValueError(_TOO_LARGE)
    return rounded_up(1 + rest / (vocab_size * left))


def _exponential_above(z: Any) -> fmpq:
    """An upper bound on e^z for z >= 0: below 1 by 60 Taylor terms, and the rest by a geometric series."""
    z = fmpq(z)
    if z >= 1:
        return fmpq(3) ** int(z.ceil())
    total, term = fmpq(0), fmpq(1)
    for j in range(60):
        total += term
        term = rounded_up(term * z / (j + 1))
    return rounded_up(total + 2 * term)


Product = Callable[[fmpq_poly, fmpq_poly], fmpq_poly]
"""Of two series without negative coefficients, to the orders that are kept; no coefficient is too small."""


def _exponential(z: Any, times: Product) -> fmpq_poly:
    """e^z as a series, rounded up where z has a constant term."""
    z = fmpq_poly([0]) + z
    rest = z - z[0]
    total = power = fmpq_poly([1])
    j = 0
    # A power of what has no constant term is beyond the orders that are kept in the end.
    while power := times(power, rest):
        j += 1
        power = power / j
        total = total + power
    return total * _exponential_above(z[0]) if z[0] else total


def _one_over_one_minus(y: fmpq_poly, times: Product) -> fmpq_poly:
    """1 / (1 - y), where the constant term of y is below 1."""
    whole = 1 - y[0]
    if whole <= 0:
        raise ValueError(_TOO_LARGE)
    rest = (y - y[0]) / whole
    total = power = fmpq_poly([1])
    while power := times(power, rest):
        total = total + power
    return total / whole
