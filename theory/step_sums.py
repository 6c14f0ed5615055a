"""The sums over steps that a reader sees, by SymPy: next order, layer separation, momentum.

`theory.step_polynomials` gets the same polynomials over flint's rationals by Newton's basis. Here each is a
sum that SymPy evaluates, kept factored.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy

s = sympy.Symbol("s", integer=True, nonnegative=True)
r = sympy.Symbol("r", integer=True, nonnegative=True)
m = sympy.Symbol("m", positive=True)


def gathered(gain: sympy.Expr) -> sympy.Expr:
    """sum_{r<s} of a gain written in r, factored, in s."""
    return sympy.factor(sympy.summation(sympy.expand(gain), (r, 0, s - 1)))


def readable(coefficients: Sequence[str]) -> str:
    """A polynomial in s as a person writes it, factored, from its coefficients "p/q", lowest power first."""
    p = sympy.Poly([sympy.Rational(c) for c in reversed(coefficients)] or [0], s)
    return str(sympy.factor(p.as_expr())).replace("**", "^").replace("*", " ")


def named(coefficients: Sequence[str]) -> str:
    """The same, after the symbol for it where the theory has one: "c_s = s (s - 2) (s - 1) (3 s - 1)/24"."""
    C2, C3, C4 = (sympy.ff(s, k) / sympy.factorial(k) for k in (2, 3, 4))
    p = sum(sympy.Rational(c) * s**k for k, c in enumerate(coefficients))
    for name, value in {"C(s,2)": C2, "C(s,3)": C3, "c_s": 3 * C4 + 2 * C3}.items():
        if sympy.expand(p - sympy.expand_func(value)) == 0:
            return f"{name} = {readable(coefficients)}"
    return readable(coefficients)


def _at_r(amount: sympy.Expr) -> sympy.Expr:
    return amount.subs(s, r)


def leading() -> dict[str, sympy.Expr]:
    """What W_O, V and the scores (W, P) hold of their leading directions (Theorem 4.1)."""
    output = gathered(sympy.Integer(1))
    value = gathered(_at_r(output))
    scores = gathered(_at_r(output) * _at_r(value))
    return {"W_O": output, "V": value, "W": scores, "P": scores}


def next_order() -> dict[str, tuple[sympy.Expr, ...]]:
    """What they hold of their next-order directions, in the order of `theory.next_order.directions`."""
    held = leading()
    output, value = _at_r(held["W_O"]), _at_r(held["V"])
    output_next = gathered(output)
    value_next = (gathered(_at_r(output_next)), gathered(output**2))
    scores_next = (
        gathered(output * _at_r(value_next[0]) + _at_r(output_next) * value),
        gathered(output * _at_r(value_next[1])),
        gathered(output**2 * value),
    )
    return {"W_O": (output_next,), "V": value_next, "W": scores_next, "P": scores_next}


def separation() -> dict[str, tuple[sympy.Expr, ...]]:
    """What neighbouring layers differ by (`theory.laws.layer_separation`): V by one matrix, W and P by
    two.
    """
    held = leading()
    output, value, scores = (_at_r(held[g]) for g in ("W_O", "V", "W"))
    pair = (gathered(output * value**2), gathered(output * scores))
    return {"V": (held["W"],), "W": pair, "P": pair}


def momentum_output() -> sympy.Expr:
    """What W_O holds of B_bar after s steps of one batch with momentum m != 1, in s and m.

    Gradient q is held with sum_{q <= p < s} m^(p-q) = (1 - m^(s-q)) / (1 - m)
    (`theory.laws.general_descent`); the sum over q < s is taken here with n = s - q = 1..s. For large s it is
    s / (1 - m): the rate is stretched by 1 / (1 - m).
    """
    n = sympy.Symbol("n", integer=True, positive=True)
    powers = m * (1 - m**s) / (1 - m)  # sum_{n=1}^{s} m^n, which SymPy gives piecewise in m
    return sympy.simplify((sympy.summation(1, (n, 1, s)) - powers) / (1 - m))
