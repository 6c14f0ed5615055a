"""What the proofs of the bounds use, and what the bounds cannot tell: the mathematics alone.

D.2 and D.3: the Jacobian of the softmax has spectral norm at most max p <= e^range / d, so along the segment
from 0 to z, |softmax(z) - 1/d| <= (e^r / d) |z| when range z <= r; |z|_inf <= R gives r = 2R. The zero matrix
satisfies the bounds of W and P wherever eta >= 1/T, because the leading term is at most c_s eta^4 <=
(s eta)^4 / 8 and the bound 13 (s eta)^5 T is larger from s eta T = 1/104 on; the negated, doubled and
transposed leading terms are at most twice that far off, so they pass from 1/52 on.
"""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq

from properties.cases import (
    LENGTHS,
    LOGITS,
    MODELS,
    SETTINGS,
    SMALL_CORPORA,
    Cases,
    CorpusCase,
    LengthCase,
    LogitsCase,
    ModelCase,
    SettingCase,
)
from properties.check import Check, Comparison, Law, Measurement, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus
from properties.results import Evidence
from properties.rounded_model import forward, given
from properties.target import Target
from properties.tolerances import ELEMENTARY_ULPS, rounding
from theory import bound_facts
from theory.bounds import (
    IMPOSTORS,
    THEOREMS,
    Setting,
    impostor_error_squared,
    last_step_inside,
    zero_always_passes,
)
from theory.statistics import leading_directions

PUBLISHED = {"vocab_size": 3000, "length": 200, "layers": 3}


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


def _uniform_attention(target: Target, case: LengthCase) -> Outcome:
    T = min(case.length, 24)
    yield equal(f"|A0| <= 2 at T = {T}", bound_facts.hardy_norm_at_most_two(T), True)
    for t in (1, 2, T):
        largest = max(value for value, _ in bound_facts.uniform_jacobian_spectrum(t))
        yield equal(f"|J_{t}|", largest, fmpq(1, t) if t > 1 else fmpq(0))


def _step_sums(target: Target, case: LengthCase) -> Outcome:
    """Polynomials in s - 1 with no negative coefficient are not negative from s = 1 on: for every s."""
    for name, gap in (
        ("2 s^4 - (6 C(s,4) + 4 C(s,3))", bound_facts.coefficient_bound_gap()),
        ("s^4 / 8 - c_s", bound_facts.eighth_power_gap()),
    ):
        yield equal(f"negative coefficients of {name} in s - 1", [c for c in gap.coeffs() if c < 0], [])
    yield equal("r C(r,2) - (r^3 - r^2)/2", bound_facts.attention_gain_gap().coeffs(), [])


def _norms(target: Target, case: CorpusCase) -> Outcome:
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


def _gaussian_norms(target: Target, case: LengthCase) -> Outcome:
    """Lemmas D.11 and D.12 at v = 1, xi = 0: entries of variance 1 / V^2, for matrices large enough."""
    rng = np.random.default_rng(case.length)
    for V in (64, 256):
        draw = rng.normal(0.0, 1 / V, (V, V))
        yield _at_most(f"operator norm at V = {V}", float(np.linalg.norm(draw, 2)), 3 / math.sqrt(V), 0.0)
        yield _at_most(f"Frobenius norm at V = {V}", float(np.linalg.norm(draw)), 2.0, 0.0)


def _zero_passes(target: Target, case: SettingCase) -> Outcome:
    at = Setting(case.vocab_size, case.length, case.layers, fmpq(case.numerator, case.length), case.steps)
    passes = zero_always_passes(THEOREMS["Theorem 4.1"], at)
    yield equal("zero satisfies the bounds of W and P", (passes["W"], passes["P"]), (True, True))


def _impostors_pass(target: Target, case: CorpusCase) -> Outcome:
    """At eta = 1/T, three steps: the bound accepts every impostor of W and P."""
    T = case.tokens.shape[1] - 1
    at = Setting(case.vocab_size, T, 1, fmpq(1, T), 3)
    directions = leading_directions(exact_by_corpus(case.tokens, case.vocab_size))
    for group in ("W", "P"):
        for impostor in IMPOSTORS:
            ratio = impostor_error_squared(THEOREMS["Theorem 4.1"], impostor, group, directions[group], at)
            yield equal(f"{group} {impostor} is accepted", ratio is not None and ratio <= 1, True)


def _windows(target: Target, case: LengthCase) -> Outcome:
    """The last steps of the published runs that the theorems speak of, by their formula and by search."""
    T, L = PUBLISHED["length"], PUBLISHED["layers"]
    inside: dict[str, int] = {}
    for rate in (fmpq(1, 200), fmpq(1, 20)):
        by_depth = math.floor(int((1 / rate).p) / (12 * L * int((1 / rate).q)))
        by_length = math.isqrt(math.floor(25 / (64 * T * rate * rate)))
        expected = min(by_depth, by_length)
        found = last_step_inside(THEOREMS["Theorem D.10"], **PUBLISHED, rate=rate)
        yield equal(f"last step of Theorem D.10 at eta = {rate}", found, expected)
        informal = last_step_inside(THEOREMS["Theorem 4.1"], **PUBLISHED, rate=rate)
        yield equal(f"last step of Theorem 4.1 at eta = {rate}", informal, by_depth)
        inside[f"eta = {rate}"] = found
    yield Measurement("steps of the published runs inside the window", inside)


def _check(
    name: str, statement: str, law: Law, cases: Cases, evidence: Evidence, source: str, cost: int = 1
) -> Check:
    return Check(f"bounds.{name}", statement, source, cases, law, evidence=evidence, cost=cost)


CHECKS = (
    _check(
        "softmax",
        "Lemmas D.2 and D.3 bound the softmax and its Jacobian.",
        _softmax,
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
    _check(
        "zero_passes",
        "Where eta >= 1/T the zero matrix satisfies the theorem's bounds for W and P.",
        _zero_passes,
        SETTINGS,
        "exact",
        "derived here",
    ),
    _check(
        "impostors_pass",
        "At eta = 1/T the bounds for W and P accept the zero, doubled, negated and transposed terms.",
        _impostors_pass,
        SMALL_CORPORA,
        "exact",
        "derived here",
    ),
    _check(
        "windows",
        "The published runs leave the theorem's window after 5 steps at .005, and before 1 at .05.",
        _windows,
        LENGTHS,
        "exact",
        "paper, Thm. 4.1 and D.10; derived here",
        8,
    ),
)
