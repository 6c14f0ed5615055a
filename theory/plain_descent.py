"""The descent once more, written out in scalars, to check the series engine and its certificates against.

It shares no code with `theory.model_series` or `theory.power_series` and takes other routes: a scalar is a
polynomial in eta cut after eta^K; exp and 1/x are their Taylor sums; everything is evaluated eagerly,
position by position; the backward pass goes through what each position read, r[t] = sum_k A[t, k] h[k], so
that

    dV = sum_t r[t] g[t]^T,    dscore[t, k] = A[t, k] m[t] . (h[k] - r[t])    with m[t] = V g[t],

instead of through the matrices of Lemma D.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly

Vector = list[fmpq_poly]
Table = list[Vector]

_ZERO = fmpq_poly([])
_ONE = fmpq_poly([1])


@dataclass(frozen=True)
class PlainParameters:
    """W_O [V][V]; V and W [L][V][V]; P [L][T]: every entry a polynomial in eta."""

    W_O: Table
    V: list[Table]
    W: list[Table]
    P: list[Vector]


def plain_descent(
    rows: Sequence[Sequence[int]],
    weights: Sequence[fmpq],
    vocab_size: int,
    layers: int,
    steps: int,
    order: int,
    start: PlainParameters | None = None,
) -> list[PlainParameters]:
    """The parameters to eta^`order` after 0..`steps` full-batch steps; input taken as checked.

    `rows` [N][T+1] of ids below `vocab_size`, `weights` [N] the share of each row. `start` are parameters
    that vanish at eta = 0; None is zero.
    """
    T = len(rows[0]) - 1
    at = _zeros(vocab_size, T, layers) if start is None else start
    history = [at]
    for _ in range(steps):
        push = _zeros(vocab_size, T, layers)
        for row, weight in zip(rows, weights, strict=True):
            _add_direction(push, at, row, weight / T, order + 1)
        at = _moved(at, push, order + 1)
        history.append(at)
    return history


def _zeros(V: int, T: int, L: int) -> PlainParameters:
    def table() -> Table:
        return [[_ZERO] * V for _ in range(V)]

    return PlainParameters(
        table(), [table() for _ in range(L)], [table() for _ in range(L)], [[_ZERO] * T for _ in range(L)]
    )


def _moved(at: PlainParameters, push: PlainParameters, n: int) -> PlainParameters:
    """at + eta push."""

    def vector(old: Vector, gain: Vector) -> Vector:
        return [a + g.left_shift(1).truncate(n) if g else a for a, g in zip(old, gain, strict=True)]

    def table(old: Table, gain: Table) -> Table:
        return [vector(a, g) for a, g in zip(old, gain, strict=True)]

    return PlainParameters(
        table(at.W_O, push.W_O),
        [table(a, g) for a, g in zip(at.V, push.V, strict=True)],
        [table(a, g) for a, g in zip(at.W, push.W, strict=True)],
        [vector(a, g) for a, g in zip(at.P, push.P, strict=True)],
    )


def _add_direction(
    push: PlainParameters, at: PlainParameters, row: Sequence[int], share: fmpq, n: int
) -> None:
    """Adds share times minus the gradient of one sequence's summed loss to `push`."""
    V, T, L = len(at.W_O), len(row) - 1, len(at.V)
    h = [[_ONE if row[t] == j else _ZERO for j in range(V)] for t in range(T)]
    kept: list[tuple[Table, Table, Table]] = []
    for layer in range(L):
        A = _attention(h, at.W[layer], at.P[layer], n)
        read = [_combine(A[t], h, n) for t in range(T)]
        kept.append((h, A, read))
        h = [
            [x + y for x, y in zip(h[t], _row_times(read[t], at.V[layer], n), strict=True)] for t in range(T)
        ]
    g: Table = []
    for t in range(T):
        p = _softmax(_row_times(h[t], at.W_O, n), n)
        R = [(_ONE if row[t + 1] == j else _ZERO) - p[j] for j in range(V)]
        _add_outer(push.W_O, h[t], [r * share for r in R], n)
        g.append(_times_column(at.W_O, R, n))
    for layer in reversed(range(L)):
        h, A, read = kept[layer]
        m = [_times_column(at.V[layer], g[t], n) for t in range(T)]
        for t in range(T):
            _add_outer(push.V[layer], read[t], [x * share for x in g[t]], n)
        slopes = _score_slopes(A, h, read, m, n)
        _add_score_gradients(push.W[layer], push.P[layer], slopes, h, share, n)
        g = _upstream(g, A, m, slopes, h, at.W[layer], n)


