"""Series arithmetic: softmax, exp and log against flint's own power series, and what is never computed."""

from collections.abc import Iterator

import pytest
from flint import ctx, fmpq, fmpq_mat, fmpq_series
from theory_cases import matrix

from theory.one_hot import uniform_attention
from theory.power_series import Series, constant, exponential, logarithm, product, softmax_rows, truncated

K = 6


@pytest.fixture(autouse=True)
def _capped() -> Iterator[None]:
    before, ctx.cap = ctx.cap, K + 1
    yield
    ctx.cap = before


def scores(T: int) -> list[fmpq_mat | None]:
    return [None, *(matrix(n, T, T) for n in range(K))]


def entry(coefficients: list[fmpq_mat | None], t: int, k: int) -> fmpq_series:
    return fmpq_series([fmpq(0) if c is None else c[t, k] for c in coefficients])


def at(series: Series[fmpq_mat], order: int, t: int, k: int) -> fmpq:
    value = series[order]
    return fmpq(0) if value is None else value[t, k]


def test_causal_softmax_against_scalar_series() -> None:
    T = 3
    Z = scores(T)
    A = softmax_rows(truncated(Z), uniform_attention(T))
    for t in range(T):
        weights = [entry(Z, t, k).exp() for k in range(t + 1)]
        whole = sum(weights[1:], weights[0])
        for k in range(T):
            expected = weights[k] / whole if k <= t else fmpq_series([0])
            assert [at(A, n, t, k) for n in range(K + 1)] == [expected[n] for n in range(K + 1)]


def test_exp_and_log_undo_each_other() -> None:
    Z = scores(2)
    ones = fmpq_mat(2, 2, [1] * 4)
    back = logarithm(exponential(truncated(Z), ones), ones)
    assert [back[k] for k in range(1, K + 1)] == Z[1:]


def test_exp_needs_no_constant_term() -> None:
    with pytest.raises(ValueError, match="vanishes at eta = 0"):
        softmax_rows(constant(matrix(0, 2, 2)), uniform_attention(2))


def test_log_needs_constant_term_one() -> None:
    with pytest.raises(ValueError, match="constant term 1"):
        logarithm(constant(matrix(0, 2, 2)), fmpq_mat(2, 2, [1] * 4))


def test_only_what_can_contribute_is_computed() -> None:
    """A factor known to start at order 3 keeps its partner's higher coefficients from being asked for."""

    def refuse(order: int) -> fmpq_mat | None:
        if order > 1:
            raise AssertionError(f"order {order} was asked for")
        return matrix(order, 2, 2)

    late = truncated([None, None, None, matrix(3, 2, 2), matrix(4, 2, 2)])
    assert product(Series(0, refuse), late)[4] == matrix(0, 2, 2) * matrix(4, 2, 2) + matrix(
        1, 2, 2
    ) * matrix(3, 2, 2)
