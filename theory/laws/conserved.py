"""What descent from zero conserves exactly, at every step and to every order.

W_O 1 = 0: its gradient is h^T R and the residual's rows sum to zero (two distributions are subtracted).
sum_d P[d] = 0 in every layer: the gradient sums the sub-diagonals of S, whose rows sum to zero because
softmax does not see a constant added to a row.
W_1 1 = 0 in the first layer: its gradient is X^T S X, and X 1 = 1, S 1 = 0. Deeper layers read h, whose rows
need not sum to one, and have no such law: S begins at order 3 and h 1 - 1 at order 2, so that W 1 begins at
order 6 there. It stays zero where a cyclic renaming of all words leaves the corpus as it is: then 1^T W_O is
alike in every entry and sums to zero, so that no V has row sums.

These are consequences of the form of the gradients (Lemma D.8) at any parameters, not of the leading terms.
Derived here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import fmpq_mat

from theory.corpus import Rows
from theory.series import SeriesParameters, trajectory
from theory.verdict import Statement, Verdict, compare

Quantity = Callable[[SeriesParameters, int], fmpq_mat]
"""(parameters, order) to the coefficient of a quantity that should stay zero."""


def output_row_sums(at: SeriesParameters, order: int) -> fmpq_mat:
    """W_O 1, [V, 1]."""
    return _row_sums(at.W_O[order])


def first_score_row_sums(at: SeriesParameters, order: int) -> fmpq_mat:
    """W_1 1 of the first layer, [V, 1]."""
    return _row_sums(at.W[0][order])


def position_sums(at: SeriesParameters, order: int) -> fmpq_mat:
    """sum_d P[d] for each layer, [L, 1]."""
    return fmpq_mat(len(at.P), 1, [sum(layer[order][1:], layer[order][0]) for layer in at.P])


CONSERVED: dict[str, Quantity] = {
    "row sums of W_O": output_row_sums,
    "row sums of the first W": first_score_row_sums,
    "sums of P": position_sums,
}


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    order: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: dict[str, Quantity] = CONSERVED,
) -> Verdict:
    """Holds every quantity of `claim` to zero after 0..`steps` steps at the orders 0..`order`.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    history = trajectory(tokens, vocab_size, layers, steps, order, weights)

    def statements() -> Iterator[Statement[fmpq_mat]]:
        for name in claim:
            for s in range(steps + 1):
                for k in range(order + 1):
                    yield Statement(name, None, k, None, s)

    return compare(
        "conserved quantities", statements(), lambda s: claim[s.quantity](history[s.step], s.order)
    )


def _row_sums(a: fmpq_mat) -> fmpq_mat:
    return a * fmpq_mat(a.ncols(), 1, [1] * a.ncols())
