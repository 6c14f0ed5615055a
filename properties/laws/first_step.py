"""The start at zero and the first two steps from it, where everything is exact (paper Lemma D.4).

At zero the softmax is uniform, R = Y - 1/V, and h = X, so the gradient of W_O is -B_bar; V, W and P need W_O,
which is zero, so their gradients vanish exactly. After one step W_O = eta B_bar; W and P still need V, which
is zero until the second step is done, so they are exactly zero after two. Before any step all are zero: what
depends on the rate there has made a step, and what does not is a start of its own.
"""

from __future__ import annotations

import numpy as np

from properties.cases import ONE_STEP, TWO_STEPS, DescentCase
from properties.check import Check, Comparison, Outcome
from properties.laws.descent import GROUPS
from properties.laws.statistics_exact import as_array, exact_by_corpus
from properties.rounded_model import stacked, train
from properties.target import Target, require


def _trained(target: Target, case: DescentCase) -> dict[str, np.ndarray]:
    return target.train(case.tokens, case.vocab_size, case.layers, case.rate, case.steps)


def _start(target: Target, case: DescentCase) -> Outcome:
    rates = (case.rate, 2 * case.rate)
    at = [target.train(case.tokens, case.vocab_size, case.layers, rate, 0) for rate in rates]
    for group in GROUPS:
        first, other = (require(one, group, "train") for one in at)
        yield Comparison(f"{group} before any step, at twice the rate", other, first, 0.0)
        yield Comparison(f"{group} before any step", first, np.zeros_like(first), 0.0, slip="not from zero")


def _output(target: Target, case: DescentCase) -> Outcome:
    B_bar = exact_by_corpus(case.tokens, case.vocab_size)["B_bar"]
    expected = case.rate * as_array(B_bar, (case.vocab_size,) * 2)
    rounded = train(case.tokens, case.vocab_size, case.layers, case.rate, 1, target.dtype)
    got = require(_trained(target, case), "W_O", "train")
    yield Comparison(
        "W_O",
        got,
        expected,
        stacked(rounded, "W_O")[1],
        exact=lambda index: f"{case.rate:g} * {B_bar[index[0], index[1]]}",
    )


def _others(target: Target, case: DescentCase) -> Outcome:
    trained = _trained(target, case)
    square = (case.layers, case.vocab_size, case.vocab_size)
    yield Comparison("V", require(trained, "V", "train"), np.zeros(square), 0.0)
    yield from _attention_parameters(target, case, trained)


def _waiting(target: Target, case: DescentCase) -> Outcome:
    yield from _attention_parameters(target, case, _trained(target, case))


def _attention_parameters(target: Target, case: DescentCase, trained: dict[str, np.ndarray]) -> Outcome:
    square = (case.layers, case.vocab_size, case.vocab_size)
    by_distance = (case.layers, case.tokens.shape[1] - 1)
    yield Comparison("W", require(trained, "W", "train"), np.zeros(square), 0.0)
    yield Comparison("P", require(trained, "P", "train"), np.zeros(by_distance), 0.0)


CHECKS = (
    Check(
        id="first_step.start",
        statement="Before any step all parameters are zero, whatever the rate.",
        source="paper, Theorem D.10",
        cases=ONE_STEP,
        law=_start,
        needs=("train",),
        evidence="exact",
    ),
    Check(
        id="first_step.W_O",
        statement="After one full-batch step from zero, W_O is eta B_bar.",
        source="paper, Lemma D.4",
        cases=ONE_STEP,
        law=_output,
        needs=("train",),
        evidence="exact",
        cost=2,
    ),
    Check(
        id="first_step.others",
        statement="After one step from zero, V, W and P are exactly zero.",
        source="paper, Lemma D.4",
        cases=ONE_STEP,
        law=_others,
        needs=("train",),
        evidence="exact",
        cost=2,
    ),
    Check(
        id="first_step.W_and_P_wait",
        statement="After two steps from zero, W and P are still exactly zero.",
        source="paper, Lemma D.5",
        cases=TWO_STEPS,
        law=_waiting,
        needs=("train",),
        evidence="exact",
        cost=2,
    ),
)
