"""The step coefficients: integer recursion, SymPy sums and the paper's binomials give one answer."""

from math import comb

import pytest
import sympy

from theory.step_coefficients import step_coefficients, symbolic


@pytest.mark.parametrize("steps", range(12))
def test_recursion_agrees_with_symbolic_sums(steps: int) -> None:
    closed = {
        name: int(expr.subs(sympy.Symbol("s", integer=True, nonnegative=True), steps))
        for name, expr in symbolic().items()
    }
    assert step_coefficients(steps) == closed


@pytest.mark.parametrize("steps", range(12))
def test_recursion_agrees_with_binomials_of_the_paper(steps: int) -> None:
    attention = 3 * comb(steps, 4) + 2 * comb(steps, 3)
    assert step_coefficients(steps) == {"W_O": steps, "V": comb(steps, 2), "W": attention, "P": attention}


def test_negative_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="steps must be 0 or more, not -1"):
        step_coefficients(-1)
