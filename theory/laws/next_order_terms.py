"""The closed forms one order beyond the leading terms (`theory.next_order`) held against the series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import fmpq_mat

from theory.corpus import Rows
from theory.laws.leading_terms import coefficient, layers_of
from theory.next_order import ORDER, next_order
from theory.series import trajectory
from theory.verdict import Statement, Verdict, compare

Claim = Callable[[Rows, int, int, Sequence[Any] | None], dict[str, fmpq_mat]]
"""(tokens, vocab_size, steps, weights) to the claimed coefficient of each group at
`theory.next_order.ORDER`.
"""


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = next_order,
) -> Verdict:
    """Holds the claim against the series after 0..`steps` steps, in every layer.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    history = trajectory(tokens, vocab_size, layers, steps, ORDER, weights)
    statements = [
        Statement(group, layer, ORDER[group], term, s)
        for s in range(steps + 1)
        for group, term in claim(tokens, vocab_size, s, weights).items()
        for layer in layers_of(group, layers)
    ]
    return compare("next order", statements, lambda statement: coefficient(history, statement))
