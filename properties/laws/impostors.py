"""What the error bounds cannot tell from the leading term: the mathematics alone.

The zero matrix satisfies the bounds of W and P wherever eta >= 1/T, because the leading term is at most
c_s eta^4 <= (s eta)^4 / 8 and the bound 13 (s eta)^5 T is larger from s eta T = 1/104 on; the negated,
doubled and transposed leading terms are at most twice that far off, so they pass from 1/52 on. Each ratio is
compared with what norms say without `theory.bounds`.
"""

from __future__ import annotations

import math

from flint import fmpq

from properties.cases import SETTINGS, SMALL_CORPORA, CorpusCase, SettingCase
from properties.check import Check, Measurement, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus
from properties.target import Target
from theory.bounds import (
    IMPOSTORS,
    THEOREMS,
    Setting,
    bound_over_leading_squared,
    impostor_error_squared,
    zero_always_passes,
)
from theory.statistics import leading_directions


def _zero_passes(target: Target, case: SettingCase) -> Outcome:
    at = Setting(case.vocab_size, case.length, case.layers, fmpq(case.numerator, case.length), case.steps)
    passes = zero_always_passes(THEOREMS["Theorem 4.1"], at)
    yield equal("zero satisfies the bounds of W and P", (passes["W"], passes["P"]), (True, True))
    # The leading term c eta^k reaches the bound at one rate: from there on zero passes, below it need not.
    s, T = case.steps, case.length
    c = 3 * math.comb(s, 4) + 2 * math.comb(s, 3)
    edges = {"W_O": fmpq(1, 3 * s), "V": fmpq(s - 1, 24 * s * s), "W": fmpq(c, 13 * s**5 * T)}
    edges["P"] = edges["W"]
    for group, edge in edges.items():
        for rate, expected in ((edge, True), (edge * fmpq(10**6 - 1, 10**6), False)):
            if edge:
                run = Setting(case.vocab_size, T, case.layers, rate, s)
                found = zero_always_passes(THEOREMS["Theorem 4.1"], run)[group]
                yield equal(f"zero always passes as {group} at eta = {rate}", found, expected)
    sizes = f"V = {case.vocab_size}, T = {T}, L = {case.layers}, s = {s}"
    told = {sizes: {group: str(edge) for group, edge in edges.items()}}
    yield Measurement("zero passes on every corpus, from this eta on", told)


def _impostors_pass(target: Target, case: CorpusCase) -> Outcome:
    """At eta = 1/T, three steps: the bound accepts every impostor of W and P.

    For every theorem and group the ratio error / bound is compared with what the norms say: x is off from 0,
    2x and -x by |x|, |x| and 2|x|, and from its transpose by sqrt(2 |x|^2 - 2 <x, x^T>).
    """
    T = case.tokens.shape[1] - 1
    at = Setting(case.vocab_size, T, 1, fmpq(1, T), 3)
    directions = leading_directions(exact_by_corpus(case.tokens, case.vocab_size))
    for group in ("W", "P"):
        for impostor in IMPOSTORS:
            ratio = impostor_error_squared(THEOREMS["Theorem 4.1"], impostor, group, directions[group], at)
            yield equal(f"{group} {impostor} is accepted", ratio is not None and ratio <= 1, True)
    steps = {"Lemma D.5": 2}
    for name, theorem in THEOREMS.items():
        run = Setting(case.vocab_size, T, 1, fmpq(1, T), steps.get(name, 3))
        s = run.steps
        amount = {"W_O": fmpq(s), "V": fmpq(math.comb(s, 2)), "W": fmpq(2 * math.comb(s, 3))}
        amount["P"] = amount["W"]
        for group, x in directions.items():
            flat = x.entries()
            turned = flat[::-1] if group == "P" else x.transpose().entries()
            size = sum((a * a for a in flat), fmpq(0))
            across = sum((a * b for a, b in zip(flat, turned, strict=True)), fmpq(0))
            off = {"zero": size, "doubled": size, "negated": 4 * size, "transposed": 2 * size - 2 * across}
            power = {"W_O": 1, "V": 2, "W": 4, "P": 4}[group]
            bound = theorem.bounds_squared(run)[group]
            for impostor, squared in off.items():
                found = impostor_error_squared(theorem, impostor, group, x, run)
                expected = squared * (amount[group] * run.rate**power) ** 2 / bound if bound else None
                yield equal(f"(error / bound)^2 of {group} {impostor}, {name}", found, expected)
            leading = size * (amount[group] * run.rate**power) ** 2
            over = bound_over_leading_squared(theorem, group, size, run)
            expected = bound / leading if leading else None
            yield equal(f"(bound / leading term)^2 of {group}, {name}", over, expected)


CHECKS = (
    Check(
        id="bounds.zero_passes",
        statement="Where eta >= 1/T the zero matrix satisfies the theorem's bounds for W and P.",
        source="derived here",
        cases=SETTINGS,
        law=_zero_passes,
        evidence="exact",
    ),
    Check(
        id="bounds.impostors_pass",
        statement=(
            "At eta = 1/T the bounds for W and P accept the zero, doubled, negated and transposed terms."
        ),
        source="derived here",
        cases=SMALL_CORPORA,
        law=_impostors_pass,
        evidence="exact",
    ),
)
