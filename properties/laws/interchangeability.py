"""Sigma_B = B_bar^T B_bar = D C D, and its composition with Phi_bar (paper eq. 10; toy-model, 3.2).

d_i is the norm of column i of B_bar and C_ij the cosine of columns i and j, 0 where a column vanishes. Then
d_i C_ij d_j = <b_i, b_j> by the definition of the cosine, and for a zero column both sides are zero.
"""

from __future__ import annotations

import numpy as np

from properties.cases import CORPORA, CorpusCase
from properties.check import Check, Comparison, Outcome, within
from properties.laws.statistics_exact import magnitudes_by_corpus
from properties.target import Target
from properties.tolerances import rounding


def _bound(name: str, target: Target, case: CorpusCase) -> np.ndarray:
    """Both sides of an identity lie within the statistic's own bound of the exact value."""
    return 2 * magnitudes_by_corpus(case.tokens, case.vocab_size)[name].bound(target.dtype)


def _factors(target: Target, case: CorpusCase) -> Outcome:
    B_bar = target.statistic("B_bar", case.tokens, case.vocab_size)
    Sigma_B = target.statistic("Sigma_B", case.tokens, case.vocab_size)
    d = np.sqrt((B_bar**2).sum(axis=0))
    unit = np.divide(B_bar, d, out=np.zeros_like(B_bar), where=d > 0)
    C = unit.T @ unit
    yield Comparison("Sigma_B", Sigma_B, d[:, None] * C * d[None, :], _bound("Sigma_B", target, case))
    yield within("C", C, -1.0, 1.0, rounding(1.0, 2 * case.vocab_size + 4, target.dtype))


def _symmetry(target: Target, case: CorpusCase) -> Outcome:
    Sigma_B = target.statistic("Sigma_B", case.tokens, case.vocab_size)
    yield Comparison("Sigma_B", Sigma_B, Sigma_B.T, _bound("Sigma_B", target, case))


def _composition(target: Target, case: CorpusCase) -> Outcome:
    Sigma_B = target.statistic("Sigma_B", case.tokens, case.vocab_size)
    Phi_bar = target.statistic("Phi_bar", case.tokens, case.vocab_size)
    G_bar = target.statistic("G_bar", case.tokens, case.vocab_size)
    yield Comparison("G_bar", G_bar, Sigma_B @ Phi_bar, _bound("G_bar", target, case))


CHECKS = (
    Check(
        id="statistics.Sigma_B_is_DCD",
        statement="Sigma_B is D C D with the column norms D and the column cosines C of B_bar.",
        source="paper, eq. 10; toy-model, 3.2",
        cases=CORPORA,
        law=_factors,
        needs=("statistics",),
    ),
    Check(
        id="statistics.Sigma_B_symmetric",
        statement="Sigma_B is symmetric.",
        source="paper, eq. 10",
        cases=CORPORA,
        law=_symmetry,
        needs=("statistics",),
    ),
    Check(
        id="statistics.G_bar_composes",
        statement="G_bar [target, context] is the matrix product of Sigma_B and Phi_bar.",
        source="paper, eq. 15",
        cases=CORPORA,
        law=_composition,
        needs=("statistics",),
    ),
)
