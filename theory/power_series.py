"""Power series in the learning rate eta whose coefficients are exact matrices, computed on demand.

A coefficient is worked out the first time somebody asks for it, and remembered. Every series knows an order
below which it is zero by construction (`start`): a constant starts at 0, a product starts where its factors'
starts add up, a sum at the least of its terms. So asking for one coefficient of a gradient costs only the
products that can contribute to it, and no theorem about the orders is assumed: they come out.

The coefficients may be rational matrices or matrices of polynomials: anything that is a
`theory.matrix.Matrix`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Generic

from flint import fmpq

from theory.matrix import M, add_all, hadamard, negated, row_sums, scale_rows


class Series(Generic[M]):
    """A series; `series[k]` is its coefficient of eta^k, None standing for an exact zero of any shape.

    `rule(k)` computes the coefficient for k >= `start`; below `start` it is zero.
    """

    __slots__ = ("_known", "_rule", "start")

    def __init__(self, start: int, rule: Callable[[int], M | None]) -> None:
        self.start = start
        self._rule = rule
        self._known: dict[int, M | None] = {}

    def __getitem__(self, order: int) -> M | None:
        if order < self.start:
            return None
        if order not in self._known:
            self._known[order] = self._rule(order) or None
        return self._known[order]


def constant(value: M) -> Series[M]:
    """The series `value` + 0 eta + ..."""
    return Series(0, lambda k: value if k == 0 else None)


def truncated(coefficients: Sequence[M | None]) -> Series[M]:
    """A series of which only these coefficients are known; asking for a later one raises LookupError."""
    known = tuple(coefficients)
    start = next((k for k, c in enumerate(known) if c), len(known))

    def rule(k: int) -> M | None:
        if k >= len(known):
            raise LookupError(
                f"the coefficient of eta^{k} is needed but the series was only kept to eta^{len(known) - 1}"
            )
        return known[k]

    return Series(start, rule)


def total(*terms: Series[M]) -> Series[M]:
    """The sum of series of one shape."""
    return Series(min(t.start for t in terms), lambda k: add_all(t[k] for t in terms))


def difference(a: Series[M], b: Series[M]) -> Series[M]:
    """a - b."""
    return total(a, image(b, negated))


def image(a: Series[M], linear: Callable[[M], M]) -> Series[M]:
    """A linear map applied to each coefficient."""

    def rule(k: int) -> M | None:
        value = a[k]
        return None if value is None else linear(value)

    return Series(a.start, rule)


def bilinear(operation: Callable[[M, M], M], a: Series[M], b: Series[M]) -> Series[M]:
    """The series of operation(a, b) for an operation linear in each: a Cauchy product."""

    def terms(k: int) -> Iterable[M | None]:
        for i in range(a.start, k - b.start + 1):
            left = a[i]
            # The second factor is not even asked for where the first one vanishes.
            right = None if left is None else b[k - i]
            yield None if left is None or right is None else operation(left, right)

    return Series(a.start + b.start, lambda k: add_all(terms(k)))


def product(a: Series[M], b: Series[M]) -> Series[M]:
    """The matrix product."""
    return bilinear(lambda x, y: x * y, a, b)


def hadamard_product(a: Series[M], b: Series[M]) -> Series[M]:
    """The product entry by entry."""
    return bilinear(hadamard, a, b)


def transposed(a: Series[M]) -> Series[M]:
    """Each coefficient transposed."""
    return image(a, lambda m: m.transpose())


def exponential(scores: Series[M], uniform: M) -> Series[M]:
    """uniform * exp(scores), entry by entry, for scores that start at order 1 or later.

    From E' = scores' E: k E_k = sum_j j scores_j E_(k-j), which needs only rational arithmetic because exp is
    never taken of a constant.

    Raises:
        ValueError: the scores do not vanish at eta = 0.
    """
    if scores.start < 1:
        raise ValueError("exp of a series over the rationals needs a series that vanishes at eta = 0")

    def rule(k: int) -> M | None:
        if k == 0:
            return uniform
        return _over(add_all(_times(j, hadamard, scores[j], E[k - j]) for j in range(scores.start, k + 1)), k)

    E = Series(0, rule)
    return E


def softmax_rows(scores: Series[M], uniform: M) -> Series[M]:
    """Softmax of each row of `scores`, a series that starts at order 1 or later.

    `uniform` is the map at zero scores: 1/n on the n visible entries of a row and 0 elsewhere, so it is the
    mask as well. With E = uniform * exp(scores) the row sums of E are 1 + O(eta), and A rowsum(E) = E is
    solved order by order without a division.

    Raises:
        ValueError: the scores do not vanish at eta = 0.
    """

    def rule(k: int) -> M | None:
        if k == 0:
            return uniform
        return add_all((E[k], *(_times(-1, scale_rows, sums[j], A[k - j]) for j in range(1, k + 1))))

    E = exponential(scores, uniform)
    sums = image(E, row_sums)
    A = Series(0, rule)
    return A


def logarithm(a: Series[M], ones: M) -> Series[M]:
    """log of each entry of a series whose constant term is `ones`: k l_k = k a_k - sum_(0<j<k) j l_j a_(k-j).

    Raises:
        ValueError: it has another constant term, whose logarithm would not be rational.
    """
    if a[0] is None or a[0] - ones:
        raise ValueError("log of a series over the rationals needs the constant term 1")

    def rule(k: int) -> M | None:
        tail = add_all(_times(-j, hadamard, result[j], a[k - j]) for j in range(1, k))
        return add_all((a[k], _over(tail, k)))

    result = Series(1, rule)
    return result


def _times(factor: int, operation: Callable[[M, M], M], a: M | None, b: M | None) -> M | None:
    """factor operation(a, b), zero when either is."""
    if a is None or b is None:
        return None
    value = operation(a, b)
    return value if factor == 1 else value * fmpq(factor)


def _over(a: M | None, n: int) -> M | None:
    return a if a is None or n == 1 else a * fmpq(1, n)
