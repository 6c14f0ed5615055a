"""What two steps leave between W_O, V and their leading terms, at any rate: Lemma D.5 decided rigorously.

After one step W_O = eta B and the rest is zero (Lemma D.4), so in the second step h = X, A = A0 and the
logits are eta X B: every position with the current token i predicts softmax(eta B[i]). With S [V, V] the rows
softmax(eta B[i]) - 1/V, D = diag P(i) and K = E[X^T A0^T X],

    W_O - 2 eta B             = -eta   E[X^T (p - 1/V)]       = -eta D S,
    V   - eta^2 Phi^T B^T     = -eta^2 E[X^T A0^T (p - 1/V)] B^T = -eta^2 K S B^T,

with nothing left out. S is not rational, but lies in balls that arb's arithmetic guarantees: a comparison
that holds of the balls holds. So the lemma is decided at its edge eta = 1 as well, where no power series in
eta need converge. W and P are still zero (`theory.orders.first_steps`). Derived here.
"""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, ctx, fmpq

from theory.balls import BITS, ball_matrix, softmax
from theory.corpus import Rows, check_corpus
from theory.one_hot import constants
from theory.statistics import average, statistics_of


def two_step_errors(tokens: Rows, vocab_size: int, rate: fmpq) -> dict[str, Any]:
    """Balls [V, V] that contain W_O - 2 eta B_bar and V - eta^2 Phi_bar^T B_bar^T after two steps.

    Raises:
        ValueError: a bad corpus.
    """
    corpus = constants(check_corpus(tokens, vocab_size))
    B = statistics_of(corpus)["B_bar"]
    D = average(corpus, lambda one: one.X.transpose() * one.X)
    K = average(corpus, lambda one: one.X.transpose() * one.A0.transpose() * one.X)
    with ctx.workprec(BITS):
        S = arb_mat([_off_uniform([rate * b for b in row]) for row in B.tolist()])
        return {
            "W_O": ball_matrix(D * -rate) * S,
            "V": ball_matrix(K * -(rate**2)) * S * ball_matrix(B.transpose()),
        }


def _off_uniform(z: list[fmpq]) -> list[Any]:
    return [p - arb(fmpq(1, len(z))) for p in softmax(z)]
