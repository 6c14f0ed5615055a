"""How far attention has moved from uniform: nothing before order 4, then the evidence. Derived here.

Scores are h W h^T + D(P). W and P start at order 4 and h differs from X from order 2 on, so the scores are
X W X^T + D(P) at orders 4 and 5; softmax is linear in them up to order 7. With J0 its Jacobian at uniform
attention,

    A - A0 = c_s eta^4 J0[X Q_bar X^T + D(Delta_bar)]
             + eta^5 J0[X W_(5) X^T + D(P_(5))] + O(eta^6)

in every layer, W_(5) and P_(5) being the next-order terms (`theory.next_order`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.matrix import on_diagonals, through_uniform_softmax
from theory.model_series import forward
from theory.next_order import next_order
from theory.one_hot import OneSequence, constants
from theory.series import as_truncated, trajectory
from theory.statistics import leading_directions, statistics_of
from theory.step_coefficients import step_coefficients
from theory.verdict import Statement, Verdict, compare

ORDERS = (4, 5)

Claim = Callable[[Rows, int, int, Sequence[Any] | None], list[dict[int, fmpq_mat]]]
"""(tokens, vocab_size, steps, weights) to the claimed coefficients of each sequence's attention by order."""


def departure(
    tokens: Rows, vocab_size: int, steps: int, weights: Sequence[Any] | None = None
) -> list[dict[int, fmpq_mat]]:
    """For each sequence the coefficients of eta^4 and eta^5 of its attention [T, T], the same in all layers.

    Raises:
        ValueError: a bad corpus.
    """
    corpus = constants(check_corpus(tokens, vocab_size, weights))
    leading = leading_directions(statistics_of(corpus))
    amounts = step_coefficients(steps)
    following = next_order(tokens, vocab_size, steps, weights)

    def moved(one: OneSequence[fmpq_mat], W: fmpq_mat, P: fmpq_mat) -> fmpq_mat:
        return through_uniform_softmax(one.X * W * one.X.transpose() + on_diagonals(P))

    first = {g: leading[g] * fmpq(amounts[g]) for g in ("W", "P")}
    return [
        {4: moved(one, first["W"], first["P"]), 5: moved(one, following["W"], following["P"])}
        for one in corpus
    ]


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = departure,
) -> Verdict:
    """Holds the claim, and that orders 1 to 3 vanish, against the attention of every layer on every sequence.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    kept = {"W_O": 2, "V": 3, "W": 5, "P": 5}
    corpus = check_corpus(tokens, vocab_size, weights)
    at = as_truncated(trajectory(tokens, vocab_size, layers, steps, kept, weights)[-1]).as_series()
    maps = {f"attention on sequence {n}": forward(at, one).A for n, one in enumerate(constants(corpus))}
    statements = [
        Statement(name, layer, order, terms.get(order), steps)
        for name, terms in zip(maps, claim(tokens, vocab_size, steps, weights), strict=True)
        for layer in range(layers)
        for order in range(1, max(ORDERS) + 1)
    ]
    return compare("attention's departure", statements, lambda s: maps[s.quantity][s.layer or 0][s.order])
