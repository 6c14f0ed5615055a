"""Context evidence through interchangeable roles, and what a worked example of it may not assume.

(Sigma_B phi_k)_i = d_i sum_j C_ij d_j Phi_bar[j, k] with the norms d and cosines C of B_bar's columns (seed
000, 3.4): every part has the sign of C_ij Phi_bar[j, k], so that a role with a negative cosine inhibits.

The worked example there takes d_fish = .9, d_frog = .7, C = .95 and Phi_bar[fish, pond] = .8. Its product is
right, and no corpus has such numbers (derived here), because

    d_i^2 + d_j^2 <= |B_bar|^2 <= 1,    and .81 + .49 is more;
    Phi_bar[j, k] <= P_next(j) (1 - 1/V),    since it is the mean of (1[y = j] - 1/V) times a share in 0..1;
    d_j <= sum_r |P(r, j) - P(r)/V| <= P_next(j) + 1/V,

so a Phi_bar of .8 for fish leaves frog at most .2 of the positions, and a norm of .2 + 1/V.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq

from properties.cases import CORPORA, SMALL_CORPORA, CorpusCase
from properties.check import Check, Comparison, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus, magnitudes_by_corpus
from properties.target import Target
from properties.tolerances import rounding
from reference.statistics import strength_and_similarity

# As printed in the example: d_fish, d_frog, their cosine, Phi_bar[fish, pond], and the product.
D_FISH, D_FROG, COSINE, PHI, PRODUCT = (Fraction(n, 100) for n in (90, 70, 95, 80, 48))


def _expansion(target: Target, case: CorpusCase) -> Outcome:
    B_bar, Phi_bar, G_bar = (
        target.statistic(name, case.tokens, case.vocab_size) for name in ("B_bar", "Phi_bar", "G_bar")
    )
    d, C = strength_and_similarity(B_bar.astype(np.float64))
    weights = d[:, None] * C * d  # [i, j], of the role j for the word i
    sizes = magnitudes_by_corpus(case.tokens, case.vocab_size)
    # The norms and cosines add a few operations each to those that the statistics themselves take.
    own = rounding(sizes["G_bar"].terms, sizes["G_bar"].operations + 6 * case.vocab_size + 16, target.dtype)
    yield Comparison("G_bar", G_bar, weights @ Phi_bar, sizes["G_bar"].bound(target.dtype) + own)
    wrong = np.where(weights != 0, np.sign(weights) != np.sign(C), False)
    yield Comparison("roles against the sign of their cosine", wrong.sum(), 0, 0.0)


def _column_norms(target: Target, case: CorpusCase) -> Outcome:
    """d_i^2 = sum_r P(r)^2 [P(i|r) - 1/V]^2, from integer counts."""
    V, x, y = case.vocab_size, case.tokens[:, :-1].ravel(), case.tokens[:, 1:].ravel()
    count = np.zeros((V, V), dtype=np.int64)
    np.add.at(count, (x, y), 1)
    Sigma = exact_by_corpus(case.tokens, V)["Sigma_B"]
    for i in range(V):
        total = fmpq(0)
        for r in range(V):
            if occurs := int(count[r].sum()):
                share = fmpq(occurs, int(x.size))
                total += share**2 * (fmpq(int(count[r, i]), occurs) - fmpq(1, V)) ** 2
        yield equal(f"d^2 of word {i}", Sigma[i, i], total)


def _limits(target: Target, case: CorpusCase) -> Outcome:
    """The limits that the example breaks, on every corpus."""
    V, y = case.vocab_size, case.tokens[:, 1:].ravel()
    statistics = exact_by_corpus(case.tokens, V)
    Sigma, Phi = statistics["Sigma_B"], statistics["Phi_bar"]
    square = sum((Sigma[i, i] for i in range(V)), fmpq(0))
    yield equal("|B_bar|^2 <= 1", square <= 1, True)
    for j in range(V):
        following = fmpq(int((y == j).sum()), int(y.size))
        even = fmpq(1, V)
        yield equal(f"d^2 of word {j} within P_next + 1/V", Sigma[j, j] <= (following + even) ** 2, True)
        largest = max(Phi[j, k] for k in range(V))
        yield equal(f"Phi_bar of target {j} within P_next", largest <= following * (1 - even), True)


def _example(target: Target, case: CorpusCase) -> Outcome:
    """The product as printed, and that its factors break two of the limits, whatever V from 3 on."""
    product = D_FROG * COSINE * D_FISH * PHI
    yield equal("the product, to two digits", round(product, 2), PRODUCT)
    yield equal("the two norms fit into |B_bar| <= 1", D_FISH**2 + D_FROG**2 <= 1, False)
    left = 1 - PHI  # of the positions, at most, for frog
    yield equal("frog's norm fits beside fish's context, V = 3", left + Fraction(1, 3) >= D_FROG, False)


CHECKS = (
    Check(
        id="propagation.expansion",
        statement="G_bar sums d_i C_ij d_j Phi_bar[j, k] over roles j, each with the sign of its cosine.",
        source="toy-model, 3.4",
        cases=CORPORA,
        law=_expansion,
        needs=("statistics",),
    ),
    Check(
        id="propagation.column_norms",
        statement="A column norm of B_bar is the root of sum_r P(r)^2 [P(i|r) - 1/V]^2.",
        source="toy-model, 3.2",
        cases=SMALL_CORPORA,
        law=_column_norms,
        evidence="exact",
    ),
    Check(
        id="propagation.limits",
        statement="Column norms and Phi_bar stay within how often their word follows, |B_bar| within one.",
        source="derived here",
        cases=SMALL_CORPORA,
        law=_limits,
        evidence="exact",
    ),
    Check(
        id="propagation.example",
        statement="The pond, fish and frog example multiplies to .48 and assumes norms that no corpus has.",
        source="toy-model, 3.4; derived here",
        cases=SMALL_CORPORA,
        law=_example,
        evidence="exact",
    ),
)
