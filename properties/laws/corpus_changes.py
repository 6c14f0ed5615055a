"""What happens to the statistics when the corpus is rewritten (derived here).

Every statistic is a mean over positions (or a polynomial in such means), so the order of the sequences does
not matter and a corpus read twice is the same corpus; numbers of words are names, so renaming them permutes
rows and columns; and B_bar and Phi_bar of two corpora of one length joined are their weighted mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from properties.cases import SMALL_CORPORA, CorpusCase
from properties.check import Check, Comparison, Outcome
from properties.laws.given import given_check
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.target import AXES, Target


def _bound(name: str, target: Target, tokens: np.ndarray, vocab_size: int) -> np.ndarray:
    return magnitudes_by_corpus(tokens, vocab_size)[name].bound(target.dtype)


def _compared(target: Target, case: CorpusCase, changed: np.ndarray, what: str) -> Outcome:
    before = target.statistics(case.tokens, case.vocab_size)
    after = target.statistics(changed, case.vocab_size)
    for name in before:
        bound = sum(_bound(name, target, tokens, case.vocab_size) for tokens in (case.tokens, changed))
        yield Comparison(f"{name} {what}", after[name], before[name], bound)


def _reordered(target: Target, case: CorpusCase) -> Outcome:
    yield from _compared(target, case, case.tokens[::-1].copy(), "of the sequences in reverse order")


def _repeated(target: Target, case: CorpusCase) -> Outcome:
    yield from _compared(target, case, np.concatenate([case.tokens] * 3), "of the corpus read three times")


def _renamed(target: Target, case: CorpusCase) -> Outcome:
    V = case.vocab_size
    new_name = np.random.default_rng(V).permutation(V)
    before = target.statistics(case.tokens, V)
    after = target.statistics(new_name[case.tokens], V)
    for name, old in before.items():
        new = after[name][np.ix_(new_name, new_name)] if name in AXES else after[name]
        yield Comparison(f"{name} with words renamed", new, old, 2 * _bound(name, target, case.tokens, V))


def _merged(target: Target, case: CorpusCase) -> Outcome:
    V, N = case.vocab_size, len(case.tokens)
    first, second = case.tokens[: (N + 1) // 2], case.tokens[N // 2 :]
    joined = np.concatenate([first, second])
    for name in ("B_bar", "Phi_bar"):
        parts = [target.statistic(name, part, V) for part in (first, second)]
        weights = np.array([len(first), len(second)]) / len(joined)
        bound = 3 * sum(_bound(name, target, part, V) for part in (first, second, joined))
        expected = weights[0] * parts[0] + weights[1] * parts[1]
        yield Comparison(f"{name} of two corpora joined", target.statistic(name, joined, V), expected, bound)


def _arguments(case: CorpusCase) -> dict[str, Any]:
    return {"the tokens": case.tokens.copy(), "the number of words": case.vocab_size}


def _check(name: str, statement: str, law: object) -> Check:
    return Check(
        id=f"statistics.{name}",
        statement=statement,
        source="derived here",
        cases=SMALL_CORPORA,
        law=law,  # type: ignore[arg-type]
        needs=("statistics",),
        cost=2,
    )


CHECKS = (
    _check("reordered", "The order of the sequences does not matter.", _reordered),
    _check("repeated", "A corpus read three times has the statistics of the corpus.", _repeated),
    _check("renamed", "Renaming the words permutes the rows and columns, and nothing else.", _renamed),
    _check("merged", "B_bar and Phi_bar of two corpora joined are their means by sequence count.", _merged),
    given_check(
        "statistics.given",
        "statistics",
        "Counting the statistics leaves the tokens as they were given.",
        SMALL_CORPORA,
        _arguments,
    ),
)
