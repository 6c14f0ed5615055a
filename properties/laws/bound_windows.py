"""Up to which step a theorem speaks of a run: the informal window and the formal one."""

from __future__ import annotations

import math

from flint import fmpq

from properties.cases import LENGTHS, SETTINGS, LengthCase, SettingCase
from properties.check import Check, Measurement, Outcome
from properties.laws.mathematics import equal
from properties.target import Target
from theory.bounds import THEOREMS, Setting, last_step_inside

PUBLISHED = {"vocab_size": 3000, "length": 200, "layers": 3}


def _windows(target: Target, case: LengthCase) -> Outcome:
    """The last steps of the published runs that the theorems speak of, by their formula and by search.

    With the published three layers 1/(12 L) ends both windows. With one, 5/(8 sqrt(T)) ends the formal one
    first: the two are told apart by the step, and by the condition that the next step fails.
    """
    T = PUBLISHED["length"]
    inside: dict[str, dict[str, int]] = {}
    for layers, ends in ((PUBLISHED["layers"], "s eta <= 1/(12 L)"), (1, "s eta <= 5/(8 sqrt(T))")):
        sizes = {**PUBLISHED, "layers": layers}
        for rate in (fmpq(1, 200), fmpq(1, 20)):
            by_depth = math.floor(int((1 / rate).p) / (12 * layers * int((1 / rate).q)))
            by_length = math.isqrt(math.floor(25 / (64 * T * rate * rate)))
            formal = last_step_inside(THEOREMS["Theorem D.10"], **sizes, rate=rate)
            informal = last_step_inside(THEOREMS["Theorem 4.1"], **sizes, rate=rate)
            where = f"at L = {layers}, eta = {rate}"
            yield equal(f"last step of Theorem D.10 {where}", formal, min(by_depth, by_length))
            yield equal(f"last step of Theorem 4.1 {where}", informal, by_depth)
            failed = THEOREMS["Theorem D.10"].failed(Setting(**sizes, rate=rate, steps=formal + 1))
            yield equal(f"what ends the window of Theorem D.10 {where}", ends in failed, True)
            inside[where] = {"Theorem 4.1": informal, "Theorem D.10": formal}
    yield Measurement("last step inside the window", inside)


def _informal(target: Target, case: SettingCase) -> Outcome:
    """1/(12 L) is below 8 sqrt(T) always, and above 5/(8 sqrt(T)) exactly when 4 T > 225 L^2.

    (1/(12 L))^2 > 25/(64 T) is 64 T > 25 * 144 L^2. So the formal window, at sizes and a rate that both
    theorems speak of, ends first exactly there, if a step lies between the two ends.
    """
    V, T, L = max(500, case.vocab_size), max(60, case.length), case.layers
    for rate in (fmpq(case.numerator, T), fmpq(case.numerator, 16 * T)):
        by_depth = _floor(1 / (12 * L * rate))
        by_length = _floor_root(fmpq(25, 64 * T) / rate**2)
        shallow, not_tiny = 16 * L * L <= T, rate * T >= 1
        informal, formal = (
            last_step_inside(THEOREMS[f"Theorem {number}"], V, T, L, rate) for number in ("4.1", "D.10")
        )
        where = f"V = {V}, T = {T}, L = {L}, eta = {rate}"
        yield equal(f"last informal step at {where}", informal, by_depth if shallow and not_tiny else 0)
        yield equal(f"last formal step at {where}", formal, min(by_depth, by_length) if shallow else 0)
        if 4 * T <= 225 * L * L:
            yield equal(f"depth ends the formal window at {where}", by_depth <= by_length, True)


def _floor(x: fmpq) -> int:
    return int(x.p) // int(x.q)


def _floor_root(x: fmpq) -> int:
    """The largest n with n^2 <= x."""
    n = 0
    while (n + 1) ** 2 <= x:
        n += 1
    return n


CHECKS = (
    Check(
        id="bounds.windows",
        statement="The published runs leave the theorem's window after 5 steps at .005, and before 1 at .05.",
        source="paper, Thm. 4.1 and D.10; derived here",
        cases=LENGTHS,
        law=_windows,
        evidence="exact",
        cost=8,
    ),
    Check(
        id="bounds.informal_window",
        statement="The informal window ends at s eta = 1/(12 L); the formal one earlier if 4 T > 225 L^2.",
        source="paper, Thm. 4.1 and D.10; derived here",
        cases=SETTINGS,
        law=_informal,
        evidence="exact",
    ),
)
