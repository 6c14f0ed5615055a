"""What is left of the next two orders when the vocabulary is large: nothing, and closed forms. Derived here.

A prediction is p = p0 exp(F) / rowsum with p0 = 1/V, so the residual is R = U - (1/V) (F - mean F + ...): all
that the prediction has learned enters with a factor 1/V. What remains for a large V is descent with the
residual held at U = Y - 1/V, that is on the linear part -E<U, F> of the loss. Write v = Phi^T B^T, m =
E[X^T A0^T A0^T U] B^T for its two-hop analogue (`theory.laws.layer_separation`), G = Sigma Phi, J0 for the
Jacobian of softmax at uniform attention, and let r count the steps taken. Then:

* One order above the leading ones nothing is left: the terms of `theory.next_order` all have the factor 1/V.
* Two orders above, only the residual stream has changed: h = X + sum over the layers below of C(r,2) eta^2 z
  with z = A0 X v, what flows back has gained C(r,2) r eta^3 A0^T U B^T v^T from every layer above, and W_O
  and V hold their own corrections. In layer l of L (l = 1..L; l-1 layers below, L-l above):

  W_O, order 3:  L C(s,3) v^T Phi^T, since E[h^T U] gains L C(r,2) v^T E[X^T A0^T U] = L C(r,2) v^T Phi^T.
  V_l, order 4:  c_s [(l-1) v^T m + (L-l) m v^T] + L C(s,4) Phi^T Phi v, from h, from what flows back and
                 from W_O: E[X^T A0^T U] (L C(r,3) v^T Phi^T)^T = L C(r,3) Phi^T Phi v.
  W_l, order 6:  the evidence (`theory.statistics.evidence`) of
                 L sum C(r,2) C(r,3) of U Phi Phi^T G          from W_O,
                 L sum r C(r,4)      of U G Phi^T Phi          from V's last term,
                 sum r c_r           of (l-1) U B^T m^T v + (L-l) U B^T v m^T    from V's others,
                 and sum r C(r,2)^2 of J0[U G z^T] read out by X and X, and of J0[U G X^T] read out by z and X
                 and by X and z, l-1 times; and of J0[A0^T U G v^T X^T] read out by X and X, L-l times.
  P_l, order 6:  the same by distance, where reading out by z has no part.

U G stands for U B^T v^T, since B^T v^T = B^T B Phi. Neighbouring layers differ by the law of
`theory.laws.layer_separation`, which holds for every V.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly

from theory import descent
from theory.corpus import Rows, check_corpus
from theory.laws.leading_terms import coefficient, layers_of
from theory.matrix import along_diagonals, through_uniform_softmax
from theory.one_hot import OneSequence, constants
from theory.orders import GROUPS, leading_orders
from theory.series import full_batch, in_full
from theory.statistics import average, evidence, leading_directions, statistics_of
from theory.step_polynomials import ATTENTION, OUTPUT, VALUE, binomial, gathered
from theory.verdict import Statement, Verdict, compare

ORDER = {"W_O": 3, "V": 4, "W": 6, "P": 6}
"""The order in eta of these terms: two above the leading ones."""

_SCORES = (
    ("all", gathered(VALUE * binomial(3))),
    ("all", gathered(OUTPUT * binomial(4))),
    ("below", gathered(OUTPUT * ATTENTION)),
    ("below", gathered(OUTPUT * VALUE * VALUE)),
    ("above", gathered(OUTPUT * ATTENTION)),
    ("above", gathered(OUTPUT * VALUE * VALUE)),
)

AMOUNTS: dict[str, tuple[tuple[str, fmpq_poly], ...]] = {
    "W_O": (("all", binomial(3)),),
    "V": (("all", binomial(4)), ("below", ATTENTION), ("above", ATTENTION)),
    "W": _SCORES,
    "P": _SCORES,
}
"""For each matrix of `directions`: the layers it is gathered for, and how much of it a layer gives."""

Claim = Callable[[Sequence[OneSequence[fmpq_mat]], int, int], dict[str, list[fmpq_mat]]]
"""(corpus, layers, steps) to the claimed coefficient of each group at `ORDER`, by layer."""


def layer_counts(group: str, layers: int) -> list[dict[str, int]]:
    """For each layer (W_O has one) how many layers there are in all, below it and above it."""
    if group == "W_O":
        return [{"all": layers, "below": 0, "above": 0}]
    return [{"all": layers, "below": n, "above": layers - 1 - n} for n in range(layers)]


def directions(corpus: Sequence[OneSequence[fmpq_mat]]) -> dict[str, list[fmpq_mat]]:
    """The matrices of `AMOUNTS`, in the same order: [V, V], P as [T, 1]."""
    statistics = statistics_of(corpus)
    B_T, Phi, G = statistics["B_bar"].transpose(), statistics["Phi_bar"], statistics["G_bar"]
    v = leading_directions(statistics)["V"]
    v_T, Phi_T = v.transpose(), Phi.transpose()
    m = average(corpus, lambda one: (one.A0 * one.A0 * one.X).transpose() * one.U) * B_T

    def stream(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        """What J0 makes of the residual stream seen as a key."""
        return through_uniform_softmax(one.U * G * (one.A0 * one.X * v).transpose())

    def backward(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        """What J0 makes of what flows back from a layer above."""
        return through_uniform_softmax(one.A0.transpose() * one.U * G * v_T * one.X.transpose())

    def read_out(one: OneSequence[fmpq_mat]) -> fmpq_mat:
        """The residual stream as a key and where the scores are read out."""
        X, z = one.X, one.A0 * one.X * v
        Q = through_uniform_softmax(one.U * G * X.transpose())
        return X.transpose() * stream(one) * X + z.transpose() * Q * X + X.transpose() * Q * z

    def of_targets(table: fmpq_mat) -> tuple[fmpq_mat, fmpq_mat]:
        return evidence(corpus, lambda one: one.U * table)

    output, last = of_targets(Phi * Phi_T * G), of_targets(G * Phi_T * Phi)
    below, above = of_targets(B_T * m.transpose() * v), of_targets(B_T * v * m.transpose())
    streams = average(corpus, read_out), average(corpus, lambda one: along_diagonals(stream(one)))
    back = (
        average(corpus, lambda one: one.X.transpose() * backward(one) * one.X),
        average(corpus, lambda one: along_diagonals(backward(one))),
    )
    parts = (output, last, below, streams, above, back)
    return {
        "W_O": [v_T * Phi_T],
        "V": [Phi_T * Phi * v, v_T * m, m * v_T],
        "W": [by_tokens for by_tokens, _ in parts],
        "P": [by_distance for _, by_distance in parts],
    }


def large_vocabulary_terms(
    corpus: Sequence[OneSequence[fmpq_mat]], layers: int, steps: int
) -> dict[str, list[fmpq_mat]]:
    """The coefficient at `ORDER` of each group by layer after `steps` steps, without what V divides.

    [V, V], and of P [T, 1].
    """
    matrices = directions(corpus)

    def in_layer(group: str, counts: Mapping[str, int]) -> fmpq_mat:
        total = matrices[group][0] * fmpq(0)
        for (which, amount), matrix in zip(AMOUNTS[group], matrices[group], strict=True):
            total += matrix * (amount(steps) * counts[which])
        return total

    return {g: [in_layer(g, counts) for counts in layer_counts(g, layers)] for g in GROUPS}


def uniform_predictions(corpus: Sequence[OneSequence[fmpq_mat]]) -> list[OneSequence[fmpq_mat]]:
    """The same sequences with a prediction that stays uniform: U for Y, and a softmax that is always zero."""
    return [replace(one, Y=one.U, p0=one.p0 * fmpq(0)) for one in corpus]


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    steps: int,
    *,
    weights: Sequence[Any] | None = None,
    claim: Claim = large_vocabulary_terms,
) -> Verdict:
    """Holds the claim, and that nothing stands between, against descent with the residual held at U.

    Raises:
        ValueError: a bad corpus or sizes.
    """
    checked = check_corpus(tokens, vocab_size, weights)
    corpus = constants(checked)
    start = descent.zero_start(layers, ORDER)
    history = [
        in_full(at, checked.vocab_size, checked.length)
        for at in descent.run(uniform_predictions(corpus), start, [full_batch(checked)] * steps)
    ]

    def statements() -> Iterator[Statement[fmpq_mat]]:
        for s in range(steps + 1):
            for group, terms in claim(corpus, layers, s).items():
                for layer, term in zip(layers_of(group, layers), terms, strict=True):
                    yield Statement(group, layer, leading_orders(layers)[group] + 1, None, s)
                    yield Statement(group, layer, ORDER[group], term, s)

    return compare("large vocabulary", statements(), lambda one: coefficient(history, one))
