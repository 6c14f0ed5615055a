"""What the proofs of the bounds use: the mathematics of whole numbers and rationals.

Uniform attention is tried just above and just below its norm, where the decision must turn. The lemmas that
speak of real numbers are in `properties.laws.bound_lemmas`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from flint import fmpq, fmpq_mat

from properties.cases import LENGTHS, SMALL_CORPORA, Cases, CorpusCase, LengthCase
from properties.check import Check, Law, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus, to_exact
from properties.results import Evidence, Proof
from properties.target import Target
from theory import bound_facts


def _uniform_attention(target: Target, case: LengthCase) -> Outcome:
    """|A0| from NumPy tells rationals just above and just below it, at which the exact decision must turn.

    That it is at most 2 at every length follows from the identity: `theory.bound_facts.hardy_identity_gap`.
    """
    T = min(case.length, 24)
    yield equal(
        f"(1 - A0)(1 - A0)^T - (1 - diag(1/t)) at T = {T}",
        bound_facts.hardy_identity_gap(T),
        fmpq_mat(T, T),
    )
    yield equal(f"|A0| <= 2 at T = {T}", bound_facts.hardy_norm_below(T), True)
    norm = float(np.linalg.norm(np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None], 2))
    share = 2.0**-20  # far above the rounding of a norm, far below what a wrong exponent does
    for factor, below in ((1 - share, False), (1 + share, True)):
        limit = to_exact(norm * factor)
        yield equal(
            f"|A0| < {float(norm * factor)} at T = {T}", bound_facts.hardy_norm_below(T, limit), below
        )
    for t in (1, 2, T):
        spectrum = [(fmpq(0), 1)] + ([(fmpq(1, t), t - 1)] if t > 1 else [])
        yield equal(f"spectrum of J_{t}", bound_facts.uniform_jacobian_spectrum(t), spectrum)


def _step_sums(target: Target, case: LengthCase) -> Outcome:
    """Polynomials in s - 1 with no negative coefficient are not negative from s = 1 on: for every s."""
    for name, gap in (
        ("2 s^4 - (6 C(s,4) + 4 C(s,3))", bound_facts.coefficient_bound_gap()),
        ("s^4 / 8 - c_s", bound_facts.eighth_power_gap()),
    ):
        yield equal(f"negative coefficients of {name} in s - 1", [c for c in gap.coeffs() if c < 0], [])
    yield equal("r C(r,2) - (r^3 - r^2)/2", bound_facts.attention_gain_gap().coeffs(), [])


def _norms(target: Target, case: CorpusCase) -> Outcome:
    """And one repeated word comes within 1/V of the limits of B_bar and Phi_bar: |.|^2 = 1 - 1/V."""
    V, rows = case.vocab_size, np.zeros((1, 4), dtype=np.int64)
    largest = bound_facts.norms(exact_by_corpus(rows, V))
    for name in ("|B_bar|^2", "|Phi_bar|^2, sharper"):
        value, limit = largest[name]
        yield equal(f"{name} of one repeated word, over its limit", value / limit, 1 - fmpq(1, V))
    for name, (value, limit) in bound_facts.norms(exact_by_corpus(case.tokens, case.vocab_size)).items():
        yield equal(f"{name} <= {limit}", value <= limit, True)


def _check(
    name: str,
    statement: str,
    law: Law,
    cases: Cases,
    evidence: Evidence,
    source: str,
    cost: int = 1,
    proof: Proof | Literal[""] = "",
) -> Check:
    return Check(f"bounds.{name}", statement, source, cases, law, evidence=evidence, cost=cost, proof=proof)


CHECKS = (
    _check(
        "uniform_attention",
        "As (1 - A0)(1 - A0)^T = 1 - diag(1/t), |A0| is at most 2; the softmax Jacobian there is 1/t, or 0.",
        _uniform_attention,
        LENGTHS,
        "exact",
        "paper, proof of Thm. D.10",
        4,
    ),
    _check(
        "step_sums",
        "The inequalities between the step coefficients hold for every s.",
        _step_sums,
        LENGTHS,
        "proved",
        "paper, proof of Thm. D.10",
        8,
        proof="identity",
    ),
    _check(
        "norms",
        "The norms of B_bar, Phi_bar (for which 2 is claimed), Q_bar and Delta_bar are at most 1.",
        _norms,
        SMALL_CORPORA,
        "exact",
        "paper, proof of Thm. D.10; derived here",
    ),
)
