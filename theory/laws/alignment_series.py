"""The relative error and the cosine of a weight as power series in eta: what they begin with. Derived here.

Write a weight as eta^k theta(eta) with theta = a x + eta y + ..., x its leading direction. Then

    |theta - a x|^2 / |a x|^2     = eta^2 |y|^2 / |a x|^2 + O(eta^3)
    1 - <theta, x>^2 / |theta|^2 |x|^2 = eta^2 (|x|^2 |y|^2 - <x, y>^2) / (a^2 |x|^4) + O(eta^3)

are series with rational coefficients: nothing at eta^0 and eta^1, so that the relative error, the root of the
first, halves when eta does; and at eta^2 the predictions of `theory.alignment`, the second being 2 (1 - cos)
up to order 3. Where the coefficient at eta^2 is not zero, the root of the first misses the prediction by
O(eta^2), one order less than it predicts. And the predicted cosine at a rate is that of the first two
coefficients of the series alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from flint import fmpq, fmpq_mat

from theory import alignment
from theory.corpus import Rows
from theory.laws.leading_terms import layers_of
from theory.next_order import gram, inner
from theory.orders import GROUPS, leading_orders
from theory.series import trajectory
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients
from theory.verdict import Statement, Verdict, compare

ERROR, TURN, COSINE = "relative error squared of", "1 - cos^2 of", "cos^2 of the two terms of"
RATE = fmpq(1, 8)
"""At which the cosine of two terms is compared: large, so that the second one matters."""
BEYOND = 2
"""How many orders past the leading one the weights are kept."""


class Predictions(Protocol):
    """What is claimed: `theory.alignment`, or something of the same names that is wrong."""

    def relative_error_squared(self, group: str, gram: alignment.Gram, rate: fmpq, steps: int) -> fmpq: ...  # noqa: D102
    def cosine_squared(self, group: str, gram: alignment.Gram, rate: fmpq, steps: int) -> fmpq: ...  # noqa: D102
    def cosine_loss(self, group: str, gram: alignment.Gram, steps: int) -> fmpq: ...  # noqa: D102


def error_series(theta: Sequence[fmpq_mat], leading: fmpq_mat) -> list[fmpq]:
    """Coefficients of |theta - leading|^2 / |leading|^2, as many as there are of theta; of one shape."""
    rest = [theta[0] - leading, *theta[1:]]
    return [c / inner(leading, leading) for c in _products(rest, rest)]


def turn_series(theta: Sequence[fmpq_mat], x: fmpq_mat) -> list[fmpq]:
    """Coefficients of 1 - <theta, x>^2 / (|theta|^2 |x|^2), as many as of theta; x has the same shape."""
    along = [inner(c, x) for c in theta]
    squared = [sum((along[i] * along[n - i] for i in range(n + 1)), fmpq(0)) for n in range(len(along))]
    size = [c * inner(x, x) for c in _products(theta, theta)]
    return _quotient([a - b for a, b in zip(size, squared, strict=True)], size)


def check(
    tokens: Rows, vocab_size: int, layers: int, steps: int, *, claim: Predictions = alignment
) -> Verdict:
    """Holds the predictions to the series of every weight that has a leading term, after 1..`steps` steps.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    orders = leading_orders(layers)
    history = trajectory(tokens, vocab_size, layers, steps, {g: k + BEYOND for g, k in orders.items()})
    directions = leading_directions(exact_statistics(tokens, vocab_size))
    grams = gram(tokens, vocab_size)
    found: dict[tuple[str, int | None, int], list[fmpq]] = {}
    statements: list[Statement[fmpq_mat]] = []
    for s in range(1, steps + 1):
        for group in GROUPS:
            a = step_coefficients(s)[group]
            if not (a and directions[group]):
                continue
            predicted = {
                ERROR: claim.relative_error_squared(group, grams[group], fmpq(1), s),
                TURN: 2 * claim.cosine_loss(group, grams[group], s),
            }
            for layer in layers_of(group, layers):
                theta = history[s].group(group)[layer or 0][orders[group] :]
                series = {
                    ERROR: error_series(theta, directions[group] * fmpq(a)),
                    TURN: turn_series(theta, directions[group]),
                }
                name, two = f"{COSINE} {group}", theta[0] + theta[1] * RATE
                found[name, layer, s] = [fmpq(0)] * orders[group] + [_cosine_squared(two, directions[group])]
                cosine = claim.cosine_squared(group, grams[group], RATE, s)
                statements.append(Statement(name, layer, orders[group], _scalar(cosine), s))
                for what, value in predicted.items():
                    found[f"{what} {group}", layer, s] = series[what]
                    statements += _statements(f"{what} {group}", layer, s, value)
    return compare(
        "alignment", statements, lambda one: _scalar(found[one.quantity, one.layer, one.step][one.order])
    )


def _statements(what: str, layer: int | None, s: int, value: fmpq) -> Iterator[Statement[fmpq_mat]]:
    for order in range(BEYOND):
        yield Statement(what, layer, order, None, s)
    yield Statement(what, layer, BEYOND, _scalar(value), s)


def _cosine_squared(a: fmpq_mat, b: fmpq_mat) -> fmpq:
    """cos |cos|: the square, with the sign of the cosine."""
    along = inner(a, b)
    return along * abs(along) / (inner(a, a) * inner(b, b))


def _products(a: Sequence[fmpq_mat], b: Sequence[fmpq_mat]) -> list[fmpq]:
    return [sum((inner(a[i], b[n - i]) for i in range(n + 1)), fmpq(0)) for n in range(len(a))]


def _quotient(above: Sequence[fmpq], below: Sequence[fmpq]) -> list[fmpq]:
    """Of two power series, the second of which does not vanish at 0."""
    result: list[fmpq] = []
    for n, c in enumerate(above):
        result.append((c - sum((q * below[n - i] for i, q in enumerate(result)), fmpq(0))) / below[0])
    return result


def _scalar(value: fmpq) -> fmpq_mat:
    return fmpq_mat(1, 1, [value])
