"""What the proofs of the bounds use: the mathematics alone.

D.2 and D.3: the Jacobian of the softmax has spectral norm at most max p <= e^range / d, so along the segment
from 0 to z, |softmax(z) - 1/d| <= (e^r / d) |z| when range z <= r; |z|_inf <= R gives r = 2R.

An inequality that is far from tight would also hold with a smaller side left out, so each is tried as well
where it is an equality: the softmax at logits (t, -t), where (e^r / d) |z| is passed up to a share of
2r; uniform attention just above and just below its norm; a layer whose rows all grow by 1 + |V|.
"""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq

from properties.cases import (
    LENGTHS,
    LOGITS,
    MODELS,
    SMALL_CORPORA,
    Cases,
    CorpusCase,
    LengthCase,
    LogitsCase,
    ModelCase,
)
from properties.check import Check, Comparison, Law, Measurement, Outcome, within
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus
from properties.results import Evidence
from properties.rounded_model import forward, given
from properties.target import Target
from properties.tolerances import ELEMENTARY_ULPS, rounding
from theory import bound_facts


def _softmax(target: Target, case: LogitsCase) -> Outcome:
    z = case.z
    d, spread = len(z), float(z.max() - z.min())
    p = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    jacobian = np.diag(p) - np.outer(p, p)
    norm = float(np.linalg.norm(jacobian, 2))
    slack = rounding(1.0, d * d + 4 * ELEMENTARY_ULPS, "float64")
    yield _at_most("|J| <= max p", norm, float(p.max()), slack)
    yield _at_most("max p <= e^range / d", float(p.max()), math.exp(spread) / d, slack * math.exp(spread))
    moved, size = float(np.linalg.norm(p - 1 / d)), float(np.linalg.norm(z))
    limit = math.exp(spread) / d * size
    yield _at_most("|softmax(z) - 1/d| <= e^r/d |z|", moved, limit, slack * (1 + limit))
    wider = math.exp(2 * float(np.abs(z).max())) / d * size
    yield _at_most("the same with r = 2 |z|_inf", moved, wider, slack * (1 + wider))


def _at_most(name: str, value: float, limit: float, slack: object) -> Comparison:
    return Comparison(name, value, min(value, limit), slack)


def _softmax_is_tight(target: Target, case: LogitsCase) -> Outcome:
    """At z = (t, -t), range r = 2t: p - 1/2 = tanh(t)/2 (1, -1), so moved / limit = tanh(t) e^-r / t.

    That lies between (1 - t^2)(1 - r) and 1. And J has the norm 1/2 = max p = e^0 / d at t = 0.
    """
    for t in (2.0**-6, 2.0**-12):
        z = np.array([t, -t])
        p = np.exp(z) / np.exp(z).sum()
        moved, limit = np.linalg.norm(p - 0.5), math.exp(2 * t) / 2 * np.linalg.norm(z)
        slack = rounding(1 / t, 8 + 4 * ELEMENTARY_ULPS, "float64")
        yield within(f"share of e^r/d |z| at t = {t}", moved / limit, (1 - t * t) * (1 - 2 * t), 1.0, slack)


def _softmax_and_edge(target: Target, case: LogitsCase) -> Outcome:
    yield from _softmax(target, case)
    yield from _softmax_is_tight(target, case)


def _uniform_attention(target: Target, case: LengthCase) -> Outcome:
    """|A0| from NumPy tells rationals just above and just below it, at which the exact decision must turn."""
    T = min(case.length, 24)
    yield equal(f"|A0| <= 2 at T = {T}", bound_facts.hardy_norm_below(T), True)
    norm = float(np.linalg.norm(np.tril(np.ones((T, T))) / np.arange(1, T + 1)[:, None], 2))
    share = 2.0**-20  # far above the rounding of a norm, far below what a wrong exponent does
    for factor, below in ((1 - share, False), (1 + share, True)):
        limit = fmpq(*(norm * factor).as_integer_ratio())
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


