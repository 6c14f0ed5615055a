"""Where layers first differ: order 4 in V, order 6 in W and P, by closed forms that are the same in all.

Derived here. All layers share their gradients until the residual stream differs: h gains C(r,2) eta^2 z a
layer, z = A0 X v with v = Phi_bar^T B_bar^T, and what flows back differs by G_l - G_(l+1) = A0^T G V^T at
order 3. Write m = E[X^T A0^T A0^T U] B_bar^T, the two-hop analogue of v. The gradients of V in layers l+1 and
l differ at order 3 by r C(r,2) (v^T m - m v^T), hence

    V_(l+1) - V_l = c_s eta^4 (v^T m - m v^T) + O(eta^5):  a commutator, for every l and L.

The scores of both layers gain S = J0[G V^T h^T], J0 the Jacobian at uniform attention, read out as h^T S h.
At order 5 of the gradient, with Q = J0[U G_bar X^T], the differences are

    in h:        r C(r,2)^2 (z^T Q X + X^T Q z), which distances do not see;
    in G and h^T inside S:  r C(r,2)^2 J0[-A0^T U B_bar^T v^T v^T X^T + U B_bar^T v^T z^T];
    in V inside S:          r c_r J0[U B_bar^T (v^T m - m v^T)^T X^T],

so at order 6 W and P of neighbouring layers differ by these, times sum r C(r,2)^2 and sum r c_r.
Below those orders all layers are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.matrix import along_diagonals, through_uniform_softmax
from theory.next_order import combined
from theory.one_hot import OneSequence, constants
from theory.series import SeriesParameters, trajectory
from theory.statistics import average, leading_directions, statistics_of
from theory.step_polynomials import ATTENTION, OUTPUT, VALUE, gathered
from theory.verdict import Statement, Verdict, compare

ORDER = {"V": 4, "W": 6, "P": 6}

MOVED_TWICE = gathered(OUTPUT * VALUE * VALUE)
"""sum_{r<s} r C(r,2)^2."""

MOVED_BY_VALUES = gathered(OUTPUT * ATTENTION)
"""sum_{r<s} r c_r."""

Claim = Callable[[Rows, int, int, Sequence[Any] | None], dict[str, fmpq_mat]]
"""(tokens, vocab_size, steps, weights) to the claimed difference of a layer and the one below."""


def separation(
    tokens: Rows, vocab_size: int, steps: int, weights: Sequence[Any] | None = None
) -> dict[str, fmpq_mat]:
    """The coefficient at `ORDER` of layer l+1 minus layer l after `steps` steps: V, W [V, V] and P [T, 1].

    Raises:
        ValueError: a bad corpus.
    """
    corpus = constants(check_corpus(tokens, vocab_size, weights))
    statistics = statistics_of(corpus)
    B_T, v = statistics["B_bar"].transpose(), leading_directions(statistics)["V"]
    v_T = v.transpose()
    m = average(corpus, lambda one: (one.A0 * one.A0 * one.X).transpose() * one.U) * B_T
    commutator = v_T * m - m * v_T

    def streams(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        """The part of S that comes from the residual stream and what flows back through it."""
        z, U = one.A0 * one.X * v, one.U * B_T * v_T
        return through_uniform_softmax(U * z.transpose() - one.A0.transpose() * U * v_T * one.X.transpose())

    def values(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        """The part of S that comes from the difference in V."""
        return through_uniform_softmax(one.U * B_T * commutator.transpose() * one.X.transpose())

    def read_out(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        X, z = one.X, one.A0 * one.X * v
        Q = through_uniform_softmax(one.U * statistics["G_bar"] * X.transpose())
        return z.transpose() * Q * X + X.transpose() * Q * z + X.transpose() * streams(one) * X

    amounts = [MOVED_TWICE(steps), MOVED_BY_VALUES(steps)]
    by_tokens = [
        average(corpus, read_out),
        average(corpus, lambda one: one.X.transpose() * values(one) * one.X),
    ]
    by_distance = [
        average(corpus, lambda one: along_diagonals(streams(one))),
        average(corpus, lambda one: along_diagonals(values(one))),
    ]
    return {
        "V": commutator * ATTENTION(steps),
        "W": combined(amounts, by_tokens),
        "P": combined(amounts, by_distance),
    }


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = separation,
) -> Verdict:
    """Holds the claim, and equality at lower orders, for all neighbouring layers after 0..`steps` steps.

    `Statement.layer` is the upper layer of the pair.

    Raises:
        ValueError: a bad corpus, or fewer than two layers.
    """
    if layers < 2:
        raise ValueError(f"layers can only differ when there are two or more, not {layers}")
    history = trajectory(tokens, vocab_size, layers, steps, {"W_O": 3, "V": 4, "W": 6, "P": 6}, weights)
    claimed = [claim(tokens, vocab_size, s, weights) for s in range(steps + 1)]
    return compare("layer separation", _statements(claimed, layers), lambda s: _difference(history, s))


def _statements(claimed: list[dict[str, fmpq_mat]], layers: int) -> Iterator[Statement[fmpq_mat]]:
    for s, terms in enumerate(claimed):
        for group, term in terms.items():
            for upper in range(1, layers):
                for order in range(ORDER[group]):
                    yield Statement(group, upper, order, None, s)
                yield Statement(group, upper, ORDER[group], term, s)


def _difference(history: Sequence[SeriesParameters], s: Statement[fmpq_mat]) -> fmpq_mat:
    group, upper = history[s.step].group(s.quantity), s.layer or 0
    return group[upper][s.order] + group[upper - 1][s.order] * fmpq(-1)
