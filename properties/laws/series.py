"""Descent as a power series in eta with rational coefficients: laws that hold exactly.

Each runs the whole model from zero as series over the rationals (`theory.series`) on a generated corpus and
compares coefficient by coefficient; a refutation names the first order, layer and entry. One law links the
series to implementations: what they train must be the summed series, within a bound on the terms that were
cut off and on rounding.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import fmpq, fmpq_mat

from properties.cases import SHORT_DESCENTS, STEPS, UPDATES, DescentCase, StepsCase, UpdatesCase
from properties.check import Check, Comparison, Law, NotAdmitted, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_float
from properties.rounded_model import stacked, train
from properties.target import Target, require
from theory.laws import (
    ablation,
    attention_departure,
    conserved,
    general_descent,
    large_vocabulary,
    layer_separation,
    leading_terms,
    loss,
    next_order_terms,
    small_start,
)
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, Update, descend, descend_by, summed
from theory.step_coefficients import step_coefficients
from theory.truncation import tail_bounds
from theory.verdict import Verdict

ORDER_KEPT = 8


def _verdict(verdict: Verdict) -> Comparison:
    """Compare by equality: the name of the comparison is what was found."""
    if not verdict.compared:
        raise NotAdmitted("every term of the law vanishes here")
    return Comparison(str(verdict), 0.0 if verdict.holds else 1.0, 0.0, 0.0)


def exactly(check: Callable[..., Verdict], *more: int, layers_at_least: int = 1) -> Law:
    """Return the law that a check of `theory.laws` finds no difference, with the arguments it takes more."""

    def law(target: Target, case: DescentCase) -> Outcome:
        layers = max(case.layers, layers_at_least)
        yield _verdict(check(case.tokens.tolist(), case.vocab_size, layers, case.steps, *more))

    return law


def _general(target: Target, case: UpdatesCase) -> Outcome:
    """Rates and batches that change from step to step, with and without momentum."""
    updates = [
        Update(fmpq(numerator, 4), [fmpq(int(w)) / sum(batch) for w in batch])
        for numerator, batch in zip(case.rates, case.batches, strict=True)
    ]
    for momentum in (fmpq(0), fmpq(1, 2)):
        verdict = general_descent.check(
            case.tokens.tolist(), case.vocab_size, case.layers, updates, momentum=momentum
        )
        yield _verdict(verdict)


def _constant_descent(target: Target, case: StepsCase) -> Outcome:
    """The general constants at one batch, rate one and no momentum are the binomials."""
    steps = min(case.steps, 12)
    plain = general_descent.counts([Update()] * steps)
    for s, counted in enumerate(plain):
        binomials = {g: fmpq(c) for g, c in step_coefficients(s).items()}
        yield equal(f"constants after {s} steps", counted, binomials)
    half = general_descent.counts([Update(fmpq(1, 2))] * steps)[-1]
    scaled = {g: c / 2 ** leading_orders(1)[g] for g, c in plain[-1].items()}
    yield equal("constants at half the rate", half, scaled)


def _accumulated(target: Target, case: UpdatesCase) -> Outcome:
    """Gradients of micro-batches averaged before a step are the step on the batch of averaged weights."""
    micro = [[fmpq(int(w)) / sum(batch) for w in batch] for batch in case.batches]
    merged = general_descent.accumulated(micro)
    yield equal("the weights of the merged batch", sum(merged, fmpq(0)), fmpq(1))
    tokens, V = case.tokens.tolist(), case.vocab_size
    order = max(leading_orders(case.layers).values())
    at_once = descend_by(tokens, V, case.layers, [Update(weights=merged)] * 3, order)[-1]
    one_step = [
        descend_by(tokens, V, case.layers, [Update(weights=part)], order)[-1].W_O[1] for part in micro
    ]
    mean = sum(one_step[1:], one_step[0]) / len(micro)
    first = descend_by(tokens, V, case.layers, [Update(weights=merged)], order)[-1].W_O[1]
    yield equal("the mean of the micro-batches' first steps", first, mean)
    claimed = general_descent.general_leading_terms(tokens, V, [Update(weights=merged)] * 3, fmpq(0))[-1]
    for group, term in claimed.items():
        found = at_once.group(group)[0][leading_orders(case.layers)[group]]
        yield equal(f"{group} after three accumulated steps", found, term)


def _small_start(target: Target, case: DescentCase) -> Outcome:
    """Start at eta^p Z with small whole numbers in Z, for each scale p at which something changes."""
    V, T, L = case.vocab_size, case.tokens.shape[1] - 1, case.layers
    rng = np.random.default_rng(V + T)

    def drawn(rows: int, columns: int) -> fmpq_mat:
        return fmpq_mat(rows, columns, rng.integers(-2, 3, rows * columns).tolist())

    Z = {
        "W_O": [drawn(V, V)],
        **{group: [drawn(V, V) for _ in range(L)] for group in ("V", "W")},
        "P": [drawn(T, 1) for _ in range(L)],
    }
    for p in (1, 2, 4):
        yield _verdict(small_start.check(case.tokens.tolist(), V, L, min(case.steps, 3), p, Z))


def _summed_series(target: Target, case: DescentCase) -> Outcome:
    rate = fmpq(*case.rate.as_integer_ratio())
    tokens, V, L, s = case.tokens, case.vocab_size, case.layers, case.steps
    try:
        tails = tail_bounds(L, s, rate, ORDER_KEPT)
    except ValueError as outside:
        raise NotAdmitted(str(outside)) from None
    series = descend(tokens.tolist(), V, L, s, ORDER_KEPT)
    got = target.train(tokens, V, L, case.rate, s)
    rounded = train(tokens, V, L, case.rate, s, target.dtype)
    for group in GROUPS:
        value = _summed(series, group, rate, V)
        tail = np.array([to_float(tail) for tail in tails[group]]).reshape(-1, *[1] * (value.ndim - 1))
        bound = stacked(rounded, group)[1] + (float(tail.max()) if group == "W_O" else tail)
        yield Comparison(group, require(got, group, "train"), value, bound)


def _summed(series: SeriesParameters, group: str, rate: fmpq, V: int) -> np.ndarray:
    """Return one group at `rate` as the protocol's array, each entry rounded once."""
    layers = [[to_float(entry) for entry in summed(layer, rate).entries()] for layer in series.group(group)]
    if group == "P":
        return np.array(layers)
    return np.array(layers).reshape((V, V) if group == "W_O" else (-1, V, V))


