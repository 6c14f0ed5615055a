"""What comes after the leading terms, and what it predicts of a run in floating point (derived here).

A weight is eta^k (a x + eta y + O(eta^2)) with its leading direction x, the step coefficient a and the next
term y of `theory.next_order`. So

* taking both terms away leaves O(eta^(k+2));
* the relative error |weight - leading| / |leading| is eta |y| / (a |x|) + O(eta^2);
* 1 - cos = q eta^2 + O(eta^3), q from the inner products of x and y alone (`theory.alignment`);
* at a small rate the last step before a given cosine is lost is the one that q(s) eta^2 says.

A prediction whose own error falls one order faster than what it predicts is held by that order.
"""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq

from properties.cases import SMALL_DESCENTS, DescentCase
from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.fitting import Sized, fit
from properties.laws.descent import leading_term, order_of, trained
from properties.laws.statistics_exact import as_array, to_float
from properties.memo import by_corpus
from properties.rounded_model import stacked, train
from properties.target import Target
from theory.alignment import cosine_loss, relative_error_squared
from theory.next_order import ORDER, gram, next_order
from theory.orders import GROUPS, leading_orders

# Small enough that the next power of eta cannot move a step count, large enough to stay above rounding.
SMALL_RATE = 2.0**-9

gram_by_corpus = by_corpus(lambda tokens, vocab_size: gram(tokens.tolist(), vocab_size))


def _both_terms(case: DescentCase, group: str, rate: float) -> np.ndarray:
    following = next_order(case.tokens.tolist(), case.vocab_size, case.steps)[group]
    leading = leading_term(case, group, rate)
    return leading + rate ** ORDER[group] * as_array(following, leading.shape)


