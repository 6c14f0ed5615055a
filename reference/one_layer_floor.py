"""What one attention layer can at best predict of sequences that repeat a random block of unknown length.

The block has P different tokens, P drawn from a set of K periods; rows t >= P (0-based) have seen a
repetition, so their next token is certain to whoever can look it up.

*Without positions* a layer of attention, whatever its width, heads and weights, is a function of the current
token and of the bag of tokens seen (a softmax average does not know their order). The bag tells the period
(the number of different tokens) and, with m = (t+1) mod P, which P - m of them are due, each having come once
less than the others; all orders of these are equally likely. So no such model gets below the entropy
log(P-m), or log(P-1) where m = 0 and every token but the current one is due.

*With positions and one head* there is a floor on early rows only, those from the longest period on and up to
twice the shortest less two, where what follows was seen once. Assume that scores and values treat different
tokens alike: a score depends on the two positions and on whether the tokens are equal, a value is the token's
own logit. Then the token at distance D has the logit c w_D, with w_D fixed by the weights and c by all that
was seen, and the right one stands at D = P-1 alone. A wrong candidate, at P'-1, with a larger w takes at
least as much probability; only if P'-1 is a multiple of P it holds the current token and may be told by
that. So the right one has at most 1/r, r-1 being the number of other wrong candidates that the order of the
w puts first, and the best order of the K candidates gives the floor: log(K!)/K where no two periods
interfere.

*No floor* is left on later rows, where the copies of a block can vote (weight on every distance P'-1, 2P'-1,
... favours the right token in each period), and none with two heads a period anywhere:
`reference.constructions.one_layer_matcher` predicts every row. Derived here; that a layer has to grow with
the number of positions to solve the task in general: Sanford, Hsu and Telgarsky 2024.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from jaxtyping import Float64, Int64

from reference.errors import InputError

# All orders of the candidates are tried.
MOST_PERIODS = 7


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


def one_head_rows(periods: Int64[np.ndarray, " N"]) -> range:
    """Return the rows on which one head has a floor: every period has repeated, and none twice."""
    return range(int(periods.max()), 2 * int(periods.min()) - 1)


def one_head_floor(periods: Int64[np.ndarray, " N"]) -> float:
    """Return the least mean loss in nats on such a row that one head can have over N sequences' periods.

    The best order puts frequent periods first; log(K!)/K for K equally frequent ones that do not interfere.

    Raises:
        InputError: there is no such row, or there are more than MOST_PERIODS periods.
    """
    different, counts = np.unique(periods, return_counts=True)
    if not one_head_rows(periods) or len(different) > MOST_PERIODS:
        raise InputError(
            f"Give at most {MOST_PERIODS} periods, the longest at least two below twice the shortest."
        )
    return min(
        sum(
            share * math.log(1 + _ahead(order, period))
            for period, share in zip(different.tolist(), (counts / len(periods)).tolist(), strict=True)
        )
        for order in itertools.permutations(different.tolist())
    )


def _ahead(order: tuple[int, ...], period: int) -> int:
    """How many candidates before the right one are wrong and do not hold the current token."""
    return sum(1 for other in order[: order.index(period)] if (other - 1) % period)
