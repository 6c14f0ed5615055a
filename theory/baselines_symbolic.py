"""The baselines of uniform attention derived for every T at once, by summing over the rows with SymPy.

Row t (1-based) of uniform causal attention gives 1/t to each of its keys at distance 0..t-1. Each metric is a
mean over rows of a sum over distances; SymPy does both sums, so a closed form in `theory.baselines` can be
held to it.
"""

from __future__ import annotations

from functools import cache

import sympy

T = sympy.Symbol("T", integer=True, positive=True)
P = sympy.Symbol("P", integer=True, positive=True)
R = sympy.Symbol("r", integer=True, positive=True)
_t = sympy.Symbol("t", integer=True, positive=True)
_d = sympy.Symbol("d", integer=True, nonnegative=True)


def _row_mean(row_value: sympy.Expr, first: int = 1) -> sympy.Expr:
    """The sum over rows t = first..T of a row's value, over all T rows (rows before `first` count as 0)."""
    return sympy.simplify(sympy.summation(row_value, (_t, first, T)) / T)


@cache
def mean_diagonal() -> sympy.Expr:
    """Mean self-weight, an expression in T: harmonic(T) / T."""
    return _row_mean(1 / _t)


@cache
def mean_previous() -> sympy.Expr:
    """Mean weight on the previous token (rows 2..T have one), in T: (harmonic(T) - 1) / T."""
    return sympy.simplify(_row_mean(1 / _t, 2).rewrite(sympy.harmonic))


@cache
def mean_distance() -> sympy.Expr:
    """Mean distance in positions, an expression in T: (T - 1) / 4."""
    expected = sympy.summation(_d / _t, (_d, 0, _t - 1))
    return sympy.factor(_row_mean(sympy.simplify(expected)))


@cache
def normalised_entropy() -> sympy.Expr:
    """Mean normalised entropy with row 1 counted as 0, an expression in T: (T - 1) / T."""
    entropy = sympy.summation(-sympy.log(1 / _t) / _t, (_d, 0, _t - 1))
    normalised = sympy.simplify(sympy.expand_log(entropy, force=True) / sympy.log(_t))
    return sympy.factor(_row_mean(normalised, 2))


@cache
def relative_diagonal() -> sympy.Expr:
    """Mean of self-weight times visible keys: 1."""
    return _row_mean((1 / _t) * _t)


@cache
def induction_score() -> sympy.Expr:
    """Mean weight at distance P - 1 over 0-based rows P..r P - 1, an expression in P and r.

    The copies after the first are all rows up to r P without the first P, which is how the sum is written:
    SymPy knows a sum of 1/t as a harmonic number when it starts at 1.
    """
    total = sympy.summation(1 / _t, (_t, 1, R * P)) - sympy.summation(1 / _t, (_t, 1, P))
    return total / ((R - 1) * P)