def _rest(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        def left(rate: float) -> Sized:
            got, bound = trained(target, case, group, rate)
            rest = got - _both_terms(case, group, rate).ravel()
            return Sized(np.linalg.norm(rest, axis=1), np.linalg.norm(bound, axis=1))

        order = leading_orders(case.layers)[group] + 2
        for layer, fitted in enumerate(fit(left).orders):
            yield order_of(f"what both terms leave of {group}, layer {layer}", fitted, order)

    return law


def _relative_error(target: Target, case: DescentCase) -> Outcome:
    for group in GROUPS:
        try:
            gram = gram_by_corpus(case.tokens, case.vocab_size)[group]
            squared = to_float(relative_error_squared(group, gram, fmpq(1), case.steps))
        except ValueError as absent:
            raise NotAdmitted(str(absent)) from None
        predicted = math.sqrt(squared)

        def error(rate: float, group: str = group, predicted: float = predicted) -> Sized:
            got, bound = trained(target, case, group, rate)
            leading = leading_term(case, group, rate).ravel()
            size = np.linalg.norm(leading)
            measured = np.linalg.norm(got - leading, axis=1) / size
            return Sized(np.abs(measured - predicted * rate), np.linalg.norm(bound, axis=1) / size)

        for layer, fitted in enumerate(fit(error).orders):
            yield order_of(f"the error in the predicted relative error of {group}, layer {layer}", fitted, 2)


def _moves(target: Target, case: DescentCase, group: str) -> Comparison:
    """Compare which layers of a group have left zero: those that have not have no direction to speak of."""
    got, _ = trained(target, case, group, SMALL_RATE)
    moved = got.any(axis=1).astype(float)
    return Comparison(f"{group} has left zero, by layer", moved, np.ones(len(moved)), 0.0)


def _cosine(target: Target, case: DescentCase) -> Outcome:
    for group in GROUPS:
        predicted = _predicted_loss(case, group, case.steps)
        yield _moves(target, case, group)

        def error(rate: float, group: str = group, predicted: float = predicted) -> Sized:
            lost, noise = lost_cosine(target, case, group, rate)
            return Sized(np.abs(lost - predicted * rate**2), noise)

        for layer, fitted in enumerate(fit(error).orders):
            yield order_of(f"the error in the predicted cosine of {group}, layer {layer}", fitted, 3)


def lost_cosine(target: Target, case: DescentCase, group: str, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return 1 - cos(weight, leading direction) by layer and its rounding.

    1 - cos is half the squared distance of the unit vectors, which does not cancel; a relative error r in the
    weight moves it by at most r times that distance, to first order.
    """
    got, bound = trained(target, case, group, rate)
    leading = leading_term(case, group, rate).ravel()
    norms = np.linalg.norm(got, axis=1, keepdims=True)
    if not norms.all():
        raise NotAdmitted(f"{group} has not moved")
    apart = np.linalg.norm(got / norms - leading / np.linalg.norm(leading), axis=1)
    relative = np.linalg.norm(bound, axis=1) / norms[:, 0]
    return apart**2 / 2, relative * (apart + relative)


def _predicted_loss(case: DescentCase, group: str, steps: int) -> float:
    try:
        # Exact: it cancels to zero where the next term is parallel to the leading one, rounded it need not.
        lost = to_float(cosine_loss(group, gram_by_corpus(case.tokens, case.vocab_size)[group], steps))
    except ValueError as absent:
        raise NotAdmitted(str(absent)) from None
    if lost <= 0:
        raise NotAdmitted(f"the next term of {group} does not turn it")
    return lost


class _OwnDescent:
    """The suite's own descent, as if it were an implementation."""

    def train(
        self, tokens: np.ndarray, V: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        found = train(tokens, V, layers, rate, steps, "float64")
        return {group: stacked(found, group)[0] for group in GROUPS}


def _lost_step(target: Target, case: DescentCase) -> Outcome:
    """Set the threshold between the predictions for s and s+1 steps: it must be passed between them.

    A prediction is off by O(eta^3), and by how much depends on the corpus: the next term may hardly turn a
    weight. So the law is held where half the way to the threshold covers that, in the suite's own descent,
    and rounding.
    """
    own = Target(_OwnDescent())
    for group in GROUPS:
        before, after = (
            _predicted_loss(case, group, s) * SMALL_RATE**2 for s in (case.steps, case.steps + 1)
        )
        yield _moves(target, case, group)
        threshold = (before + after) / 2
        longer = DescentCase(case.tokens, case.vocab_size, case.layers, case.rate, case.steps + 1)
        for predicted, descent in ((before, case), (after, longer)):
            lost, _ = lost_cosine(own, descent, group, SMALL_RATE)
            _, noise = lost_cosine(target, descent, group, SMALL_RATE)
            if (np.abs(lost - predicted) + noise > (after - before) / 4).any():
                raise NotAdmitted(f"one step more does not turn {group} enough to be told")
        kept = lost_cosine(target, case, group, SMALL_RATE)[0] < threshold
        lost = lost_cosine(target, longer, group, SMALL_RATE)[0] > threshold
        yield Comparison(f"{group} keeps the cosine for {case.steps} steps", kept, np.ones(len(kept)), 0.0)
        yield Comparison(f"{group} loses it at {longer.steps} steps", lost, np.ones(len(lost)), 0.0)


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"next_order.{name}",
        statement=statement,
        source="derived here",
        cases=SMALL_DESCENTS,
        law=law,
        needs=("train",),
        cost=20,
    )


CHECKS = (
    *(
        _check(
            group,
            f"The leading and the next term of {group} leave a remainder two orders above the leading one.",
            _rest(group),
        )
        for group in GROUPS
    ),
    _check(
        "relative_error",
        "The next term predicts the relative error of each weight, up to O(eta^2).",
        _relative_error,
    ),
    _check("cosine", "The next term predicts 1 - cos of each weight, up to O(eta^3).", _cosine),
    _check("lost_step", "The next term predicts the step at which a given cosine is lost.", _lost_step),
)
