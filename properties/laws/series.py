"""Descent as a power series in eta with rational coefficients: laws that hold exactly.

Each runs the whole model from zero as series over the rationals (`theory.series`) on a generated corpus and
compares coefficient by coefficient; a refutation names the first order, layer and entry. One law links the
series to implementations: what they train must be the summed series, within a bound on the terms that were
cut off and on rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from flint import fmpq, fmpq_mat

from properties.cases import SHORT_DESCENTS, SMALL_DESCENTS, Cases, DescentCase
from properties.check import Check, Comparison, Law, Measurement, NotAdmitted, Outcome
from properties.laws.statistics_exact import to_exact, to_float
from properties.rounded_model import stacked, train
from properties.target import Target, require
from theory.laws import (
    ablation,
    alignment_series,
    attention_departure,
    conserved,
    large_vocabulary,
    layer_separation,
    leading_terms,
    loss,
    lost_step,
    next_order_terms,
    small_start,
)
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, descend, summed
from theory.statistics import exact_statistics
from theory.truncation import tail_bounds
from theory.verdict import Verdict

ORDER_KEPT = 8

CONSERVED_TO = 7
"""One order past that at which the row sums of a deeper W begin, so that the first one is told from these."""

SLOWER = 2.0**-3
"""Of a case's rate: what a series leaves out at order 9 is then far below what W and P are, at order 4."""


def held(verdict: Verdict) -> Comparison:
    """Compare by equality: the name of the comparison is what was found.

    Raises:
        NotAdmitted: every term of the law vanishes here.
    """
    if not verdict.compared:
        raise NotAdmitted("every term of the law vanishes here")
    return Comparison(str(verdict), 0.0 if verdict.holds else 1.0, 0.0, 0.0)


def exactly(check: Callable[..., Verdict], *more: int, layers_at_least: int = 1) -> Law:
    """Return the law that a check of `theory.laws` finds no difference, with the arguments it takes more."""

    def law(target: Target, case: DescentCase) -> Outcome:
        layers = max(case.layers, layers_at_least)
        yield held(check(case.tokens.tolist(), case.vocab_size, layers, case.steps, *more))

    return law


def _ablation(target: Target, case: DescentCase) -> Outcome:
    """Where the law holds, the loss first rises at the order of an amount that does not vanish."""
    tokens, V = case.tokens.tolist(), case.vocab_size
    yield held(ablation.check(tokens, V, case.layers, case.steps))
    statistics = exact_statistics(tokens, V)
    rises = [group for group in GROUPS if ablation.rise(statistics, group, case.steps)]
    yield Measurement("orders of the loss", {group: ablation.ORDER[group] for group in rises})


def _small_start(target: Target, case: DescentCase) -> Outcome:
    """Start at eta^p Z with small whole numbers in Z, at each scale p up to one where all weights lead."""
    V, T, L = case.vocab_size, case.tokens.shape[1] - 1, case.layers
    rng = np.random.default_rng(V + T)

    def drawn(rows: int, columns: int) -> fmpq_mat:
        return fmpq_mat(rows, columns, rng.integers(-2, 3, rows * columns).tolist())

    Z = {
        "W_O": [drawn(V, V)],
        **{group: [drawn(V, V) for _ in range(L)] for group in ("V", "W")},
        "P": [drawn(T, 1) for _ in range(L)],
    }
    for p in range(1, max(leading_orders(L).values()) + 2):
        yield held(small_start.check(case.tokens.tolist(), V, L, min(case.steps, 3), p, Z))


def _summed_series(target: Target, case: DescentCase) -> Outcome:
    got, exact, bounds = _against_series(target, case, case.rate * SLOWER)
    for group in GROUPS:
        value, answer, bound = exact[group], require(got, group, "train"), bounds[group]
        told = group
        if answer.shape == value.shape and (np.abs(answer - value) > bound).any():
            told = f"{group}, first wrong at about order {_order_of_error(target, case, group)}"
        yield Comparison(told, answer, value, bound)


