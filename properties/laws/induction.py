"""Induction on any sequence: the weight on what followed earlier occurrences of the current token.

A row t with a target k (1 <= k <= t, x_{k-1} = x_t) gives it some weight; the score is the mean over such
rows. Uniform attention has the exact zero point mean (targets of t)/(t+1). Renaming the tokens changes
nothing: induction depends on the repetition alone.
"""

from __future__ import annotations

import math

import numpy as np

from properties.attention_cases import RECURRING, SequenceCase
from properties.check import Check, Comparison, Law, Outcome
from properties.laws.given import given_check
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_float
from properties.target import Target
from properties.tolerances import rounding
from reference.induction import walk_through
from theory import baselines


def _targets(tokens: list[int], t: int) -> list[int]:
    return [k for k in range(1, t + 1) if tokens[k - 1] == tokens[t]]


def _bound(case: SequenceCase, dtype: str) -> np.ndarray:
    return rounding(1.0, case.attention.size + 4, dtype)


def _uniform(target: Target, case: SequenceCase) -> Outcome:
    T = len(case.tokens)
    uniform = np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None]
    exact = baselines.sequence_induction_score(case.tokens.tolist())
    got = target.sequence_induction_score(uniform, case.tokens)
    bound = _bound(case, target.dtype)
    yield Comparison(
        "score of uniform attention", got, to_float(exact), bound, exact=lambda index: str(exact)
    )


def _definition(target: Target, case: SequenceCase) -> Outcome:
    tokens = case.tokens.tolist()
    rows = [(t, _targets(tokens, t)) for t in range(len(tokens))]
    weights = [math.fsum(case.attention[t, targets]) for t, targets in rows if targets]
    got = target.sequence_induction_score(case.attention, case.tokens)
    expected = math.fsum(weights) / len(weights)
    yield Comparison("sequence induction score", got, expected, _bound(case, target.dtype))


def _extremes(target: Target, case: SequenceCase) -> Outcome:
    """Weight on the latest target scores 1; on the token itself only where it stands twice in a row."""
    tokens, T = case.tokens.tolist(), len(case.tokens)
    perfect = np.zeros((T, T))
    for t in range(T):
        perfect[t, (_targets(tokens, t) or [0])[-1]] = 1
    bound = _bound(case, target.dtype)
    yield Comparison(
        "score of a perfect head", target.sequence_induction_score(perfect, case.tokens), 1.0, bound
    )
    scored = [t for t in range(T) if _targets(tokens, t)]
    twice = sum(1 for t in scored if tokens[t - 1] == tokens[t]) / len(scored)
    got = target.sequence_induction_score(np.eye(T), case.tokens)
    yield Comparison("score of the diagonal", got, twice, bound)


def _renamed(target: Target, case: SequenceCase) -> Outcome:
    names = 100 - 7 * case.tokens
    plain = target.sequence_induction_score(case.attention, case.tokens)
    renamed = target.sequence_induction_score(case.attention, names)
    yield Comparison("score with other token numbers", renamed, plain, _bound(case, target.dtype))


def _walk(target: Target, case: SequenceCase) -> Outcome:
    """The latest earlier occurrence, what is attended and what is predicted, by search from the right."""
    tokens = case.tokens.tolist()
    for t, step in enumerate(walk_through(case.tokens)):
        targets = _targets(tokens, t)
        latest = targets[-1] if targets else None
        yield equal(f"attended at {t}", step.attended, latest)
        yield equal(f"predicted at {t}", step.predicted, None if latest is None else tokens[latest])
    published = walk_through(np.array([0, 1, 2, 3, 0, 1, 2, 3, 0]))[8]
    yield equal("A B C D A B C D A at 8", (published.attended, published.predicted), (5, 1))


def _arguments(case: SequenceCase) -> dict[str, np.ndarray]:
    return {"the attention": case.attention.copy(), "the tokens": case.tokens.copy()}


def _check(name: str, statement: str, law: Law) -> Check:
    return Check(
        id=f"induction.{name}",
        statement=statement,
        source="attention-chapter, sec. 4.14 to 4.16; derived here",
        cases=RECURRING,
        law=law,
        needs=() if law is _walk else ("sequence_induction_score",),
        evidence="exact" if law in (_uniform, _walk) else "property",
    )


CHECKS = (
    _check(
        "uniform",
        "On any sequence uniform attention scores the mean share of keys that follow the same token.",
        _uniform,
    ),
    _check(
        "definition", "The score is the mean weight on the keys that follow the current token.", _definition
    ),
    _check(
        "extremes",
        "Weight on what followed scores 1; on the token itself only where it stands twice in a row.",
        _extremes,
    ),
    _check("renamed", "Other numbers for the same tokens change no score.", _renamed),
    given_check(
        "induction.given",
        "sequence_induction_score",
        "Scoring a sequence's induction leaves the attention and the tokens as they were given.",
        RECURRING,
        _arguments,
    ),
    _check(
        "walk_through",
        "An induction head predicts what followed the latest earlier occurrence: B at the end of ABCDABCDA.",
        _walk,
    ),
)
