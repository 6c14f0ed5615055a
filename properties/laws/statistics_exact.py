"""Each statistic equals its definition in rational arithmetic (paper eq. 9-17).

`theory.exact_statistics` evaluates the literal one-hot definitions over the rationals; an implementation in
floating point may differ by the rounding of its sums and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import fmpq, fmpq_mat

from properties.cases import CORPORA, EXACT_CORPORA, CorpusCase
from properties.check import Check, Comparison, Law, Outcome
from properties.memo import by_corpus
from properties.statistics_bounds import statistics_magnitudes
from properties.target import Target
from theory.statistics import exact_statistics
from theory.statistics_rows import B_bar_row, Phi_bar_row

EQUATIONS = {
    "B_bar": "eq. 9",
    "Phi_bar": "eq. 11",
    "Sigma_B": "eq. 10",
    "G_bar": "eq. 15",
    "Q_bar": "eq. 14-17",
    "Delta_bar": "eq. 14-17, by distance",
}
MEANINGS = {
    "B_bar": "B_bar[i, j] is P(i) P(j|i) - P(i)/V",
    "Phi_bar": "Phi_bar[i, j] is the share of j in the prefix of target i, less its mean over targets",
    "Sigma_B": "Sigma_B is B_bar^T B_bar",
    "G_bar": "G_bar is Sigma_B Phi_bar",
    "Q_bar": "Q_bar gathers (Y - 1/V) G_bar X^T, masked, centred by row and divided by t, by query and key",
    "Delta_bar": "Delta_bar gathers the same evidence by distance",
}

exact_by_corpus = by_corpus(lambda tokens, vocab_size: exact_statistics(tokens.tolist(), vocab_size))
magnitudes_by_corpus = by_corpus(statistics_magnitudes)


def as_array(matrix: fmpq_mat, shape: tuple[int, ...]) -> np.ndarray:
    """Return the nearest float64 to each rational entry, in any shape of as many entries."""
    return np.array([to_float(entry) for entry in matrix.entries()]).reshape(shape)


def to_float(value: fmpq) -> float:
    """Return the nearest float64: Python divides integers with correct rounding."""
    return int(value.p) / int(value.q)


def to_exact(value: float) -> fmpq:
    """Return the rational that a float is."""
    return fmpq(*float(value).as_integer_ratio())


def _agrees(name: str) -> Law:
    def law(target: Target, case: CorpusCase) -> Outcome:
        got = target.statistic(name, case.tokens, case.vocab_size)
        exact = exact_by_corpus(case.tokens, case.vocab_size)[name]
        magnitude = magnitudes_by_corpus(case.tokens, case.vocab_size)[name]
        yield Comparison(
            name,
            got,
            as_array(exact, magnitude.terms.shape),
            magnitude.bound(target.dtype),
            exact=lambda index: str(exact[index[0], index[1] if len(index) == 2 else 0]),
        )

    return law


def _rows(name: str, row: Callable[..., list[fmpq]]) -> Law:
    """Hold the rows of the most frequent words to exact rational rows, which a large corpus admits too."""

    def law(target: Target, case: CorpusCase) -> Outcome:
        got = target.statistic(name, case.tokens, case.vocab_size)
        bound = magnitudes_by_corpus(case.tokens, case.vocab_size)[name].bound(target.dtype)
        for word in most_frequent(case, 2):
            exact = row(case.tokens.tolist(), case.vocab_size, word)
            expected = np.array([to_float(entry) for entry in exact])
            yield Comparison(
                f"{name}[{word}]",
                got[word],
                expected,
                bound[word],
                exact=lambda index, exact=exact: str(exact[index[0]]),  # type: ignore[misc]
            )

    return law


def most_frequent(case: CorpusCase, count: int) -> list[int]:
    """Return the `count` most frequent words of a case, and its last, which may be unseen."""
    frequency = np.bincount(case.tokens[:, 1:].ravel(), minlength=case.vocab_size)
    ranked = np.argsort(-frequency, kind="stable")
    return [int(word) for word in dict.fromkeys([*ranked[:count], ranked[-1]])]


CHECKS = (
    *(
        Check(
            id=f"statistics.{name}",
            statement=f"{MEANINGS[name]}.",
            source=f"paper, {EQUATIONS[name]}",
            cases=EXACT_CORPORA,
            law=_agrees(name),
            needs=("statistics",),
            evidence="exact",
        )
        for name in EQUATIONS
    ),
    *(
        Check(
            id=f"statistics.{name}_counted",
            statement=f"The rows of {name} for the most frequent words are those of integer counting.",
            source=f"paper, {EQUATIONS[name]}",
            cases=CORPORA,
            law=_rows(name, row),
            needs=("statistics",),
            evidence="exact",
        )
        for name, row in (("B_bar", B_bar_row), ("Phi_bar", Phi_bar_row))
    ),
)