def _check(name: str, statement: str, law: Law, cost: int) -> Check:
    return Check(
        id=f"series.{name}",
        statement=statement,
        source="derived here" if name != "leading_terms" else "paper, Thm. 4.1",
        cases=SHORT_DESCENTS,
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
        exactly(ablation.check),
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
        "W_O 1, the sums of P and W 1 of the first layer vanish at every order.",
        exactly(conserved.check, 5),
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
        "For a large vocabulary nothing is left one order further, and the law's terms two orders further.",
        exactly(large_vocabulary.check),
        3,
    ),
    _check(
        "small_start",
        "From a start of size eta^p the terms that survive are the law's.",
        _small_start,
        8,
    ),
    Check(
        id="series.general_descent",
        statement="With any rates, batches and momentum the coefficients are sums over ordered steps.",
        source="derived here",
        cases=UPDATES,
        law=_general,
        evidence="exact",
        cost=6,
    ),
    Check(
        id="series.general_constants",
        statement="The constants of general descent reduce to s, C(s,2) and c_s for one constant batch.",
        source="derived here",
        cases=STEPS,
        law=_constant_descent,
        evidence="exact",
        cost=4,
    ),
    Check(
        id="series.accumulation",
        statement="Accumulating gradients of micro-batches is descent on the batch of their mean weights.",
        source="derived here",
        cases=UPDATES,
        law=_accumulated,
        evidence="exact",
        cost=6,
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
