"""A third descent: arbitrary-precision numbers at a given rate, gradients by the complex step, orders by
extrapolation.

It knows nothing of series or statistics. The derivative of an analytic loss along a parameter is Im loss(x +
ih) / h up to h^2, so with h = 10^-60 and 150 digits it is right to more than 100 digits; the model is run
once a parameter.
"""

from __future__ import annotations

from typing import Any

import mpmath

Key = tuple[str, int, int, int]
DIGITS = 150
STEP = mpmath.mpf(10) ** -60


def parameter_keys(V: int, T: int, L: int) -> list[Key]:
    """Return (group, layer, row, column) of every parameter; P has its distance for a row."""
    square = [(i, j) for i in range(V) for j in range(V)]
    keys: list[Key] = [("W_O", 0, i, j) for i, j in square]
    for layer in range(L):
        keys += [(name, layer, i, j) for name in ("V", "W") for i, j in square]
        keys += [("P", layer, d, 0) for d in range(T)]
    return keys


def forward(row: list[int], V: int, L: int, at: dict[Key, Any]) -> tuple[list[Any], list[list[Any]]]:
    """Return the attention maps [L][T][T] and the logits [T][V] of one sequence (Def. 3.1)."""
    T = len(row) - 1
    maps = []
    h = [[mpmath.mpf(int(row[t] == j)) for j in range(V)] for t in range(T)]
    for layer in range(L):
        A = []
        for t in range(T):
            query = [sum(h[t][i] * at["W", layer, i, j] for i in range(V)) for j in range(V)]
            scores = [sum(q * x for q, x in zip(query, h[k], strict=True)) for k in range(t + 1)]
            weights = [mpmath.exp(z + at["P", layer, t - k, 0]) for k, z in enumerate(scores)]
            whole = sum(weights)
            A.append([weight / whole for weight in weights] + [mpmath.mpf(0)] * (T - t - 1))
        read = [[sum(A[t][k] * h[k][i] for k in range(t + 1)) for i in range(V)] for t in range(T)]
        h = [
            [h[t][j] + sum(read[t][i] * at["V", layer, i, j] for i in range(V)) for j in range(V)]
            for t in range(T)
        ]
        maps.append(A)
    return maps, [[sum(h[t][i] * at["W_O", 0, i, j] for i in range(V)) for j in range(V)] for t in range(T)]


def loss(tokens: list[list[int]], V: int, L: int, at: dict[Key, Any]) -> Any:
    """Return the mean cross-entropy in nats a token (Def. 3.1), at any precision, real or complex."""
    total = mpmath.mpf(0)
    for row in tokens:
        for logits, target in zip(forward(row, V, L, at)[1], row[1:], strict=True):
            total += mpmath.log(sum(mpmath.exp(f) for f in logits)) - logits[target]
    return total / (len(tokens) * (len(tokens[0]) - 1))


def slopes(tokens: list[list[int]], V: int, L: int, at: dict[Key, Any]) -> dict[Key, Any]:
    """Return dLoss/dparameter of every parameter in `at`, by the complex step."""
    found = {}
    for key, value in at.items():
        moved = {**at, key: mpmath.mpc(value, STEP)}
        found[key] = loss(tokens, V, L, moved).imag / STEP
    return found


def numeric_descent(tokens: list[list[int]], V: int, L: int, steps: int, rate: Any) -> dict[Key, Any]:
    """All parameters after `steps` full-batch steps from zero, at `DIGITS` digits."""
    with mpmath.workdps(DIGITS):
        at = dict.fromkeys(parameter_keys(V, len(tokens[0]) - 1, L), mpmath.mpf(0))
        for _ in range(steps):
            slope = slopes(tokens, V, L, at)
            at = {key: value - rate * slope[key] for key, value in at.items()}
        return at


def extrapolated(values: list[Any], rates: list[Any]) -> Any:
    """The value at rate 0 of the polynomial through (rate, value): Neville's scheme (Richardson
    extrapolation).
    """
    with mpmath.workdps(DIGITS):
        table = list(values)
        for gap in range(1, len(table)):
            table = [
                (rates[i] * table[i + 1] - rates[i + gap] * table[i]) / (rates[i] - rates[i + gap])
                for i in range(len(table) - 1)
            ]
        return table[0]