def _activations(target: Target, case: ModelCase) -> Outcome:
    """Rows of attention are distributions: |h_l row| <= (1 + |V_l|) max |h_(l-1) row|, from one-hot rows."""
    parameters = given(case.parameters, "float64")
    for sequence in case.tokens:
        limit = 1.0
        for layer, h in enumerate(forward(parameters, sequence).h):
            limit *= 1.0 if layer == 0 else 1 + float(np.linalg.norm(case.V[layer - 1], 2))
            longest = float(np.linalg.norm(h.value, axis=1).max())
            slack = float(np.linalg.norm(h.error, axis=1).max()) + rounding(
                limit, h.value.shape[1], "float64"
            )
            yield _at_most(f"rows of h_{layer}", longest, limit, slack)
    yield from _growth(case)


def _growth(case: ModelCase) -> Outcome:
    """With V_l = c_l 1 and one token, attention is 1 and h_l = (1 + c_l) h_(l-1): the limit is reached."""
    V, L = case.vocab_size, case.layers
    c = [1 / (2 + layer) for layer in range(L)]
    zero = {"W_O": np.zeros((V, V)), "W": np.zeros((L, V, V)), "P": np.zeros((L, 1))}
    values = np.array([amount * np.eye(V) for amount in c])
    run = forward(given({**zero, "V": values}, "float64"), case.tokens[0, :2])
    longest = float(np.linalg.norm(run.h[-1].value))
    limit = math.prod(1 + amount for amount in c)
    slack = rounding(limit, 4 * L + V, "float64") + float(np.linalg.norm(run.h[-1].error))
    yield Comparison("rows of h_L where every layer multiplies by 1 + |V|", longest, limit, slack)


def _gaussian_norms(target: Target, case: LengthCase) -> Outcome:
    """Lemmas D.11 and D.12 at v = 1, xi = 0: entries of variance 1 / V^2, for matrices large enough.

    The operator norm of such a draw is near 2 / sqrt(V) and its Frobenius norm near 1.
    """
    operator, frobenius = (
        int(bound_facts.LIMITS[f"{name} norm of a Gaussian start, {unit}"].p)
        for name, unit in (("operator", "times sqrt(V) / v"), ("Frobenius", "over v"))
    )
    rng = np.random.default_rng(case.length)
    for V in (64, 256):
        draw = rng.normal(0.0, 1 / V, (V, V))
        largest = float(np.linalg.norm(draw, 2))
        yield _at_most(f"operator norm at V = {V}", largest, operator / math.sqrt(V), 0.0)
        yield _at_most(f"Frobenius norm at V = {V}", float(np.linalg.norm(draw)), frobenius, 0.0)
        yield Measurement(f"operator norm at V = {V}, times sqrt(V)", largest * math.sqrt(V))


def _check(
    name: str, statement: str, law: Law, cases: Cases, evidence: Evidence, source: str, cost: int = 1
) -> Check:
    return Check(f"bounds.{name}", statement, source, cases, law, evidence=evidence, cost=cost)


CHECKS = (
    _check(
        "softmax",
        "Lemmas D.2 and D.3 bound the softmax and its Jacobian.",
        _softmax_and_edge,
        LOGITS,
        "property",
        "paper, Lemmas D.2 and D.3",
    ),
    _check(
        "uniform_attention",
        "Uniform attention has norm at most 2; the softmax Jacobian there 1/t, or 0 at t = 1.",
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
    ),
    _check(
        "norms",
        "The norms of B_bar, Phi_bar (for which 2 is claimed), Q_bar and Delta_bar are at most 1.",
        _norms,
        SMALL_CORPORA,
        "exact",
        "paper, proof of Thm. D.10; derived here",
    ),
    _check(
        "activations",
        "Rows of each activation are at most the product of 1 + |V_l| long.",
        _activations,
        MODELS,
        "property",
        "paper, proof of Thm. D.10",
        2,
    ),
    _check(
        "gaussian_norms",
        "A Gaussian start has operator norms of at most 3v/sqrt(V) and Frobenius norms of at most 2v.",
        _gaussian_norms,
        LENGTHS,
        "measured",
        "paper, Lemmas D.11 and D.12",
        8,
    ),
)