def _against_series(
    target: Target, case: DescentCase, rate: float
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return what was trained at a rate, the summed series and the bound between them, by group."""
    tokens, V, L, s = case.tokens, case.vocab_size, case.layers, case.steps
    at = to_exact(rate)
    try:
        tails = tail_bounds(L, s, at, ORDER_KEPT, V)
    except ValueError as outside:
        raise NotAdmitted(str(outside)) from None
    series = descend(tokens.tolist(), V, L, s, ORDER_KEPT)
    got = target.train(tokens, V, L, rate, s)
    rounded = train(tokens, V, L, rate, s, target.dtype)
    values, bounds = {}, {}
    for group in GROUPS:
        values[group] = _summed(series, group, at, V)
        tail = np.array([to_float(tail) for tail in tails[group]]).reshape(
            -1, *[1] * (values[group].ndim - 1)
        )
        bounds[group] = stacked(rounded, group)[1] + (float(tail.max()) if group == "W_O" else tail)
    return got, values, bounds


def _order_of_error(target: Target, case: DescentCase, group: str) -> int:
    """Return the power of the rate that the largest error falls with when the rate is halved."""
    errors = []
    for rate in (case.rate * SLOWER, case.rate * SLOWER / 2):
        got, exact, _ = _against_series(target, case, rate)
        errors.append(float(np.abs(got[group] - exact[group]).max()))
    return round(math.log2(errors[0] / errors[1])) if min(errors) > 0 else 0


def _summed(series: SeriesParameters, group: str, rate: fmpq, V: int) -> np.ndarray:
    """Return one group at `rate` as the protocol's array, each entry rounded once."""
    layers = [[to_float(entry) for entry in summed(layer, rate).entries()] for layer in series.group(group)]
    if group == "P":
        return np.array(layers)
    return np.array(layers).reshape((V, V) if group == "W_O" else (-1, V, V))


def _check(name: str, statement: str, law: Law, cost: int, cases: Cases = SHORT_DESCENTS) -> Check:
    return Check(
        id=f"series.{name}",
        statement=statement,
        source="derived here" if name != "leading_terms" else "paper, Thm. 4.1",
        cases=cases,
        law=law,
        evidence="exact",
        cost=cost,
    )


CHECKS = (
    _check(
        "leading_terms",
        "Below its leading order each group vanishes, and there it is the theorem's term, in every layer.",
        exactly(leading_terms.check),
        2,
    ),
    _check(
        "next_order",
        "The next terms, at eta^2, eta^3, eta^5 and eta^5, are the closed forms of the next order.",
        exactly(next_order_terms.check),
        3,
    ),
    _check(
        "loss",
        "The loss is log V - s eta |B_bar|^2 + O(eta^2), with the law's terms.",
        exactly(loss.check),
        3,
    ),
    _check(
        "ablation",
        "Removing a leading-term projection raises the loss at the orders 1, 3, 7, 7, by the law's amounts.",
        _ablation,
        12,
    ),
    _check(
        "layer_separation",
        "Layers separate at eta^4 in V and eta^6 in W and P, by the law's amounts.",
        exactly(layer_separation.check, layers_at_least=2),
        4,
    ),
    _check(
        "conserved",
        f"W_O 1, the sums of P and W 1 of the first layer vanish at every order to eta^{CONSERVED_TO}.",
        exactly(conserved.check, CONSERVED_TO),
        3,
    ),
    _check(
        "attention_departure",
        "Attention departs from uniform at eta^4, by the law's amount.",
        exactly(attention_departure.check),
        3,
    ),
    _check(
        "large_vocabulary",
        "With the residual held at U, as for a large vocabulary, nothing is left one order further, and the "
        "law's terms two orders further.",
        exactly(large_vocabulary.check),
        3,
    ),
    _check(
        "relative_error",
        "The relative error of each weight begins at eta, so it halves with the rate, and 1 - cos at eta^2; "
        "both by the amounts that the next order predicts.",
        exactly(alignment_series.check),
        3,
    ),
    _check(
        "lost_step",
        "At a small rate the last step that keeps a given cosine is the predicted one.",
        exactly(lost_step.check),
        3,
        SMALL_DESCENTS,
    ),
    _check(
        "small_start",
        "From a start of size eta^p the terms that survive are the law's.",
        _small_start,
        8,
    ),
    Check(
        id="descent.series",
        statement="The trained parameters are the summed power series, within its tail and rounding.",
        source="derived here",
        cases=SHORT_DESCENTS,
        law=_summed_series,
        needs=("train",),
        evidence="exact",
        cost=12,
    ),
)
