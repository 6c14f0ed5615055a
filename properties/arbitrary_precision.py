"""A third descent: arbitrary-precision numbers at a given rate, and derivatives of the loss alone.

It knows nothing of series or statistics, nor of how a gradient flows back: the model is run once a parameter.
With plain numbers the derivative of an analytic loss along a parameter is Im loss(x + ih) / h up to h^2, so
with h = 10^-60 and 150 digits it is right to more than 100 digits. With guaranteed balls it is the part of
loss(x + h) that is linear in h: nothing is left out, and the balls hold all rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from flint import arb, arb_series, ctx, fmpq

Key = tuple[str, int, int, int]
Function = Callable[[Any], Any]
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


def forward(
    row: list[int], V: int, L: int, at: dict[Key, Any], exp: Function = mpmath.exp
) -> tuple[list[Any], list[list[Any]]]:
    """Return the attention maps [L][T][T] and the logits [T][V] of one sequence (Def. 3.1).

    With another exponential the parameters may be numbers of another kind.
    """
    T = len(row) - 1
    maps = []
    h = [[int(row[t] == j) for j in range(V)] for t in range(T)]
    for layer in range(L):
        A = []
        for t in range(T):
            query = [sum(h[t][i] * at["W", layer, i, j] for i in range(V)) for j in range(V)]
            scores = [sum(q * x for q, x in zip(query, h[k], strict=True)) for k in range(t + 1)]
            weights = [exp(z + at["P", layer, t - k, 0]) for k, z in enumerate(scores)]
            whole = sum(weights)
            A.append([weight / whole for weight in weights] + [0] * (T - t - 1))
        read = [[sum(A[t][k] * h[k][i] for k in range(t + 1)) for i in range(V)] for t in range(T)]
        h = [
            [h[t][j] + sum(read[t][i] * at["V", layer, i, j] for i in range(V)) for j in range(V)]
            for t in range(T)
        ]
        maps.append(A)
    return maps, [[sum(h[t][i] * at["W_O", 0, i, j] for i in range(V)) for j in range(V)] for t in range(T)]


def loss(
    tokens: list[list[int]],
    V: int,
    L: int,
    at: dict[Key, Any],
    exp: Function = mpmath.exp,
    log: Function = mpmath.log,
) -> Any:
    """Return the mean cross-entropy in nats a token (Def. 3.1), at any precision, real or complex."""
    total = 0
    for row in tokens:
        for logits, target in zip(forward(row, V, L, at, exp)[1], row[1:], strict=True):
            total += log(sum(exp(f) for f in logits)) - logits[target]
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


def guaranteed_slopes(tokens: list[list[int]], V: int, L: int, at: dict[Key, Any]) -> dict[Key, Any]:
    """Return a ball around dLoss/dparameter of every parameter in `at`: the loss to first order in h."""
    found = {}
    for key, value in at.items():
        moved = {**at, key: arb_series([value, 1], 2)}
        found[key] = loss(tokens, V, L, moved, lambda x: x.exp(), lambda x: x.log())[1]
    return found


def guaranteed_descent(tokens: list[list[int]], V: int, L: int, steps: int, rate: fmpq) -> dict[Key, Any]:
    """Balls around all parameters after `steps` full-batch steps from zero, at `DIGITS` digits."""
    with ctx.workdps(DIGITS):
        at = dict.fromkeys(parameter_keys(V, len(tokens[0]) - 1, L), arb(0))
        for _ in range(steps):
            slope = guaranteed_slopes(tokens, V, L, at)
            at = {key: value - rate * slope[key] for key, value in at.items()}
        return at
