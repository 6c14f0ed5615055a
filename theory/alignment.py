"""How far a weight is from its leading term after s steps, predicted from the next order. Derived here.

A weight is eta^k (a x + eta y + O(eta^2)) with x its leading direction, a > 0 the step coefficient and y =
sum_j b_j n_j the next-order term (`theory.next_order`). To first order its relative error is eta |y| / (a
|x|), and its cosine with x falls as 1 - cos = eta^2 (|x|^2 |y|^2 - <x, y>^2) / (2 a^2 |x|^4) + O(eta^3): an
error along x does not turn it. All of it needs only the inner products of x and the n_j, the `gram` of one
corpus.

Squares are returned where a root would be needed. The arithmetic is plain, so a Gram matrix of another number
type than rationals gives results of that type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from theory.next_order import step_amounts

Gram = Sequence[Sequence[Any]]
"""Inner products, the leading direction first, as in `theory.next_order.gram`."""


def relative_error_squared(group: str, gram: Gram, rate: Any, steps: int) -> Any:
    """The square of the predicted relative error of a group: |next|^2 eta^2 / |leading|^2.

    Raises:
        ValueError: the group has not moved or its leading statistic vanishes.
    """
    xx, _, yy = _norms(group, gram, steps)
    return rate * rate * yy / xx


def cosine_squared(group: str, gram: Gram, rate: Any, steps: int) -> Any:
    """The squared cosine between the weight cut after its next-order term and its leading direction, signed.

    Negative when the weight points away from the direction.

    Raises:
        ValueError: as `relative_error_squared` does.
    """
    xx, xy, yy = _norms(group, gram, steps)
    along = xx + rate * xy
    squared = along * along / (xx * (xx + 2 * rate * xy + rate * rate * yy))
    return squared if along > 0 else -squared


def cosine_loss(group: str, gram: Gram, steps: int) -> Any:
    """q in 1 - cos = q eta^2 + O(eta^3).

    Raises:
        ValueError: as `relative_error_squared` does.
    """
    xx, xy, yy = _norms(group, gram, steps)
    return (xx * yy - xy * xy) / (2 * xx * xx)


def last_step_aligned(group: str, gram: Gram, rate: Any, cosine_squared_at_least: Any, limit: int) -> int:
    """The last of the steps up to `limit` before the predicted squared cosine first falls below a value.

    0 when it never reaches it; `limit` when it holds throughout. The prediction ends with the next order, so
    it is worth something while the relative error is well below one.
    """
    first = next(s for s in range(1, limit + 2) if step_amounts(group, s)[0] != 0)
    for steps in range(first, limit + 1):
        if cosine_squared(group, gram, rate, steps) < cosine_squared_at_least:
            return steps - 1 if steps > first else 0
    return limit


def _norms(group: str, gram: Gram, steps: int) -> tuple[Any, Any, Any]:
    """|a x|^2, <a x, y>, |y|^2."""
    a, *b = step_amounts(group, steps)
    if a == 0 or gram[0][0] == 0:
        raise ValueError(f"{group} has no leading term after {steps} steps")
    xx = a * a * gram[0][0]
    xy = sum(a * b_j * gram[0][j] for j, b_j in enumerate(b, start=1))
    yy = sum(b_i * b_j * gram[i][j] for i, b_i in enumerate(b, 1) for j, b_j in enumerate(b, 1))
    return xx, xy, yy
