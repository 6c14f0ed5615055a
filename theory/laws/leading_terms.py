"""Theorem 4.1 as an identity: below its leading order every parameter vanishes, and there it is a statistic
times a step coefficient, in every layer and after every number of steps.

Derivation, with U = Y - 1/V and A0 uniform attention. Before step r at leading order W_O = r eta B_bar, so

    what flows back is G = R W_O^T = r eta U B_bar^T, the same for all layers;
    V gains eta E[X^T A0^T G] = r eta^2 Phi_bar^T B_bar^T;
    scores have the gradient J0[G V^T X^T] = r C(r,2) eta^3 J0[U B_bar^T B_bar Phi_bar X^T],

J0 the softmax Jacobian at uniform attention: that is r C(r,2) eta^3 Q_i, summed over tokens Q_bar, over
distances Delta_bar. The sums over r < s are the step coefficients. `theory.certificates` proves the same for
all corpora of a size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import Rows
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, trajectory
from theory.statistics import exact_statistics, leading_directions
from theory.step_coefficients import step_coefficients
from theory.verdict import Statement, Verdict, compare

Claim = Callable[[dict[str, fmpq_mat], str, int], fmpq_mat]
"""(statistics, group, steps) to the claimed coefficient at the leading order: [V, V], or [T, 1] for P."""


def leading_term(statistics: dict[str, fmpq_mat], group: str, steps: int) -> fmpq_mat:
    """The coefficient of eta, eta^2, eta^4, eta^4 in W_O, V, W, P after `steps` steps (Theorem 4.1).

    [V, V], of P [T, 1].
    """
    return leading_directions(statistics)[group] * fmpq(step_coefficients(steps)[group])


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = leading_term,
) -> Verdict:
    """Holds the claim against the series after 0..`steps` steps, in every layer, lower orders included.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    statistics = exact_statistics(tokens, vocab_size, weights)
    history = trajectory(tokens, vocab_size, layers, steps, leading_orders(layers), weights)
    return compare(
        "leading terms", _statements(statistics, layers, steps, claim), lambda s: coefficient(history, s)
    )


def coefficient(history: Sequence[SeriesParameters], statement: Statement[fmpq_mat]) -> fmpq_mat:
    """The coefficient that a statement about a parameter speaks of: [V, V], of P [T, 1]."""
    return history[statement.step].group(statement.quantity)[statement.layer or 0][statement.order]


def layers_of(group: str, layers: int) -> list[int | None]:
    """The layers to speak of: 0..L-1, or only None for W_O, which has none."""
    return [None] if group == "W_O" else list(range(layers))


def _statements(
    statistics: dict[str, fmpq_mat], layers: int, steps: int, claim: Claim
) -> Iterator[Statement[fmpq_mat]]:
    orders = leading_orders(layers)
    for group in GROUPS:
        for s in range(steps + 1):
            term = claim(statistics, group, s)
            for layer in layers_of(group, layers):
                for order in range(orders[group]):
                    yield Statement(group, layer, order, None, s)
                yield Statement(group, layer, orders[group], term, s)
