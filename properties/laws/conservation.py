"""What descent from zero conserves exactly at every step (derived here).

The residual R = Y - softmax(F) has rows that sum to zero, so dW_O = h^T R has zero row sums: W_O 1 = 0. The
softmax Jacobian sends constants to zero, so the rows of S_l sum to zero: so do the entries of P, and in the
first layer, where h = X is one-hot and X 1 = 1, the rows of dW = X^T S X: W_1 1 = 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from properties.cases import LATER_STEPS, DescentCase
from properties.check import Check, Comparison, Law, Outcome
from properties.rounded_model import stacked, train
from properties.target import Target, require


def _vanishing(group: str, what: str, rows: Callable[[np.ndarray], np.ndarray]) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        arguments = (case.tokens, case.vocab_size, case.layers, case.rate, case.steps)
        got = rows(require(target.train(*arguments), group, "train")).sum(axis=-1)
        _, bound = stacked(train(*arguments, target.dtype), group)
        yield Comparison(what, got, np.zeros_like(got), rows(bound).sum(axis=-1))

    return law


def _check(name: str, group: str, what: str, rows: Callable[[np.ndarray], np.ndarray]) -> Check:
    return Check(
        id=f"conserved.{name}",
        statement=f"At every step of descent from zero the {what} are zero.",
        source="derived here",
        cases=LATER_STEPS,
        law=_vanishing(group, what, rows),
        needs=("train",),
        cost=4,
    )


CHECKS = (
    _check("W_O_rows", "W_O", "row sums of W_O", lambda W_O: W_O),
    _check("P_sum", "P", "sums of P over distances, in every layer,", lambda P: P),
    _check("first_W_rows", "W", "row sums of the first layer's W", lambda W: W[0]),
)
