"""The softmax does not see a constant added to a row, and the centring that follows (toy-model, 2.3).

Adding c to every entry of P adds c to each visible score of each row; adding w 1^T to the first layer's W
adds w[x_t] to row t. Neither changes attention, nor the logits; so the loss has no slope along either
direction, which says that P's gradient sums to zero and the first W's gradient has zero row sums.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from properties.cases import MODELS, ModelCase
from properties.check import Check, Comparison, Law, Outcome
from properties.rounded_model import passes, slopes, stacked
from properties.target import Target, require

SHIFT = 2.5


def _shifted_P(case: ModelCase) -> dict[str, np.ndarray]:
    return {**case.parameters, "P": case.P + SHIFT}


def _shifted_W(case: ModelCase) -> dict[str, np.ndarray]:
    W = case.W.copy()
    W[0] += SHIFT * np.arange(1, case.vocab_size + 1)[:, None] / case.vocab_size.bit_length()
    return {**case.parameters, "W": W}


def attention_bound(parameters: Mapping[str, np.ndarray], case: ModelCase, dtype: str) -> np.ndarray:
    """Return the rounding bound of the attention maps [L, N, T, T]."""
    passed = passes(parameters, case.tokens, dtype)
    return np.array([[one.A[layer].error for one in passed] for layer in range(case.layers)])


def logits_bound(parameters: Mapping[str, np.ndarray], case: ModelCase, dtype: str) -> np.ndarray:
    """Return the rounding bound of the logits [N, T, V]."""
    return np.array([one.F.error for one in passes(parameters, case.tokens, dtype)])


def _unmoved_attention(shift: str) -> Law:
    shifted = {"P": _shifted_P, "W": _shifted_W}[shift]

    def law(target: Target, case: ModelCase) -> Outcome:
        moved = shifted(case)
        bound = sum(attention_bound(p, case, target.dtype) for p in (case.parameters, moved))
        got, expected = target.attention(moved, case.tokens), target.attention(case.parameters, case.tokens)
        yield Comparison("attention", got, expected, bound)

    return law


def _unmoved_logits(target: Target, case: ModelCase) -> Outcome:
    moved = _shifted_P(case)
    bound = sum(logits_bound(p, case, target.dtype) for p in (case.parameters, moved))
    got, expected = target.logits(moved, case.tokens), target.logits(case.parameters, case.tokens)
    yield Comparison("logits", got, expected, bound)


def _flat_gradient(group: str) -> Law:
    def law(target: Target, case: ModelCase) -> Outcome:
        got = require(target.gradients(case.parameters, case.tokens), group, "gradients")
        _, bound = stacked(slopes(case.parameters, case.tokens, target.dtype), group)
        if group == "W":
            got, bound = got[0], bound[0]
        sums = got.sum(axis=-1)
        yield Comparison(f"sums of the gradient of {group}", sums, np.zeros_like(sums), bound.sum(axis=-1))

    return law


def _check(name: str, statement: str, law: Law, needs: str) -> Check:
    return Check(
        id=f"softmax.{name}",
        statement=statement,
        source="toy-model, 2.3; paper, eq. 15",
        cases=MODELS,
        law=law,
        needs=(needs,),
        cost=2,
    )


CHECKS = (
    _check(
        "P_shift", "Adding a constant to P leaves attention as it is.", _unmoved_attention("P"), "attention"
    ),
    _check(
        "W_row_shift",
        "Adding a constant to each row of the first W leaves attention as it is.",
        _unmoved_attention("W"),
        "attention",
    ),
    _check(
        "P_shift_logits", "Adding a constant to P leaves the logits as they are.", _unmoved_logits, "logits"
    ),
    _check(
        "P_gradient_sum", "The gradient of P sums to zero in every layer.", _flat_gradient("P"), "gradients"
    ),
    _check(
        "W_gradient_rows", "The gradient of the first W has zero row sums.", _flat_gradient("W"), "gradients"
    ),
)
