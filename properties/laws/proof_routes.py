"""What proofs and their checks rest on, entry by entry: polynomials in the steps, two routes that agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice, pairwise

from flint import fmpq, fmpq_mat, fmpq_poly

from properties.cases import SHORT_DESCENTS, DescentCase
from properties.check import Check, Comparison, Outcome
from properties.target import Target
from theory.certificate_format import KINDS
from theory.corpus import check_corpus
from theory.identities import direction_matrices, step_degree
from theory.one_hot import constants
from theory.orders import GROUPS
from theory.plain_descent import PlainParameters, plain_descent
from theory.plain_statistics import plain_directions
from theory.series import SeriesParameters, Update, descend_by, trajectory

ORDER = 5
"""The last order in eta that certificates speak of."""

STARTED_STEPS, STARTED_ORDER = 2, 4
"""Of the descent that starts away from zero."""

FURTHER_STEPS = 2
"""Steps beyond those that determine the polynomials, where what they say is held to the descent."""


def _polynomial_in_the_steps(target: Target, case: DescentCase) -> Outcome:
    """Differences of order d + 1 vanish, at every entry: d + 1 values are then a polynomial's of degree d."""
    steps = step_degree(ORDER) + FURTHER_STEPS
    history = trajectory(case.tokens.tolist(), case.vocab_size, case.layers, steps, ORDER)
    yield from _no_difference(
        (place, max(map(abs, (along[0], *_differences(along, step_degree(order))))), 0)
        for order in range(ORDER + 1)
        for place, along in _along(history, order)
    )


def _along(history: Sequence[SeriesParameters], order: int) -> Iterator[tuple[str, list[fmpq]]]:
    """Yield each entry of the coefficients of one order, after 0, 1, 2, ... steps."""
    for group in GROUPS:
        for layer in range(len(history[0].group(group))):
            matrices = [at.group(group)[layer][order] for at in history]
            columns = matrices[0].ncols()
            for n, along in enumerate(zip(*(m.entries() for m in matrices), strict=True)):
                yield f"{group}, layer {layer}, order {order}, entry {list(divmod(n, columns))}", list(along)


def _differences(values: Sequence[fmpq], degree: int) -> list[fmpq]:
    """Return the forward differences of order `degree` + 1, all that the values have."""
    found = list(values)
    for _ in range(degree + 1):
        found = [b - a for a, b in pairwise(found)]
    return found


def _second_route(target: Target, case: DescentCase) -> Outcome:
    """The scalar descent and directions of the checker, against the series and the statistics."""
    rows, V, L, N = case.tokens.tolist(), case.vocab_size, case.layers, len(case.tokens)
    T, weights = len(rows[0]) - 1, [fmpq(1, N)] * N
    yield from _the_same_descent(
        trajectory(rows, V, L, ORDER, ORDER), plain_descent(rows, weights, V, L, ORDER, ORDER)
    )
    # From zero, attention moves so late that half of the backward pass shows at no order that is looked at.
    start = _start(V, T, L)
    yield from _the_same_descent(
        descend_by(rows, V, L, [Update()] * STARTED_STEPS, STARTED_ORDER, start=start),
        plain_descent(rows, weights, V, L, STARTED_STEPS, STARTED_ORDER, _in_scalars(start)),
    )
    corpus = constants(check_corpus(rows, V))
    yield from _no_difference(
        (f"{kind}, {group}, direction {j}, entry {n}", got, right)
        for kind in KINDS
        for group, matrices in direction_matrices(kind, corpus).items()
        for j, (matrix, entries) in enumerate(
            zip(matrices, plain_directions(kind, rows, weights, V)[group], strict=True)
        )
        for n, (got, right) in enumerate(zip(matrix.entries(), entries, strict=True))
    )


def _the_same_descent(series: Sequence[SeriesParameters], plain: Sequence[PlainParameters]) -> Outcome:
    last = len(series[0].W_O) - 1
    scalars = [_entries(at) for at in plain]
    yield from _no_difference(
        (f"{place}, after {s} steps", along[0], p[order])
        for order in range(last + 1)
        for s, at in enumerate(series)
        for (place, along), p in zip(_along([at], order), scalars[s], strict=True)
    )


def _entries(at: PlainParameters) -> list[fmpq_poly]:
    """Return every entry, in the order of `_along`."""
    squares = [at.W_O, *at.V, *at.W]
    return [x for square in squares for row in square for x in row] + [x for layer in at.P for x in layer]


def _start(V: int, T: int, L: int) -> SeriesParameters:
    """Return parameters of size eta, each entry its own small rational: whatever is mistaken for it shows."""
    numbers = count(1)

    def matrix(rows: int, columns: int) -> fmpq_mat:
        values = [fmpq(n * n % 23 - 11, 4) for n in islice(numbers, rows * columns)]
        return fmpq_mat(rows, columns, values)

    def series(rows: int, columns: int) -> list[fmpq_mat]:
        zero = fmpq_mat(rows, columns)
        return [zero, matrix(rows, columns), *[zero] * (STARTED_ORDER - 1)]

    each = range(L)
    return SeriesParameters(
        series(V, V),
        [series(V, V) for _ in each],
        [series(V, V) for _ in each],
        [[c.entries() for c in series(T, 1)] for _ in each],
    )


def _in_scalars(start: SeriesParameters) -> PlainParameters:
    """Return the same parameters entry by entry."""

    def table(coefficients: Sequence[fmpq_mat]) -> list[list[fmpq_poly]]:
        rows, columns = coefficients[0].nrows(), coefficients[0].ncols()
        return [[fmpq_poly([c[i, j] for c in coefficients]) for j in range(columns)] for i in range(rows)]

    return PlainParameters(
        table(start.W_O),
        [table(layer) for layer in start.V],
        [table(layer) for layer in start.W],
        [[row[0] for row in table(layer)] for layer in start.group("P")],
    )


def _no_difference(triples: Iterator[tuple[str, fmpq, fmpq | int]]) -> Outcome:
    """Compare exactly, and name the first place that differs, with both values as fractions."""
    compared = 0
    for place, got, right in triples:
        if got != right:
            yield Comparison(f"{place}: found {got}, right {right}", 1.0, 0.0, 0.0)
            return
        compared += 1
    yield Comparison(f"{compared} entries compared", 0.0 if compared else 1.0, 0.0, 0.0)


CHECKS = (
    Check(
        id="proof.step_degree",
        statement="The coefficient of eta^k is a polynomial in s of degree k at most that is zero at s = 0.",
        source="derived here",
        cases=SHORT_DESCENTS,
        law=_polynomial_in_the_steps,
        evidence="exact",
        cost=4,
    ),
    Check(
        id="proof.second_route",
        statement="The scalar descent and statistics that check certificates agree with what makes them.",
        source="derived here",
        cases=SHORT_DESCENTS,
        law=_second_route,
        evidence="exact",
        cost=6,
    ),
)
