"""The leading terms under any rates, batches, momentum and accumulation. Derived here.

Let step q use the rate rho_q eta and a batch with its own statistics B_q, Phi_q. Whatever the optimiser, as
long as it is linear in the gradients, the parameters before step r hold gradient q with some amount a(r, q),
zero for q >= r:

    plain descent: a(r, q) = rho_q;       momentum m: a(r, q) = sum_{q <= p < r} rho_p m^(p - q).

At leading order the gradients chain as before, each with the batch of its own step, and after s steps

    W_O = eta   sum_q a(s, q) B_q
    V   = eta^2 sum_p a(s, p) Phi_p^T [sum_q a(p, q) B_q]^T
    W   = eta^4 sum_r a(s, r) E_r[U W_O(r)^T V(r)^T],    P the same by distance,

E_r the evidence read on batch r (`theory.statistics.evidence`) of the messages made from what W_O and V held
then: sums over ordered steps. For one constant batch and rate the sums count, and give s, C(s,2) and c_s.
Accumulation is no new case: gradients at the same parameters add, so micro-batches averaged with weights are
the batch with those weights. Averages of micro-batches of unequal size must be weighted by size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import fmpq, fmpq_mat

from theory.corpus import Rows, check_corpus
from theory.laws.leading_terms import coefficient, layers_of
from theory.one_hot import OneSequence, constants
from theory.orders import GROUPS, leading_orders
from theory.series import Update, descend_by
from theory.statistics import evidence, statistics_of
from theory.verdict import Statement, Verdict, compare

_NONE = fmpq(0)

Claim = Callable[[Rows, int, Sequence[Update], fmpq], list[dict[str, fmpq_mat]]]
"""(tokens, vocab_size, updates, momentum) to the claimed leading coefficients after 0, 1, ... steps."""


def amounts(updates: Sequence[Update], momentum: fmpq = _NONE) -> list[list[fmpq]]:
    """a[r][q]: how much of gradient q is held before step r, in units of eta; r = 0..len(updates)."""
    held = [[fmpq(0)] * len(updates)]
    for r, update in enumerate(updates):
        gained = [update.rate * momentum ** (r - q) if q <= r else fmpq(0) for q in range(len(updates))]
        held.append([a + g for a, g in zip(held[-1], gained, strict=True)])
    return held


def counts(updates: Sequence[Update], momentum: fmpq = _NONE) -> list[dict[str, fmpq]]:
    """The step coefficients of each group after 0, 1, ... steps when every step has the same batch.

    Equal to `theory.step_coefficients` for rate 1 and no momentum.
    """
    a = amounts(updates, momentum)
    steps = range(len(updates))
    output = [sum(row, fmpq(0)) for row in a]
    value = [sum((row[p] * output[p] for p in steps), fmpq(0)) for row in a]
    attention = [sum((row[r] * output[r] * value[r] for r in steps), fmpq(0)) for row in a]
    return [{"W_O": o, "V": v, "W": w, "P": w} for o, v, w in zip(output, value, attention, strict=True)]


def general_leading_terms(
    tokens: Rows, vocab_size: int, updates: Sequence[Update], momentum: fmpq = _NONE
) -> list[dict[str, fmpq_mat]]:
    """The coefficient at its leading order of each group, in any layer, after 0, 1, ..., len(updates) steps.

    Raises:
        ValueError: a bad corpus or weights.
    """
    batches = [batch_of(tokens, vocab_size, update) for update in updates]
    statistics = [statistics_of(batch) for batch in batches]
    a = amounts(updates, momentum)
    T = len(tokens[0]) - 1
    output: list[fmpq_mat] = []
    value: list[fmpq_mat] = []
    result: list[dict[str, fmpq_mat]] = []
    pulls: list[tuple[fmpq_mat, fmpq_mat]] = []
    for r in range(len(updates) + 1):
        output.append(_sum(a[r], [s["B_bar"] for s in statistics], vocab_size, vocab_size))
        gains = [s["Phi_bar"].transpose() * o.transpose() for s, o in zip(statistics, output, strict=False)]
        value.append(_sum(a[r], gains, vocab_size, vocab_size))
        result.append(
            {
                "W_O": output[r],
                "V": value[r],
                "W": _sum(a[r], [by_tokens for by_tokens, _ in pulls], vocab_size, vocab_size),
                "P": _sum(a[r], [by_distance for _, by_distance in pulls], T, 1),
            }
        )
        if r < len(updates):
            pulls.append(_evidence(batches[r], output[r], value[r]))
    return result


def batch_of(tokens: Rows, vocab_size: int, update: Update) -> list[OneSequence[fmpq_mat]]:
    """The sequences with the shares of one update's batch.

    Raises:
        ValueError: a bad corpus or weights.
    """
    return constants(check_corpus(tokens, vocab_size, update.weights))


def check(
    tokens: Rows,
    vocab_size: int,
    layers: int,
    updates: Sequence[Update],
    *,
    momentum: fmpq = _NONE,
    claim: Claim = general_leading_terms,
) -> Verdict:
    """Holds the claim, and that lower orders vanish, against the series after every update, in every layer.

    Raises:
        ValueError: a bad corpus, sizes or weights.
    """
    orders = leading_orders(layers)
    history = descend_by(tokens, vocab_size, layers, updates, orders, momentum=momentum)
    statements: list[Statement[fmpq_mat]] = []
    for s, terms in enumerate(claim(tokens, vocab_size, updates, momentum)):
        for group in GROUPS:
            for layer in layers_of(group, layers):
                statements += [Statement(group, layer, k, None, s) for k in range(orders[group])]
                statements.append(Statement(group, layer, orders[group], terms[group], s))
    return compare("general descent", statements, lambda one: coefficient(history, one))


def accumulated(micro_batches: Sequence[Sequence[Any]]) -> list[fmpq]:
    """The weights of the batch that equals accumulating micro-batches: the mean of their weights by sequence.

    `micro_batches` holds for each micro-batch a weight [N] for every sequence. Each is a mean over its own
    sequences (weights summing to one), and the accumulated gradient is their plain mean.
    """
    n = len(micro_batches)
    return [sum((fmpq(w) for w in column), fmpq(0)) / n for column in zip(*micro_batches, strict=True)]


def _evidence(
    batch: Sequence[OneSequence[fmpq_mat]], output: fmpq_mat, value: fmpq_mat
) -> tuple[fmpq_mat, fmpq_mat]:
    return evidence(batch, lambda one: one.U * output.transpose() * value.transpose())


def _sum(weights: Sequence[fmpq], matrices: Sequence[fmpq_mat], rows: int, columns: int) -> fmpq_mat:
    """The weighted sum of as many terms as there are matrices: later weights a(r, q), q >= r, are zero."""
    total = fmpq_mat(rows, columns)
    for w, m in zip(weights, matrices, strict=False):
        total += m * w
    return total
