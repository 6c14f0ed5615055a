"""SymPy's sums, flint's sums and plain adding up give the same numbers."""

import pytest
import sympy
from flint import fmpq, fmpq_poly

from theory import step_sums
from theory.laws.general_descent import counts
from theory.laws.layer_separation import MOVED_BY_VALUES, MOVED_TWICE
from theory.next_order import COEFFICIENTS
from theory.series import Update
from theory.step_coefficients import symbolic
from theory.step_polynomials import ATTENTION, LEADING, binomial, gathered


def as_poly(expression: sympy.Expr) -> fmpq_poly:
    coefficients = sympy.Poly(expression, step_sums.s).all_coeffs()[::-1]
    return fmpq_poly([fmpq(int(c.p), int(c.q)) for c in coefficients])


def test_leading() -> None:
    assert {g: as_poly(e) for g, e in step_sums.leading().items()} == LEADING
    assert step_sums.leading() == symbolic()


def test_next_order() -> None:
    assert {g: tuple(map(as_poly, many)) for g, many in step_sums.next_order().items()} == COEFFICIENTS


def test_separation() -> None:
    sums = step_sums.separation()
    assert as_poly(sums["V"][0]) == ATTENTION
    assert tuple(map(as_poly, sums["W"])) == (MOVED_TWICE, MOVED_BY_VALUES)


@pytest.mark.parametrize("k", range(5))
def test_gathering_adds_up(k: int) -> None:
    total = gathered(binomial(k))
    assert [total(n) for n in range(8)] == [
        sum((binomial(k)(r) for r in range(n)), fmpq(0)) for n in range(8)
    ]


def test_momentum_against_counting() -> None:
    held = counts([Update()] * 6, fmpq(9, 10))
    for steps, amounts in enumerate(held):
        closed = step_sums.momentum_output().subs({step_sums.s: steps, step_sums.m: sympy.Rational(9, 10)})
        assert sympy.Rational(int(amounts["W_O"].p), int(amounts["W_O"].q)) == sympy.nsimplify(closed)
