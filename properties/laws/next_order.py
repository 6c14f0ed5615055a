"""What comes after the leading terms, and what it predicts of a run in floating point (derived here).

A weight is eta^k (a x + eta y + O(eta^2)) with its leading direction x, the step coefficient a and the next
term y of `theory.next_order`. So

* taking both terms away leaves O(eta^(k+2));
* the relative error |weight - leading| / |leading| is eta |y| / (a |x|) + O(eta^2);
* 1 - cos = q eta^2 + O(eta^3), q from the inner products of x and y alone (`theory.alignment`);
* at a small rate the last step before a given cosine is lost is the one that `theory.alignment` says.

A prediction whose own error falls one order faster than what it predicts is held by that order.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from flint import fmpq

from properties.cases import SMALL_DESCENTS, DescentCase
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.fitting import Sized, fit
from properties.laws.descent import OwnDescent, leading_term, order_of, trained
from properties.laws.statistics_exact import as_array, to_exact, to_float
from properties.memo import by_corpus
from properties.target import Target
from theory.alignment import cosine_loss, last_step_aligned, relative_error_squared
from theory.next_order import ORDER, gram, next_order
from theory.orders import GROUPS, first_steps, leading_orders

# Small enough that the next power of eta cannot move a step count, large enough to stay above rounding.
SMALL_RATE = 2.0**-9

gram_by_corpus = by_corpus(lambda tokens, vocab_size: gram(tokens.tolist(), vocab_size))


def _both_terms(case: DescentCase, group: str, rate: float) -> np.ndarray:
    following = next_order(case.tokens.tolist(), case.vocab_size, case.steps)[group]
    leading = leading_term(case, group, rate)
    return leading + rate ** ORDER[group] * as_array(following, leading.shape)


def _rest(group: str) -> Law:
    def law(target: Target, case: DescentCase) -> Outcome:
        def rest(rate: float) -> tuple[np.ndarray, np.ndarray]:
            got, bound = trained(target, case, group, rate)
            return got - _both_terms(case, group, rate).ravel(), bound

        def left(rate: float) -> Sized:
            return Sized(*(np.linalg.norm(array, axis=1) for array in rest(rate)))

        def largest(layer: int, rate: float) -> list[int]:
            at = int(np.abs(rest(rate)[0][layer]).argmax())
            return [at] if group == "P" else list(divmod(at, case.vocab_size))

        order = leading_orders(case.layers)[group] + 2
        found = fit(left)
        for layer, fitted in enumerate(found.orders):
            what = f"what both terms leave of {group}, layer {layer}"
            yield order_of(f"{what}, largest at entry {largest(layer, found.rates[-1])}", fitted, order)

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
    """Return 1 - cos(weight, leading direction) by layer, [L], and its rounding.

    1 - cos is half the squared distance of the unit vectors, which does not cancel; a relative error r in the
    weight moves it by at most r times that distance, to first order.

    Raises:
        NotAdmitted: a layer of the weight is zero.
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


def _lost_step(target: Target, case: DescentCase) -> Outcome:
    """Set the threshold between the predictions for s and s+1 steps: it must be passed between them.

    The last step that keeps it is predicted by `theory.alignment.last_step_aligned` and found by training for
    every number of steps up to there. A prediction is off by O(eta^3), and by how much depends on the
    corpus: the next term may hardly turn a weight. So the law is held where half the way to the threshold
    covers that, in the suite's own descent, and rounding.
    """
    own = Target(OwnDescent())
    longer = replace(case, steps=case.steps + 1)
    told = {}
    for group in GROUPS:
        before, after = (_predicted_loss(case, group, s) * SMALL_RATE**2 for s in (case.steps, longer.steps))
        yield _moves(target, case, group)
        threshold = (before + after) / 2
        for predicted, descent in ((before, case), (after, longer)):
            lost, _ = lost_cosine(own, descent, group, SMALL_RATE)
            _, noise = lost_cosine(target, descent, group, SMALL_RATE)
            if (np.abs(lost - predicted) + noise > (after - before) / 4).any():
                raise NotAdmitted(f"one step more does not turn {group} enough to be told")
        earlier = range(first_steps(case.layers)[group], case.steps)
        if any(_loss_after(case, group, s) > before for s in earlier):
            raise NotAdmitted(f"{group} turns back")
        gram = gram_by_corpus(case.tokens, case.vocab_size)[group]
        least = to_exact((1 - threshold) ** 2)
        rate = to_exact(SMALL_RATE)
        predicted_last = last_step_aligned(group, gram, rate, least, longer.steps)
        found = _found_last(target, longer, group, threshold)
        told[group] = {"1 - cos": threshold, "predicted": predicted_last, "found": found.tolist()}
        expected = np.full(len(found), predicted_last)
        yield Comparison(f"last step of {group} with 1 - cos at most {threshold:.3g}", found, expected, 0.0)
        yield Comparison(f"the step {predicted_last} predicted for {group}", predicted_last, case.steps, 0.0)
    yield Measurement("last step with the cosine", told)


def _loss_after(case: DescentCase, group: str, steps: int) -> float:
    """Return the predicted 1 - cos after so many steps, 0 where the next term is along the leading one."""
    gram = gram_by_corpus(case.tokens, case.vocab_size)[group]
    return to_float(cosine_loss(group, gram, steps)) * SMALL_RATE**2


def _found_last(target: Target, case: DescentCase, group: str, threshold: float) -> np.ndarray:
    """Return for each layer the last step of a run before 1 - cos is first above the threshold."""
    steps = range(first_steps(case.layers)[group], case.steps + 1)
    lost = np.array(
        [lost_cosine(target, replace(case, steps=s), group, SMALL_RATE)[0] > threshold for s in steps]
    )
    return np.where(lost.any(axis=0), lost.argmax(axis=0) + steps[0] - 1, case.steps)


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
            f"The leading and the next term of {group} leave a remainder two orders or more above the "
            "leading one.",
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
    _check(
        "lost_step",
        "Where the next term turns a weight, it predicts the step at which a given cosine is lost.",
        _lost_step,
    ),
)
