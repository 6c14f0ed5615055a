"""A second descent to hold the series engine against: scalars only, and gradients by dual numbers.

Nothing here knows the backward pass, a matrix product or an order in eta. A scalar is a value and its
derivative in one direction, each a truncated power series; the loss is differentiated one parameter entry at
a time, the way one would check a gradient by finite differences, only exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

from flint import ctx, fmpq, fmpq_series


@dataclass(frozen=True)
class Dual:
    value: fmpq_series
    slope: fmpq_series

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: Dual) -> Dual:
        return Dual(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other: Dual) -> Dual:
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __truediv__(self, other: Dual) -> Dual:
        inverse = other.value.inv()
        return Dual(self.value * inverse, (self.slope - self.value * inverse * other.slope) * inverse)

    def exp(self) -> Dual:
        e = self.value.exp()
        return Dual(e, e * self.slope)


Key = tuple[str, int, int, int]


def sum_of(terms: list[Dual]) -> Dual:
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def loss_slope(
    row: list[int], V: int, L: int, at: dict[Key, Dual], one: Dual, zero: Dual
) -> tuple[fmpq_series, fmpq_series]:
    """The loss of one sequence, summed over positions, less T log V; and its slope."""
    T = len(row) - 1
    h = [[one if row[t] == j else zero for j in range(V)] for t in range(T)]
    for layer in range(L):
        new = []
        for t in range(T):
            weights = []
            for k in range(t + 1):
                score = at["P", layer, t - k, 0]
                for i in range(V):
                    for j in range(V):
                        score = score + h[t][i] * at["W", layer, i, j] * h[k][j]
                weights.append(score.exp())
            whole = sum_of(weights)
            read = [sum_of([weights[k] / whole * h[k][i] for k in range(t + 1)]) for i in range(V)]
            new.append(
                [h[t][j] + sum_of([read[i] * at["V", layer, i, j] for i in range(V)]) for j in range(V)]
            )
        h = new
    loss, slope = zero.value, zero.value
    for t in range(T):
        logits = [sum_of([h[t][i] * at["W_O", 0, i, j] for i in range(V)]) for j in range(V)]
        mean = sum_of([f.exp() for f in logits]).value / V
        whole = sum_of([f.exp() for f in logits])
        own = logits[row[t + 1]]
        loss += mean.log() - own.value
        slope += whole.slope / whole.value - own.slope
    return loss, slope


def keys(V: int, T: int, L: int) -> list[Key]:
    square = [(i, j) for i in range(V) for j in range(V)]
    result: list[Key] = [("W_O", 0, i, j) for i, j in square]
    for layer in range(L):
        result += [("V", layer, i, j) for i, j in square] + [("W", layer, i, j) for i, j in square]
        result += [("P", layer, d, 0) for d in range(T)]
    return result


def naive_descent(
    tokens: list[list[int]],
    V: int,
    L: int,
    steps: int,
    order: int,
    start: dict[Key, fmpq] | None = None,
) -> tuple[dict[Key, list[fmpq]], list[fmpq]]:
    """Coefficients to eta^order of every entry, and of the loss less log V, after `steps` steps.

    `start` gives the coefficient of eta in each entry before the first step; None is zero.
    """
    T, N = len(tokens[0]) - 1, len(tokens)
    before = ctx.cap
    ctx.cap = order + 1
    try:
        zero = fmpq_series([0])
        one = fmpq_series([1])
        eta = fmpq_series([0, 1])
        at = {key: eta * fmpq_series([(start or {}).get(key, fmpq(0))]) for key in keys(V, T, L)}

        def total_slope(moving: Key | None) -> tuple[fmpq_series, fmpq_series]:
            duals = {key: Dual(value, one if key == moving else zero) for key, value in at.items()}
            parts = [loss_slope(row, V, L, duals, Dual(one, zero), Dual(zero, zero)) for row in tokens]
            scale = fmpq_series([fmpq(1, N * T)])
            return sum((p[0] for p in parts), zero) * scale, sum((p[1] for p in parts), zero) * scale

        for _ in range(steps):
            gradient = {key: total_slope(key)[1] for key in at}
            at = {key: value - eta * gradient[key] for key, value in at.items()}
        loss = total_slope(None)[0]
        return {key: [v[k] for k in range(order + 1)] for key, v in at.items()}, [
            loss[k] for k in range(order + 1)
        ]
    finally:
        ctx.cap = before
