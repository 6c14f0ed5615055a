"""SymPy's sums, flint's sums and plain adding up give the same numbers."""

import re
from functools import reduce
from pathlib import Path

import pytest
import sympy
from flint import fmpq, fmpq_mat, fmpq_poly
from theory_cases import corpus

from theory import step_sums
from theory.corpus import check_corpus
from theory.laws.general_descent import counts
from theory.laws.layer_separation import MOVED_BY_VALUES, MOVED_TWICE
from theory.next_order import COEFFICIENTS, ORDER, directions
from theory.one_hot import OneSequence, constants
from theory.series import Update
from theory.statistics import average, evidence, statistics_of
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


# The closed forms as a reader sees them.

PAGE = Path(__file__).parents[2] / "docs" / "theory" / "next-orders.md"
ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)?) \| (\d) \| `([^`]+)` \| `([^`]+)` \|$", re.MULTILINE)


def shown() -> dict[str, list[tuple[int, str, sympy.Expr]]]:
    """By group: the order, the product and the polynomial of each line of the page's table."""
    result: dict[str, list[tuple[int, str, sympy.Expr]]] = {}
    for groups, order, product, polynomial in ROW.findall(PAGE.read_text(encoding="utf-8")):
        for group in re.findall(r"\w+", groups):
            line = int(order), product, sympy.sympify(polynomial, locals={"s": step_sums.s})
            result.setdefault(group, []).append(line)
    return result


def test_the_polynomials_on_the_page_are_those_in_use() -> None:
    assert set(shown()) == set(COEFFICIENTS)
    for group, lines in shown().items():
        assert tuple(as_poly(sympy.expand(polynomial)) for _, _, polynomial in lines) == COEFFICIENTS[group]
        assert {order for order, _, _ in lines} == {ORDER[group]}


def test_the_products_on_the_page_are_those_in_use() -> None:
    """Each product read off the page and evaluated on a corpus without symmetries."""
    sequences = constants(check_corpus(corpus(0, 3, 4, 3), 3))
    used = directions(sequences)
    known = {
        **statistics_of(sequences),
        "D": average(sequences, lambda one: one.X.transpose() * one.X),
        "K": average(sequences, lambda one: one.X.transpose() * one.A0.transpose() * one.X),
    }

    def value(product: str, of: dict[str, fmpq_mat]) -> fmpq_mat:
        factors = [
            of[f.removesuffix("^T")].transpose() if f.endswith("^T") else of[f] for f in product.split()
        ]
        return reduce(lambda a, b: a * b, factors)

    def messages(product: str, one: OneSequence[fmpq_mat]) -> fmpq_mat:
        return value(product, {**known, "U": one.U, "X": one.X})

    for group, lines in shown().items():
        for (_, product, _), matrix in zip(lines, used[group], strict=True):
            if group in ("W", "P"):
                pulls = evidence(sequences, lambda one, product=product: messages(product, one))
                found = pulls[0 if group == "W" else 1]
            else:
                found = value(product, known)
            assert found * fmpq(-1, 3) == matrix, (group, product)
