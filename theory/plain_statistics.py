"""The matrices that identities are written in, once more, position by position and entry by entry.

To check certificates with: nothing here is shared with `theory.statistics` or `theory.next_order`. At
position t of a sequence, x is the token, u = one-hot of the next token less 1/V, and a = the average of the
one-hot tokens up to and with t. With E for the average over all positions of the corpus,

    B = E[x u^T],  Phi = E[u a^T],  Sigma = B^T B,  K = E[a x^T],  D = E[x x^T],

and a matrix M of messages (one row m for each position) gives evidence: with pull[k] = m . x_k for the keys
k <= t, slope[k] = (pull[k] - mean pull) / (t + 1), by tokens E[sum_k slope[k] x x_k^T] and by distance
E[sum_k slope[k] at t - k].

Source: eq. 9, 11, 14-17 and 82, written out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq

Vector = list[fmpq]
Table = list[Vector]


@dataclass(frozen=True)
class _Position:
    """One position t of one sequence, with its share of the average."""

    tokens: Sequence[int]
    t: int
    share: fmpq
    u: Vector
    a: Vector

    @property
    def x(self) -> int:
        return self.tokens[self.t]


def plain_directions(
    kind: str, rows: Sequence[Sequence[int]], weights: Sequence[fmpq], vocab_size: int
) -> dict[str, list[Vector]]:
    """For each group the entries, row by row, of the matrices that `certificate_format.DIRECTIONS` names.

    `rows` [N][T+1] of ids below `vocab_size`, `weights` [N] the share of each row; input taken as checked.
    """
    V, T = vocab_size, len(rows[0]) - 1
    positions = [p for row, w in zip(rows, weights, strict=True) for p in _positions(row, w / T, V)]
    B, Phi, K = _zeros(V), _zeros(V), _zeros(V)
    frequency = [fmpq(0)] * V
    for p in positions:
        frequency[p.x] += p.share
        for i in range(V):
            B[p.x][i] += p.share * p.u[i]
            K[i][p.x] += p.share * p.a[i]
            for j in range(V):
                Phi[i][j] += p.share * p.u[i] * p.a[j]
    Sigma = _product(_transposed(B), B)
    from_u = _evidence(positions, V, T)
    if kind == "leading":
        Q, Delta = from_u(_product(Sigma, Phi), False)
        return {
            "W_O": [_flat(B)],
            "V": [_flat(_product(_transposed(Phi), _transposed(B)))],
            "W": [_flat(Q)],
            "P": [Delta],
        }
    D = [[frequency[i] if i == j else fmpq(0) for j in range(V)] for i in range(V)]
    B_T, Phi_T, K_T = map(_transposed, (B, Phi, K))
    pulls = [
        from_u(_product(B_T, D, B, Phi), False),
        from_u(_product(Sigma, B_T, K_T), False),
        from_u(_product(B, Sigma, Phi), True),
    ]
    less = fmpq(-1, V)
    return {
        "W_O": [_scaled(_flat(_product(D, B)), less)],
        "V": [_scaled(_flat(m), less) for m in (_product(Phi_T, B_T, D), _product(K, B, B_T))],
        "W": [_scaled(_flat(by_tokens), less) for by_tokens, _ in pulls],
        "P": [_scaled(by_distance, less) for _, by_distance in pulls],
    }


def _positions(row: Sequence[int], share: fmpq, V: int) -> Iterator[_Position]:
    for t in range(len(row) - 1):
        seen = row[: t + 1]
        yield _Position(
            seen,
            t,
            share,
            [fmpq(int(row[t + 1] == j)) - fmpq(1, V) for j in range(V)],
            [fmpq(sum(token == j for token in seen), t + 1) for j in range(V)],
        )


def _evidence(
    positions: Sequence[_Position], V: int, T: int
) -> Callable[[Table, bool], tuple[Table, Vector]]:
    """The evidence of messages u^T G, or x^T G where `current`, by tokens [V][V] and by distance [T]."""

    def evidence(G: Table, current: bool) -> tuple[Table, Vector]:
        by_tokens, by_distance = _zeros(V), [fmpq(0)] * T
        for p in positions:
            message = G[p.x] if current else _product([p.u], G)[0]
            pull = [message[token] for token in p.tokens]
            mean = sum(pull, fmpq(0)) / (p.t + 1)
            for k, token in enumerate(p.tokens):
                slope = p.share * (pull[k] - mean) / (p.t + 1)
                by_tokens[p.x][token] += slope
                by_distance[p.t - k] += slope
        return by_tokens, by_distance

    return evidence


def _zeros(V: int) -> Table:
    return [[fmpq(0)] * V for _ in range(V)]


def _transposed(a: Table) -> Table:
    return [list(column) for column in zip(*a, strict=True)]


def _product(first: Table, *rest: Table) -> Table:
    result = first
    for factor in rest:
        columns = _transposed(factor)
        result = [
            [sum((x * y for x, y in zip(row, column, strict=True)), fmpq(0)) for column in columns]
            for row in result
        ]
    return result


def _flat(a: Table) -> Vector:
    return [x for row in a for x in row]


def _scaled(values: Vector, factor: fmpq) -> Vector:
    return [x * factor for x in values]
