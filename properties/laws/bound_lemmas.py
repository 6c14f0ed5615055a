"""Lemmas inside the proofs of the bounds that speak of real numbers: decided in balls, or by a witness.

D.2 and D.3 (softmax), the growth of activations, D.11 and D.12 (Gaussian starts). An inequality that is far
from tight would also hold with a smaller side left out, so each is tried where it is an equality too: there
it holds, and just past it fails. NumPy only points at where to look; what it says is decided exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, ctx, fmpq, fmpq_mat

from properties.cases import LENGTHS, LOGITS, MODELS, LengthCase, LogitsCase, ModelCase
from properties.check import Check, Comparison, Measurement, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_exact
from properties.target import Target
from theory.balls import BITS, at_most
from theory.bound_facts import LIMITS, operator_norm_below
from theory.laws import activation_growth, gaussian_norms, softmax_limits
from theory.laws.softmax_limits import (
    Logits,
    exponential,
    largest_probability,
    limit_squared,
    moved_squared,
    sharper_squared,
    spread,
    widest_spread,
)
from theory.next_order import inner

SHARE = fmpq(1, 2**20)
"""Far above the rounding of NumPy's norms, far below what a wrong exponent does."""


def _softmax(target: Target, case: LogitsCase) -> Outcome:
    z = [to_exact(x) for x in case.z]
    yield from _jacobian([x - min(z) + fmpq(1, 16) for x in z])
    yield from _moves(z, "")
    yield from _least_moves()


def _jacobian(weights: list[fmpq]) -> Outcome:
    """At the distribution of these weights, and where the largest of them occurs twice."""
    for name, several in (("p", weights), ("p with its largest entry twice", [*weights, max(weights)])):
        p = [weight / sum(several, fmpq(0)) for weight in several]
        yield equal(f"|J| <= max p at {name}", softmax_limits.jacobian_norm_at_most(p, max(p)), True)
    below = softmax_limits.jacobian_norm_at_most(p, max(p) * (1 - SHARE))
    yield equal(f"|J| <= max p (1 - {SHARE}) at the latter", below, False)


def _moves(z: Logits, where: str) -> Outcome:
    """The limits of d max p and of d |p - 1/d|."""
    r, wider, moved = spread(z), widest_spread(z), moved_squared(z)
    yield equal(f"range z <= 2 max |z|{where}", r <= wider, True)
    yield _decided(f"d max p <= e^r{where}", largest_probability(z), exponential(r))
    yield _decided(f"d |p - 1/d| <= e^r |z|{where}", moved, limit_squared(z, r))
    yield _decided(f"the same with r = 2 max |z|{where}", moved, limit_squared(z, wider))
    yield _decided(f"d |p - 1/d| <= (e^r - 1)/r |z|{where}", moved, sharper_squared(z))


def _least_moves() -> Outcome:
    """Where the limits are met up to the next order a smaller one fails (`theory.laws.softmax_limits`)."""
    for t in (fmpq(1, 2**6), fmpq(1, 2**12)):
        z, where = [t, -t], f" at (t, -t), t = {t}"
        yield from _moves(z, where)
        yield equal(f"range z = 2 max |z|{where}", spread(z), widest_spread(z))
        moved, limit = moved_squared(z), limit_squared(z, spread(z))
        least = _times(limit, (1 - t * t) * (1 - 2 * t))
        yield _decided(f"(1 - t^2)(1 - 2t) e^r |z| <= 2 |p - 1/2|{where}", least, moved)
        less = _times(limit, 1 - 3 * t)
        yield _decided(f"2 |p - 1/2| <= (1 - 3t) e^r |z|{where}", moved, less, holds=False)
    equally, where = [fmpq(1, 3)] * 3, " at equal logits"
    yield from _moves(equally, where)
    less = exponential(-SHARE)
    yield _decided(f"d max p <= e^-{SHARE}{where}", largest_probability(equally), less, holds=False)
    d = 256
    above, where = [fmpq(1)] + [fmpq(0)] * (d - 1), " at one logit 1 above"
    yield from _moves(above, where)
    moved, least = moved_squared(above), _times(sharper_squared(above), 1 - fmpq(3, d))
    yield _decided(f"(1 - 3/d) (e^r - 1)/r |z| <= d |p - 1/d|{where}", least, moved)
    less = limit_squared(above, spread(above) / 2)
    yield _decided(f"d |p - 1/d| <= e^(r/2) |z|{where}", moved, less, holds=False)
    less = exponential(spread(above) * (1 - fmpq(2, d)))
    yield _decided(f"d max p <= e^((1 - 2/d) r){where}", largest_probability(above), less, holds=False)


def _activations(target: Target, case: ModelCase) -> Outcome:
    parameters = [_layers(group) for group in (case.V, case.W, case.P)]
    norms = []
    for layer, matrix in enumerate(parameters[0]):
        low, high = _around(float(np.linalg.norm(case.V[layer], 2)))
        yield equal(f"|V_{layer + 1}| < {high}", operator_norm_below(matrix, high), True)
        yield equal(f"|V_{layer + 1}| < {low}", operator_norm_below(matrix, low), False)
        norms.append(high)
    for sequence in case.tokens.tolist():
        for layer, h in enumerate(activation_growth.activations(sequence[:-1], *parameters)):
            limit = activation_growth.longest_row_allowed(norms[:layer])
            for row, squared in enumerate(activation_growth.rows_squared(h)):
                yield _decided(f"row {row} of h_{layer} <= prod (1 + |V_l|)", squared, limit**2)
    yield from _growth(case)