def _attention(h: Table, W: Table, P: Vector, n: int) -> Table:
    """Row t holds the t + 1 weights of the visible keys."""
    queries = [_row_times(x, W, n) for x in h]
    return [_softmax([_dot(queries[t], h[k], n) + P[t - k] for k in range(t + 1)], n) for t in range(len(h))]


def _score_slopes(A: Table, h: Table, read: Table, m: Table, n: int) -> Table:
    slopes: Table = []
    for t, weights in enumerate(A):
        own = _dot(m[t], read[t], n)
        slopes.append([a.mul_low(_dot(m[t], h[k], n) - own, n) for k, a in enumerate(weights)])
    return slopes


def _add_score_gradients(W: Table, P: Vector, slopes: Table, h: Table, share: fmpq, n: int) -> None:
    for t, row in enumerate(slopes):
        for k, slope in enumerate(row):
            if slope:
                P[t - k] = P[t - k] + slope * share
                _add_outer(W, [x.mul_low(slope * share, n) for x in h[t]], h[k], n)


def _upstream(g: Table, A: Table, m: Table, slopes: Table, h: Table, W: Table, n: int) -> Table:
    """The gradient one layer down: the residual path, what was read, and the score's query and key sides."""
    T, V = len(h), len(W)
    below = [list(row) for row in g]
    for t in range(T):
        for k in range(t + 1):
            key_side = _row_times(h[t], W, n)
            query_side = _times_column(W, h[k], n)
            for i in range(V):
                below[k][i] = below[k][i] + A[t][k].mul_low(m[t][i], n) + slopes[t][k].mul_low(key_side[i], n)
                below[t][i] = below[t][i] + slopes[t][k].mul_low(query_side[i], n)
    return below


def _softmax(scores: Vector, n: int) -> Vector:
    weights = [_exp(z, n) for z in scores]
    whole = sum(weights[1:], weights[0])
    inverse = _inverse(whole, n)
    return [w.mul_low(inverse, n) for w in weights]


def _exp(z: fmpq_poly, n: int) -> fmpq_poly:
    """sum_j z^j / j!, a finite sum because z has no constant term and powers of eta from n on are dropped."""
    total, power, j = _ONE, _ONE, 0
    while power := power.mul_low(z, n):
        j += 1
        power = power / j
        total = total + power
    return total


def _inverse(x: fmpq_poly, n: int) -> fmpq_poly:
    """1 / x as (1/c) sum_j (1 - x/c)^j with c the constant term."""
    c = x[0]
    rest = _ONE - x / c
    total, power = _ONE, _ONE
    while power := power.mul_low(rest, n):
        total = total + power
    return total / c


def _dot(x: Vector, y: Vector, n: int) -> fmpq_poly:
    return _sum(a.mul_low(b, n) for a, b in zip(x, y, strict=True) if a and b)


def _sum(terms: Iterable[fmpq_poly]) -> fmpq_poly:
    total = _ZERO
    for term in terms:
        total = total + term
    return total


def _combine(weights: Vector, vectors: Table, n: int) -> Vector:
    """sum_k weights[k] vectors[k]."""
    return [_dot(weights, [v[i] for v in vectors[: len(weights)]], n) for i in range(len(vectors[0]))]


def _row_times(x: Vector, table: Table, n: int) -> Vector:
    """x^T table."""
    return _combine(x, table, n)


def _times_column(table: Table, x: Vector, n: int) -> Vector:
    """table x."""
    return [_dot(row, x, n) for row in table]


def _add_outer(table: Table, x: Vector, y: Vector, n: int) -> None:
    for i, a in enumerate(x):
        if a:
            table[i] = [old + a.mul_low(b, n) if b else old for old, b in zip(table[i], y, strict=True)]
