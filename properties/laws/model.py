"""The model itself: attention, logits, loss and gradients as defined (paper Def. 3.1, Lemma D.8)."""

from __future__ import annotations

from typing import Any

import numpy as np

from properties.cases import MODELS, SMALL_CORPORA, CorpusCase, ModelCase
from properties.check import Check, Comparison, Law, NotAdmitted, Outcome, within
from properties.laws.descent import GROUPS
from properties.laws.given import given_check
from properties.laws.softmax_shift import attention_bound, logits_bound
from properties.laws.statistics_exact import as_array, exact_by_corpus
from properties.rounded_model import given, loss, passes, slopes, stacked
from properties.target import Target, require
from properties.tolerances import ELEMENTARY_ULPS, rounding


def _attention(target: Target, case: ModelCase) -> Outcome:
    passed = passes(case.parameters, case.tokens, target.dtype)
    expected = np.array([[one.A[layer].value for one in passed] for layer in range(case.layers)])
    got = target.attention(case.parameters, case.tokens)
    yield Comparison("attention", got, expected, attention_bound(case.parameters, case, target.dtype))


def _distribution(target: Target, case: ModelCase) -> Outcome:
    T = case.tokens.shape[1] - 1
    got = target.attention(case.parameters, case.tokens)
    yield Comparison("attention above the diagonal", np.triu(got, 1), np.zeros_like(got), 0.0)
    rounded = rounding(1.0, T + 2 + 2 * ELEMENTARY_ULPS, target.dtype)
    yield Comparison("row sums of attention", got.sum(axis=-1), np.ones(got.shape[:-1]), rounded)
    yield within("attention", got, 0.0, 1.0, rounded)


def _logits(target: Target, case: ModelCase) -> Outcome:
    expected = np.array([one.F.value for one in passes(case.parameters, case.tokens, target.dtype)])
    got = target.logits(case.parameters, case.tokens)
    yield Comparison("logits", got, expected, logits_bound(case.parameters, case, target.dtype))


def _loss(target: Target, case: ModelCase) -> Outcome:
    expected, bound = loss(given(case.parameters, target.dtype), case.tokens)
    yield Comparison("loss", target.loss(case.parameters, case.tokens), expected, bound)


def _causality(target: Target, case: ModelCase) -> Outcome:
    """Change each input token in turn to another word: logits before it stay."""
    T = case.tokens.shape[1] - 1
    if T < 2 or case.vocab_size < 2:
        raise NotAdmitted("there is no later token to change")
    before = target.logits(case.parameters, case.tokens)
    for changed in (1, T - 1):
        tokens = case.tokens.copy()
        tokens[:, changed:] = (tokens[:, changed:] + 1) % case.vocab_size
        after = target.logits(case.parameters, tokens)
        bound = 2 * logits_bound(case.parameters, case, target.dtype)[:, :changed]
        name = f"logits before position {changed}, from where on the tokens were changed"
        yield Comparison(name, after[:, :changed], before[:, :changed], bound)


def _gradient(group: str) -> Law:
    def law(target: Target, case: ModelCase) -> Outcome:
        got = require(target.gradients(case.parameters, case.tokens), group, "gradients")
        value, bound = stacked(slopes(case.parameters, case.tokens, target.dtype), group)
        yield Comparison(f"gradient of {group}", got, value, bound)

    return law


def _arguments(case: ModelCase) -> dict[str, Any]:
    return {"the parameters": case.parameters, "the tokens": case.tokens.copy()}


def _zero(case: CorpusCase, layers: int = 2) -> dict[str, np.ndarray]:
    square = (case.vocab_size,) * 2
    return {
        "W_O": np.zeros(square),
        "V": np.zeros((layers, *square)),
        "W": np.zeros((layers, *square)),
        "P": np.zeros((layers, case.tokens.shape[1] - 1)),
    }


def _zero_loss(target: Target, case: CorpusCase) -> Outcome:
    expected = np.log(case.vocab_size)
    bound = rounding(expected + 1, case.vocab_size + case.tokens.size + 2 * ELEMENTARY_ULPS, target.dtype)
    yield Comparison("loss at zero", target.loss(_zero(case), case.tokens), expected, bound)


def _zero_gradient(target: Target, case: CorpusCase) -> Outcome:
    zero = _zero(case)
    got = target.gradients(zero, case.tokens)
    B_bar = as_array(exact_by_corpus(case.tokens, case.vocab_size)["B_bar"], (case.vocab_size,) * 2)
    _, bound = stacked(slopes(zero, case.tokens, target.dtype), "W_O")
    yield Comparison("gradient of W_O at zero", require(got, "W_O", "gradients"), -B_bar, bound)
    for group in ("V", "W", "P"):
        yield Comparison(
            f"gradient of {group} at zero", require(got, group, "gradients"), np.zeros_like(zero[group]), 0.0
        )


def _zero_attention(target: Target, case: CorpusCase) -> Outcome:
    N, T = case.tokens.shape[0], case.tokens.shape[1] - 1
    A0 = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    got = target.attention(_zero(case), case.tokens)
    bound = rounding(A0, T + 2 + 2 * ELEMENTARY_ULPS, target.dtype)
    yield Comparison("attention at zero", got, np.broadcast_to(A0, (2, N, T, T)), bound)


def _of_models(id: str, statement: str, law: Law, needs: str, source: str = "paper, Def. 3.1") -> Check:
    return Check(id=id, statement=statement, source=source, cases=MODELS, law=law, needs=(needs,), cost=2)


CHECKS = (
    _of_models(
        "model.attention", "Attention is softmax(h W h^T + D(P)) over k <= t.", _attention, "attention"
    ),
    _of_models(
        "model.attention_rows", "Attention rows are causal distributions.", _distribution, "attention"
    ),
    _of_models("model.logits", "The logits are h_L W_O with h <- h + A h V.", _logits, "logits"),
    _of_models("model.causal", "Logits do not depend on later tokens.", _causality, "logits"),
    _of_models("model.loss", "The loss is the mean cross-entropy in nats a token.", _loss, "loss"),
    *(
        _of_models(
            f"gradients.{group}",
            f"The gradient of {group} is that of Lemma D.8.",
            _gradient(group),
            "gradients",
            "paper, Lemma D.8",
        )
        for group in GROUPS
    ),
    *(
        given_check(
            id,
            method,
            f"{doing} leaves the parameters and the tokens as they were given.",
            MODELS,
            _arguments,
            cost=2,
        )
        for id, method, doing in (
            ("model.attention_given", "attention", "Asking for attention"),
            ("model.logits_given", "logits", "Asking for logits"),
            ("model.loss_given", "loss", "Asking for the loss"),
            ("gradients.given", "gradients", "Asking for gradients"),
        )
    ),
    Check(
        id="zero.loss",
        statement="At zero parameters the loss is log V.",
        source="paper, Lemma D.4",
        cases=SMALL_CORPORA,
        law=_zero_loss,
        needs=("loss",),
    ),
    Check(
        id="zero.gradients",
        statement="At zero parameters the gradient of W_O is -B_bar and the others vanish exactly.",
        source="paper, Lemma D.4",
        cases=SMALL_CORPORA,
        law=_zero_gradient,
        needs=("gradients",),
        evidence="exact",
        cost=2,
    ),
    Check(
        id="zero.attention",
        statement="At zero parameters attention is 1/t over the t visible positions.",
        source="paper, Lemma D.4",
        cases=SMALL_CORPORA,
        law=_zero_attention,
        needs=("attention",),
    ),
)
