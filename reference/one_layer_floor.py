"""What one attention layer can at best predict of sequences that repeat a random block of unknown length.

The block has P different tokens, P drawn from a set of K periods; rows t >= P (0-based) have seen a
repetition, so their next token is certain to whoever can look it up.

*Without positions* a layer of attention, whatever its width, heads and weights, is a function of the current
token and of the bag of tokens seen (a softmax average does not know their order). The bag tells the period
(the number of different tokens) and, with m = (t+1) mod P, which P - m of them are due, each having come once
less than the others; all orders of these are equally likely. So no such model gets below the entropy
log(P-m), or log(P-1) where m = 0 and every token but the current one is due.

*With positions and one head*, if its scores treat different tokens alike (a score depends on the two
positions and on whether the tokens are equal), the weights of the K candidates at distances P'-1 stand in one
order at each t: what was seen changes by how much all of them count, not which counts more. A candidate that
is r-th in that order has r-1 wrong tokens with logits at least as large, so a probability of at most 1/r;
over K equally likely periods the loss is log(K!)/K at least. The assumption is one on the weights: random
block contents give training nothing to gain from breaking it, but do not forbid it.

*With positions and 2K heads* there is no floor: `reference.constructions.one_layer_matcher` predicts every
row. Derived here; that the size has to grow with the number of positions: Sanford, Hsu and Telgarsky 2024.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64, Int64

from reference.errors import InputError


def bag_entropy(
    positions: Int64[np.ndarray, "*rows"], periods: Int64[np.ndarray, "*rows"]
) -> Float64[np.ndarray, "*rows"]:
    """Return the entropy in nats of the next token at rows t >= P, given the token and the bag seen.

    Raises:
        InputError: a row has seen no repetition yet.
    """
    if (positions < periods).any():
        raise InputError("A row before the first repetition knows neither period nor order; give t >= P.")
    placed = (positions + 1) % periods
    due = np.where(placed == 0, np.maximum(periods - 1, 1), periods - placed)
    # np.asarray: a single row stays an array.
    return np.asarray(np.log(due.astype(np.float64)))


def one_head_floor(periods: Int64[np.ndarray, " N"]) -> float:
    """Return the least mean loss in nats that one head can have over N sequences with these periods.

    That is at any row that all of them know, t >= max P. The best order puts the most frequent period first:
    sum over ranks r of the share of the r-th most frequent one times log r; log(K!)/K where K periods are
    equally frequent.

    Raises:
        InputError: one period is a multiple of another, so that a wrong candidate holds the right token.
    """
    different, counts = np.unique(periods, return_counts=True)
    for longer in different.tolist():
        for shorter in different.tolist():
            if longer > shorter and longer % shorter == 0:
                raise InputError(
                    f"After period {shorter} the candidate of {longer} is right too; give periods none of "
                    "which is a multiple of another."
                )
    ranks = np.arange(1, len(counts) + 1)
    return float((np.sort(counts)[::-1] * np.log(ranks)).sum() / len(periods))
