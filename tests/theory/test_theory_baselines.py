"""Baselines of uniform attention: closed forms against sums over an explicit map and against SymPy."""

from fractions import Fraction

import pytest
import sympy
from flint import fmpq

from theory import baselines, baselines_symbolic


def uniform(T: int) -> list[list[Fraction]]:
    return [[Fraction(1, t + 1) if k <= t else Fraction(0) for k in range(T)] for t in range(T)]


def as_fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


@pytest.mark.parametrize("T", [1, 2, 7, 24])
def test_profile_against_the_map_itself(T: int) -> None:
    A = uniform(T)
    assert as_fraction(baselines.mean_diagonal(T)) == sum(A[t][t] for t in range(T)) / T
    assert as_fraction(baselines.mean_previous(T)) == sum(A[t][t - 1] for t in range(1, T)) / T
    assert (
        as_fraction(baselines.mean_distance(T))
        == sum((t - k) * A[t][k] for t in range(T) for k in range(t)) / T
    )
    assert as_fraction(baselines.relative_diagonal(T)) == sum((t + 1) * A[t][t] for t in range(T)) / T


@pytest.mark.parametrize(("P", "r"), [(1, 2), (3, 2), (5, 4)])
def test_induction_against_the_map_itself(P: int, r: int) -> None:
    A = uniform(r * P)
    rows = range(P, r * P)
    assert as_fraction(baselines.induction_score(P, r)) == sum(A[t][t - P + 1] for t in rows) / len(rows)


@pytest.mark.parametrize("T", [1, 2, 9, 71])
@pytest.mark.parametrize(
    "name", ["mean_diagonal", "mean_previous", "mean_distance", "normalised_entropy", "relative_diagonal"]
)
def test_closed_forms_against_symbolic_sums(name: str, T: int) -> None:
    derived = getattr(baselines_symbolic, name)().subs(baselines_symbolic.T, T)
    closed = getattr(baselines, name)(T)
    assert sympy.Rational(int(closed.p), int(closed.q)) == sympy.nsimplify(derived)


def test_induction_against_symbolic_sum() -> None:
    derived = baselines_symbolic.induction_score().subs({baselines_symbolic.P: 6, baselines_symbolic.R: 3})
    closed = baselines.induction_score(6, 3)
    assert sympy.Rational(int(closed.p), int(closed.q)) == derived


def test_first_row_may_be_left_out_of_the_entropy() -> None:
    assert baselines.normalised_entropy(24) == fmpq(23, 24)
    assert baselines.normalised_entropy(24, include_first=False) == 1


def test_bad_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one position"):
        baselines.mean_diagonal(0)
    with pytest.raises(ValueError, match="no row besides the first"):
        baselines.normalised_entropy(1, include_first=False)
    with pytest.raises(ValueError, match="2 repeats"):
        baselines.induction_score(4, 1)
