"""The moments of a softmax of Gaussian logits by brute force: n symbols, a Taylor series, Isserlis' theorem.

With logits e z_1..e z_n and S(e) = sum exp(e z_k), the entropy is H = log S - e d/de log S and the collision
sum p^2 = S(2e) / S(e)^2. Both are expanded to e^4, and the expectation of a monomial in independent standard
Gaussians is a product of double factorials. Each coefficient is a sum of products of power means m_a of the
logits of total degree two or four, whose expectations (E m_4 = 3, E m_2^2 = 1 + 2/n, E m_1 m_3 = 3/n,
E m_1^2 m_2 = 1/n + 2/n^2, E m_1^4 = 3/n^2) are polynomials in 1/n of degree two: agreement with a closed form
of that kind at three values of n proves it for all of them.
"""

from __future__ import annotations

import sympy
from sympy.polys.rings import PolyElement, ring

_ORDER = 4
# A series in e: the polynomial in z_1..z_n that stands at e^0, e^1, ... e^4.
_Series = list[PolyElement]


def entropy_deficit(keys: int) -> tuple[sympy.Rational, sympy.Rational]:
    """The coefficients of v = e^2 and v^2 in E[log n - H], for n = `keys`."""
    # e d/de multiplies the coefficient of e^j by j.
    deficit = [(j - 1) * part for j, part in enumerate(_log_mean(keys, 1))]
    return _expected(deficit[2]), _expected(deficit[4])


def excess_collision(keys: int) -> tuple[sympy.Rational, sympy.Rational]:
    """The coefficients of v = e^2 and v^2 in E[n sum p^2] - 1, for n = `keys`."""
    exponent = [twice - 2 * once for twice, once in zip(_log_mean(keys, 2), _log_mean(keys, 1), strict=True)]
    series = _composed(exponent, [sympy.Rational(1, sympy.factorial(k)) for k in range(_ORDER + 1)])
    return _expected(series[2]), _expected(series[4])


def _log_mean(keys: int, scale: int) -> _Series:
    """log of the mean over k of exp(scale e z_k)."""
    _, *z = ring([f"z{k}" for k in range(1, keys + 1)], sympy.QQ)
    zero = z[0] - z[0]
    excess = [
        zero,
        *(
            sum((one**j for one in z), zero) * sympy.QQ(scale**j, keys * int(sympy.factorial(j)))
            for j in range(1, _ORDER + 1)
        ),
    ]
    return _composed(excess, [0, *(sympy.Rational((-1) ** (k + 1), k) for k in range(1, _ORDER + 1))])


def _composed(inner: _Series, outer: list[sympy.Rational]) -> _Series:
    """sum_k outer[k] inner^k to e^4, for an inner series without constant term."""
    zero = inner[0] - inner[0]
    power, total = [zero + 1] + [zero] * _ORDER, [zero] * (_ORDER + 1)
    for coefficient in outer:
        total = [
            have + part * sympy.QQ.from_sympy(sympy.Rational(coefficient))
            for have, part in zip(total, power, strict=True)
        ]
        power = [sum((power[i] * inner[j - i] for i in range(j + 1)), zero) for j in range(_ORDER + 1)]
    return total


def _expected(polynomial: PolyElement) -> sympy.Rational:
    """The expectation over independent standard Gaussians, monomial by monomial."""
    total = sympy.Integer(0)
    for powers, coefficient in polynomial.terms():
        if all(power % 2 == 0 for power in powers):
            moment = sympy.prod(sympy.factorial2(power - 1) for power in powers)
            total += sympy.QQ.to_sympy(coefficient) * moment
    return total