def _growth(case: ModelCase) -> Outcome:
    """With V_l = c_l 1 and a word twice in a row the limit is reached, without any rounding: c_l = 2^-l."""
    size, word = case.vocab_size, int(case.tokens[0, 0])
    c = [fmpq(1, 2**layer) for layer in range(1, case.layers + 1)]
    V = [fmpq_mat(size, size, [x * int(i == j) for i in range(size) for j in range(size)]) for x in c]
    zero = [fmpq_mat(size, size)] * case.layers, [fmpq_mat(2, 1)] * case.layers
    limit = activation_growth.longest_row_allowed(c) ** 2
    for squared in activation_growth.rows_squared(activation_growth.activations([word] * 2, V, *zero)[-1]):
        yield _decided("rows of h_L <= prod (1 + c_l)", squared, limit)
        yield _decided("prod (1 + c_l) <= rows of h_L", limit, squared)
        yield _decided(
            f"rows of h_L <= (1 - {SHARE}) prod (1 + c_l)", squared, limit * (1 - SHARE), holds=False
        )


def _gaussian_norms(target: Target, case: LengthCase) -> Outcome:
    """At v = 1, xi = 0: entries of the variance 1 / V^2.

    The operator norm of such a draw is near 2 / sqrt(V) and its Frobenius norm near 1. How rarely a draw is
    larger than the lemmas say is derived in `theory.laws.gaussian_norms`.
    """
    operator = LIMITS["operator norm of a Gaussian start, times sqrt(V) / v"]
    frobenius = LIMITS["Frobenius norm of a Gaussian start, over v"]
    for times, enough in ((frobenius, True), (fmpq(3, 2), False)):
        rate = gaussian_norms.frobenius_rate(times**2)
        yield _decided(f"1/4 <= rate of the chance of {times} v", fmpq(1, 4), rate, holds=enough)
    rng = np.random.default_rng(case.length)
    yield Measurement("seed of the draws", case.length)
    for V in (16, 64):
        draw = rng.normal(0.0, 1 / V, (V, V))
        G = _matrix(draw)
        norm, x = float(np.linalg.norm(draw, 2)), np.linalg.svd(draw)[2][0]
        low, high = _around(norm)
        # Halfway between the norm and its limit, far above rounding.
        R = np.linalg.cholesky((norm**2 + float(high) ** 2) / 2 * np.eye(V) - draw.T @ draw).T
        for limit, below in ((high, True), (low, False)):
            shown = gaussian_norms.certainly_below(G, limit**2, _matrix(R))
            yield equal(f"|draw| < {float(limit)} at V = {V} by the witness", shown, below)
        stretched = gaussian_norms.stretched_squared(G, _matrix(x[:, None]))
        yield equal(f"|draw| <= {float(low)} at V = {V}", stretched <= low**2, False)
        yield equal(f"operator norm <= {operator} / sqrt({V})", high**2 * V <= operator**2, True)
        size = inner(G, G)
        yield equal(f"Frobenius norm <= {frobenius} at V = {V}", size <= frobenius**2, True)
        yield Measurement(f"operator norm at V = {V}, times sqrt(V)", norm * V**0.5)
        yield Measurement(f"Frobenius norm at V = {V}", float(np.linalg.norm(draw)))


def _decided(name: str, a: Any, limit: Any, *, holds: bool = True) -> Comparison:
    """Compare what the balls decide of a <= limit; Undecided where they leave it open."""
    return equal(name, at_most(a, limit), holds)


def _times(squared: Any, factor: fmpq) -> Any:
    """A squared size times the square of a factor."""
    with ctx.workprec(BITS):
        return squared * arb(factor * factor)


def _around(norm: float) -> tuple[fmpq, fmpq]:
    """Rationals just below and just above a norm; where it is 0 only the second is not 0."""
    exact = to_exact(norm)
    return exact * (1 - SHARE), exact * (1 + SHARE) + SHARE**3


def _matrix(a: np.ndarray) -> fmpq_mat:
    rows, columns = a.shape
    return fmpq_mat(rows, columns, [to_exact(x) for x in a.ravel()])


def _layers(group: np.ndarray) -> list[fmpq_mat]:
    """Each layer of a group; P's as columns."""
    return [_matrix(layer if layer.ndim == 2 else layer[:, None]) for layer in group]


CHECKS = (
    Check(
        "bounds.softmax",
        "Lemmas D.2 and D.3 bound the softmax and its Jacobian.",
        "paper, Lemmas D.2 and D.3; derived here",
        LOGITS,
        _softmax,
        evidence="exact",
    ),
    Check(
        "bounds.activations",
        "Rows of each activation are at most the product of 1 + |V_l| long.",
        "paper, proof of Thm. D.10",
        MODELS,
        _activations,
        evidence="exact",
        cost=2,
    ),
    Check(
        "bounds.gaussian_norms",
        "On the seeded draws shown a Gaussian start has |G| <= 3v/sqrt(V) and |G|_F <= 2v.",
        "paper, Lemmas D.11 and D.12; derived here",
        LENGTHS,
        _gaussian_norms,
        evidence="exact",
        cost=8,
    ),
)
