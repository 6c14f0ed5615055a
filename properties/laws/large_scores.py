"""The softmax at scores so large that its exponentials do not fit into a number (derived here).

softmax(z) = softmax(z - max z), whose largest exponential is 1; log softmax(z)_i = z_i - max z - log sum
exp(z - max z), which is finite where the probability itself underflows to 0. An implementation that takes
exp(z) as it stands answers NaN or infinity from z = 710 on (89 in float32); one that takes the logarithm of
a probability does at differences of 746 (104).
"""

from __future__ import annotations

import numpy as np

from properties.cases import MODELS, ModelCase
from properties.check import Check, Comparison, Law, Outcome
from properties.laws.descent import GROUPS
from properties.laws.softmax_shift import attention_bound, logits_bound
from properties.rounded_model import given, loss, slopes, stacked
from properties.target import Target, require

LARGE = 2.0**10


def _large_P(case: ModelCase) -> dict[str, np.ndarray]:
    return {**case.parameters, "P": case.P + LARGE}


def _large_W_O(case: ModelCase) -> dict[str, np.ndarray]:
    return {**case.parameters, "W_O": case.W_O * LARGE}


def _attention(target: Target, case: ModelCase) -> Outcome:
    bound = sum(attention_bound(p, case, target.dtype) for p in (case.parameters, _large_P(case)))
    got, expected = (target.attention(p, case.tokens) for p in (_large_P(case), case.parameters))
    yield Comparison("attention at large scores", got, expected, bound)


def _logits(target: Target, case: ModelCase) -> Outcome:
    bound = sum(logits_bound(p, case, target.dtype) for p in (case.parameters, _large_P(case)))
    got, expected = (target.logits(p, case.tokens) for p in (_large_P(case), case.parameters))
    yield Comparison("logits at large scores", got, expected, bound)


def _loss(target: Target, case: ModelCase) -> Outcome:
    expected, bound = loss(given(_large_W_O(case), target.dtype), case.tokens)
    yield Comparison("loss of large logits", target.loss(_large_W_O(case), case.tokens), expected, bound)


def _gradients(target: Target, case: ModelCase) -> Outcome:
    rounded = slopes(_large_W_O(case), case.tokens, target.dtype)
    got = target.gradients(_large_W_O(case), case.tokens)
    for group in GROUPS:
        expected, bound = stacked(rounded, group)
        yield Comparison(
            f"gradient of {group} at large logits", require(got, group, "gradients"), expected, bound
        )


def _check(name: str, statement: str, law: Law, needs: str) -> Check:
    return Check(
        id=f"softmax.{name}",
        statement=statement,
        source="derived here",
        cases=MODELS,
        law=law,
        needs=(needs,),
        cost=2,
    )


CHECKS = (
    _check("large_scores", "Attention does not overflow at scores of a thousand.", _attention, "attention"),
    _check(
        "large_scores_logits",
        "The logits do not overflow at attention scores of a thousand.",
        _logits,
        "logits",
    ),
    _check("large_logits_loss", "The loss of logits of a thousand is finite and right.", _loss, "loss"),
    _check(
        "large_logits_gradients",
        "The gradients at logits of a thousand are finite and right.",
        _gradients,
        "gradients",
    ),
)
