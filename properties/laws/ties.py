"""What nothing tells apart is treated alike (derived here).

* Join a corpus with itself, the words a and b exchanged: exchanging them again gives the same sequences in
  another order. Every statistic is a mean over sequences (or a polynomial in such means), so it stays as it
  is when a and b are exchanged in its rows and columns: their entries are tied.
* In the first layer h is one-hot. Where P is constant, the score of a key depends on its word alone, so in
  each row the positions of one word receive equal weights.
* Logits that are equal in all words have the softmax 1/V: with W_O = 0 the loss is log V, whatever V, W, P.
"""

from __future__ import annotations

import numpy as np

from properties.cases import MODELS, SMALL_CORPORA, CorpusCase, ModelCase
from properties.check import Check, Comparison, NotAdmitted, Outcome
from properties.laws.softmax_shift import attention_bound
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.target import AXES, Target
from properties.tolerances import ELEMENTARY_ULPS, rounding


def _exchangeable(target: Target, case: CorpusCase) -> Outcome:
    V = case.vocab_size
    if V < 2:
        raise NotAdmitted("one word has nothing to be exchanged with")
    exchanged = np.arange(V)
    exchanged[[0, V - 1]] = V - 1, 0
    tokens = np.concatenate([case.tokens, exchanged[case.tokens]])
    for name, found in target.statistics(tokens, V).items():
        if name in AXES:
            bound = magnitudes_by_corpus(tokens, V)[name].bound(target.dtype)
            again = np.ix_(exchanged, exchanged)
            what = f"{name} of words that occur alike"
            yield Comparison(what, found, found[again], bound + bound[again])


def _equal_keys(target: Target, case: ModelCase) -> Outcome:
    parameters = {**case.parameters, "P": np.full_like(case.P, case.P.flat[0])}
    got = target.attention(parameters, case.tokens)[0]
    bound = attention_bound(parameters, case, target.dtype)[0]
    # The first position that holds the same word; from the row of the later one on both are visible.
    first = np.array([[list(x).index(word) for word in x] for x in case.tokens[:, :-1].tolist()])
    visible = np.tril(np.ones(got.shape[-2:], dtype=bool))
    same = np.take_along_axis(got, np.broadcast_to(first[:, None, :], got.shape), axis=-1)
    slack = bound + np.take_along_axis(bound, np.broadcast_to(first[:, None, :], bound.shape), axis=-1)
    yield Comparison(
        "weights on equal words", np.where(visible, got, 0.0), np.where(visible, same, 0.0), slack
    )


def _equal_logits(target: Target, case: ModelCase) -> Outcome:
    V = case.vocab_size
    parameters = {**case.parameters, "W_O": np.zeros((V, V))}
    expected = np.log(V)
    bound = rounding(expected + 1, V + case.tokens.size + 2 * ELEMENTARY_ULPS, target.dtype)
    yield Comparison("loss of equal logits", target.loss(parameters, case.tokens), expected, bound)


CHECKS = (
    Check(
        id="statistics.ties",
        statement="Words that occur alike have equal rows and columns in every statistic.",
        source="derived here",
        cases=SMALL_CORPORA,
        law=_exchangeable,
        needs=("statistics",),
        cost=2,
    ),
    Check(
        id="softmax.ties",
        statement="Where P is constant the first layer attends equally to equal words.",
        source="derived here; paper, Def. 3.1",
        cases=MODELS,
        law=_equal_keys,
        needs=("attention",),
        cost=2,
    ),
    Check(
        id="softmax.equal_logits",
        statement="With W_O = 0 the loss is log V, whatever the other weights.",
        source="derived here; paper, Def. 3.1",
        cases=MODELS,
        law=_equal_logits,
        needs=("loss",),
        cost=2,
    ),
)
