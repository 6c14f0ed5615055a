"""The loss along the descent to third order: polynomials in s times five numbers of the corpus.

Derived here. With B, Phi for B_bar, Phi_bar, v = Phi^T B^T, D = diag P(i), E the average over positions and
<.,.> the Frobenius product, the loss is log V - E<U, F> + E log mean exp(F - mean F). Its cumulants at the
uniform prediction are E|F|^2 / (2 V) and E sum_j F^3 / (6 V), for logits whose rows sum to zero, which W_O's
rows see to. F = X W_O + sum_l A0 X V_l W_O + O(eta^5), so

order 1: -<B, W_O> is -s |B|^2.
order 2: -<B, W_O> is C(s,2) <B, D B> / V, and E|X W_O|^2 / (2 V) is s^2 <B, D B> / (2 V).
order 3: W_O gains L C(r,2) v^T Phi^T from h, C(r,2) D^2 B / V^2 from its own second order, and
    -(r^2 / 2 V) D (B*B) (1 - 11^T/V) from the curvature of softmax. So with k = sum_i P(i) sum_j B_ij^3,
    -<B, W_O> is -L C(s,3) |v|^2 - C(s,3) <B, D^2 B> / V^2 + (sum_{r<s} r^2) k / (2 V);
    the value matrix of each layer adds -s C(s,2) |v|^2;
    E<F_1, F_2> / V is -s C(s,2) <B, D^2 B> / V^2; and the third cumulant is s^3 k / (6 V).

The first-order part is the statement of the loss law: loss = log V - s eta |B_bar|^2 + O(eta^2). Attention
has no part in it: values enter at order 3, and scores only at order 7 (`theory.laws.ablation`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from theory.corpus import Rows, check_corpus
from theory.loss_series import loss_above_uniform
from theory.matrix import hadamard
from theory.next_order import inner
from theory.one_hot import constants
from theory.series import as_truncated, trajectory
from theory.statistics import average, leading_directions, statistics_of
from theory.step_polynomials import OUTPUT, VALUE, R, binomial, gathered
from theory.verdict import Statement, Verdict, compare

Claim = Callable[[Rows, int, int, Sequence[Any] | None], list[fmpq_poly]]
"""(tokens, vocab_size, layers, weights) to the coefficients of eta^0, eta^1, ... as polynomials in s."""


def loss_law(
    tokens: Rows, vocab_size: int, layers: int, weights: Sequence[Any] | None = None
) -> list[fmpq_poly]:
    """Coefficients of eta^0..eta^3 of loss - log V (nats a token), each a polynomial in the number of steps.

    Raises:
        ValueError: a bad corpus.
    """
    corpus = constants(check_corpus(tokens, vocab_size, weights))
    statistics = statistics_of(corpus)
    B, v = statistics["B_bar"], leading_directions(statistics)["V"]
    D = average(corpus, lambda one: one.X.transpose() * one.X)
    V = vocab_size
    second, third = inner(B, D * B) / V, inner(B, D * D * B) / V**2
    skew = inner(B, D * hadamard(B, B)) / V
    value = inner(v, v)
    moved = OUTPUT * VALUE
    return [
        fmpq_poly([]),
        -OUTPUT * inner(B, B),
        (VALUE + OUTPUT * OUTPUT / 2) * second,
        -(binomial(3) + moved) * (value * layers + third) + (gathered(R * R) / 2 + OUTPUT**3 / 6) * skew,
    ]


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = loss_law,
) -> Verdict:
    """Holds the claimed polynomials against the series of the loss after 0..`steps` steps.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    claimed = claim(tokens, vocab_size, layers, weights)
    order = len(claimed) - 1
    corpus = check_corpus(tokens, vocab_size, weights)
    losses = [
        loss_above_uniform(corpus, as_truncated(at).as_series(), order)
        for at in trajectory(tokens, vocab_size, layers, steps, order, weights)
    ]
    statements = [
        Statement("loss - log V", None, k, scalar(p(s)), s)
        for k, p in enumerate(claimed)
        for s in range(steps + 1)
    ]
    return compare("loss", statements, lambda one: scalar(losses[one.step][one.order]))


def scalar(value: fmpq) -> fmpq_mat:
    """[1, 1]."""
    return fmpq_mat(1, 1, [value])
