"""What the rows and columns of each statistic sum to (derived here from paper eq. 9-17).

Y - 1/V has rows that sum to zero. So B_bar = X^T (Y - 1/V) has zero row sums, Phi_bar = (Y - 1/V)^T A0 X
zero column sums, and since the rows of A0 X sum to one, Phi_bar summed over contexts is Y - 1/V summed over
positions: the column sums of B_bar, which are P(next) - 1/V. So G_bar 1 = Sigma_B Phi_bar 1 is Sigma_B
P(next), the 1/V dropping out because Sigma_B 1 = 0. The centring in Q_i makes each of its rows, and so each
row of Q_bar and the sum of Delta_bar, zero.
"""

from __future__ import annotations

import numpy as np

from properties.cases import CORPORA, CorpusCase
from properties.check import Check, Comparison, Outcome
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.target import Target
from properties.tolerances import rounding


def _sum_bound(name: str, axis: int, target: Target, case: CorpusCase) -> np.ndarray:
    """Bound the error of a sum of a statistic's entries: their own errors, and the summation's."""
    magnitude = magnitudes_by_corpus(case.tokens, case.vocab_size)[name]
    terms = magnitude.terms.sum(axis=axis)
    return rounding(terms, magnitude.operations + magnitude.terms.shape[axis], target.dtype)


def _own_rounding(name: str, axis: int, target: Target, case: CorpusCase) -> np.ndarray:
    """Bound the rounding of adding up the entries that were answered, 0 where these are not finite.

    That they sum to zero is a law of their own: one that is wrong elsewhere, and has entries where the right
    statistic has none, does not break it by the rounding of the sum.
    """
    answered = np.abs(target.statistic(name, case.tokens, case.vocab_size))
    terms = answered.sum(axis=axis)
    return rounding(np.where(np.isfinite(terms), terms, 0.0), 2 * answered.shape[axis], target.dtype)


def _sums(name: str, axis: int, target: Target, case: CorpusCase) -> np.ndarray:
    statistic: np.ndarray = target.statistic(name, case.tokens, case.vocab_size)
    return statistic.sum(axis=axis)


def _vanishing(name: str, axis: int, what: str) -> Check:
    def law(target: Target, case: CorpusCase) -> Outcome:
        got = _sums(name, axis, target, case)
        bound = np.maximum(_sum_bound(name, axis, target, case), _own_rounding(name, axis, target, case))
        yield Comparison(what, got, np.zeros_like(got), bound)

    side = "column" if axis == 0 else "row"
    identifier = f"statistics.{name}_sums_to_zero" if name == "Delta_bar" else f"statistics.{name}_{side}s"
    return Check(
        id=identifier,
        statement=f"{what[0].upper()}{what[1:]} sum to zero.",
        source="derived here",
        cases=CORPORA,
        law=law,
        needs=("statistics",),
    )


def _next_frequency(target: Target, case: CorpusCase) -> Outcome:
    counts = np.bincount(case.tokens[:, 1:].ravel(), minlength=case.vocab_size)
    expected = counts / counts.sum() - 1 / case.vocab_size
    bound = _sum_bound("B_bar", 0, target, case)
    yield Comparison("column sums of B_bar", _sums("B_bar", 0, target, case), expected, bound)


def _context_rows(target: Target, case: CorpusCase) -> Outcome:
    bound = _sum_bound("Phi_bar", 1, target, case) + _sum_bound("B_bar", 0, target, case)
    expected = _sums("B_bar", 0, target, case)
    yield Comparison("row sums of Phi_bar", _sums("Phi_bar", 1, target, case), expected, bound)


def _output_rows(target: Target, case: CorpusCase) -> Outcome:
    counts = np.bincount(case.tokens[:, 1:].ravel(), minlength=case.vocab_size)
    Sigma_B = target.statistic("Sigma_B", case.tokens, case.vocab_size)
    # The terms of a row of G_bar, Sigma_B times those of Phi_bar's row sums, cover those of the right side.
    bound = 2 * _sum_bound("G_bar", 1, target, case)
    yield Comparison(
        "row sums of G_bar", _sums("G_bar", 1, target, case), Sigma_B @ counts / counts.sum(), bound
    )


CHECKS = (
    _vanishing("B_bar", 1, "the rows of B_bar [current, next]"),
    _vanishing("Phi_bar", 0, "the columns of Phi_bar [target, context]"),
    _vanishing("Sigma_B", 1, "the rows of Sigma_B"),
    _vanishing("G_bar", 0, "the columns of G_bar [target, context]"),
    _vanishing("Q_bar", 1, "the rows of Q_bar [query, key]"),
    _vanishing("Delta_bar", 0, "the entries of Delta_bar"),
    Check(
        id="statistics.B_bar_columns",
        statement="The columns of B_bar sum to P(next) - 1/V.",
        source="paper, eq. 9; derived here",
        cases=CORPORA,
        law=_next_frequency,
        needs=("statistics",),
    ),
    Check(
        id="statistics.Phi_bar_rows_and_B_bar_columns",
        statement="The rows of Phi_bar sum to the column sums of B_bar.",
        source="derived here: the rows of A0 X sum to one",
        cases=CORPORA,
        law=_context_rows,
        needs=("statistics",),
    ),
    Check(
        id="statistics.G_bar_rows",
        statement="The rows of G_bar sum to Sigma_B applied to the frequencies of the next word.",
        source="derived here",
        cases=CORPORA,
        law=_output_rows,
        needs=("statistics",),
    ),
)
