"""Gradient accumulation, at every step: micro-batches averaged are the batch of their mean weights.

A gradient is linear in the weights of the sequences. So at the same parameters the mean of the micro-batches'
gradients is the gradient of the batch with the mean of their weights, and by induction the whole descent is
the same, to every order. It needs that all micro-batches of a step see the same parameters, and that each
counts by its size. Derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import Rows
from theory.laws.general_descent import accumulated
from theory.laws.leading_terms import coefficient, layers_of
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, Update, descend_by
from theory.verdict import Statement, Verdict, compare

MicroBatches = Sequence[Sequence[Any]]
"""For each micro-batch of a step the weight [N] of every sequence."""

Claim = Callable[[MicroBatches], list[fmpq]]
"""Micro-batches to the weights [N] of the batch that they are said to equal."""


def accumulate(
    tokens: Rows, vocab_size: int, layers: int, micro_batches: MicroBatches, steps: int
) -> list[SeriesParameters]:
    """The series before and after each step whose gradient is the mean of the micro-batches' own.

    Each micro-batch takes its step from the parameters that the last one left; the mean of where they arrive
    is the step with the mean of their gradients. Kept to the leading order of each group.
    """
    kept = leading_orders(layers)
    history = descend_by(tokens, vocab_size, layers, [], kept)
    for _ in range(steps):
        arrived = [
            descend_by(tokens, vocab_size, layers, [Update(weights=part)], kept, start=history[-1])[-1]
            for part in micro_batches
        ]
        history.append(_mean(arrived))
    return history


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    micro_batches: MicroBatches,
    steps: int,
    *,
    claim: Claim = accumulated,
) -> Verdict:
    """Holds descent on the claimed batch to accumulation, in every layer, up to the leading orders.

    Raises:
        ValueError: a bad corpus, sizes or weights.
    """
    kept = leading_orders(layers)
    updates = [Update(weights=claim(micro_batches))] * steps
    at_once = descend_by(tokens, vocab_size, layers, updates, kept)
    history = accumulate(tokens, vocab_size, layers, micro_batches, steps)

    def statements() -> Iterator[Statement[fmpq_mat]]:
        for s in range(steps + 1):
            for group in GROUPS:
                for layer in layers_of(group, layers):
                    for order in range(1, kept[group] + 1):
                        one: Statement[fmpq_mat] = Statement(group, layer, order, None, s)
                        yield Statement(group, layer, order, coefficient(at_once, one), s)

    return compare("accumulation", statements(), lambda one: coefficient(history, one))


def _mean(many: Sequence[SeriesParameters]) -> SeriesParameters:
    share = fmpq(1, len(many))

    def mean(parts: Sequence[fmpq_mat]) -> fmpq_mat:
        return sum(parts[1:], parts[0]) * share

    def layered(group: str) -> list[list[fmpq_mat]]:
        by_layer = zip(*(one.group(group) for one in many), strict=True)
        return [[mean(parts) for parts in zip(*orders, strict=True)] for orders in by_layer]

    P = [[c.entries() for c in layer] for layer in layered("P")]
    return SeriesParameters(layered("W_O")[0], layered("V"), layered("W"), P)
