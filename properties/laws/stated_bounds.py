"""Every constant, exponent, window and condition of the error bounds, against a table of the statements.

A bound that is a hundred times too wide, or a window without one of its conditions, is still satisfied by
every run: nothing that is trained can notice. So the statements are typed in once more, as data
(`properties/statements.toml`), and `theory.bounds` and `theory.bound_facts` must say the same: each bound
at runs whose V, T, s and eta are different primes, each condition on its edge and just past it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from flint import fmpq, fmpq_mat

from properties.cases import STATEMENTS, TableCase
from properties.check import Check, Outcome
from properties.laws.mathematics import equal
from properties.target import Target
from theory import bound_facts
from theory.bounds import (
    THEOREMS,
    Setting,
    Theorem,
    failure_exponents,
    largest_start,
    last_step_inside,
    start_over_leading_squared,
)
from theory.orders import GROUPS
from theory.rational_text import rational

# (size, limit) of statistics that have one entry, 3, -5, 7 and -11, and are far too large.
NORMS = {
    "|B_bar|^2": (9, 1),
    "|Phi_bar|^2": (25, 4),
    "|Phi_bar|^2, sharper": (25, 1),
    "max |Q_bar|": (7, 1),
    "max |Delta_bar|": (11, 1),
    "|Q_bar|^2": (49, 1),
    "|Delta_bar|^2": (121, 1),
}
# Different primes, so that no exponent can stand in for another.
EVALUATED = (Setting(7, 5, 2, fmpq(1, 3), 11), Setting(13, 2, 1, fmpq(3, 17), 19))


@cache
def stated() -> dict[str, Any]:
    """Return the table."""
    # Not by the package's name: a module of a target may have it too, and pytest remembers the latest.
    return tomllib.loads((Path(__file__).parents[1] / "statements.toml").read_text(encoding="utf-8"))


def run_of(row: list[Any]) -> Setting:
    """Return the run that a row [V, T, L, "eta", s] of the table means."""
    V, T, L, rate, steps = row
    return Setting(V, T, L, rational(rate), steps)


def _bound_squared(entry: dict[str, Any], at: Setting) -> fmpq:
    """(constant s^a eta^b T^c V^d)^2; doubled exponents are whole numbers."""
    bases = {"s": fmpq(at.steps), "eta": at.rate, "T": fmpq(at.length), "V": fmpq(at.vocab_size)}
    squared = rational(entry["constant"]) ** 2
    for name, base in bases.items():
        squared *= base ** int(2 * rational(str(entry.get(name, 0))))
    return squared


def _bounds(target: Target, case: TableCase) -> Outcome:
    for entry in stated()["theorem"]:
        for at in EVALUATED:
            found = THEOREMS[entry["name"]].bounds_squared(at)
            for group in GROUPS:
                expected = _bound_squared(entry["bounds"][group], at)
                yield equal(f"{entry['name']}, bound of {group}, squared, at {at}", found[group], expected)
    yield equal("theorems", sorted(THEOREMS), sorted(entry["name"] for entry in stated()["theorem"]))


def _conditions(target: Target, case: TableCase) -> Outcome:
    for entry in stated()["theorem"]:
        theorem: Theorem = THEOREMS[entry["name"]]
        names = {condition["says"] for condition in entry["conditions"]}
        yield equal(f"conditions of {theorem.name}", sorted(theorem.conditions), sorted(names))
        for row in entry["speaks_of"]:
            yield equal(f"what keeps {theorem.name} from {row}", theorem.failed(run_of(row)), [])
        for condition in entry["conditions"]:
            also = condition.get("also", [])
            inside, outside = (theorem.failed(run_of(condition[end])) for end in ("inside", "outside"))
            told = f"{theorem.name}, {condition['says']}"
            yield equal(f"{told}: fails at its edge {condition['inside']}", inside, also)
            past = sorted([condition["says"], *also])
            yield equal(f"{told}: fails past its edge {condition['outside']}", sorted(outside), past)
    for window in stated()["window"]:
        for *row, last in window["last"]:
            at = run_of([*row, 1])
            theorem = THEOREMS[window["theorem"]]
            found = last_step_inside(theorem, at.vocab_size, at.length, at.layers, at.rate)
            yield equal(f"last step of {theorem.name} at {row}", found, last)


def _gaussian(target: Target, case: TableCase) -> Outcome:
    start = stated()["start"]
    for entry in start["largest"]:
        yield equal(f"largest v at {entry['run']}", largest_start(run_of(entry["run"])), rational(entry["v"]))
    for entry in start["failure"]:
        V, L, xi = entry["V"], entry["L"], entry["twice_xi"]
        n, first, second = failure_exponents(V, L, xi)
        expected = (entry["bound"][0], rational(entry["bound"][1]), rational(entry["bound"][2]))
        yield equal(f"starts not covered at V = {V}, L = {L}, xi = {xi}/2", (n, first, second), expected)
    noise = start["noise"]
    for group in GROUPS:
        found = start_over_leading_squared(group, fmpq(1), run_of(noise["run"]), rational(noise["v"]))
        yield equal(f"start of {group} over its leading term, squared", found, rational(noise[group]))


def _lemmas(target: Target, case: TableCase) -> Outcome:
    limits = {name: rational(limit) for name, limit in stated()["limits"].items()}
    yield equal("limits", dict(bound_facts.LIMITS), limits)
    numbers = {"B_bar": 3, "Phi_bar": -5, "Q_bar": 7, "Delta_bar": -11}
    held = bound_facts.norms({name: fmpq_mat([[0, n]]) for name, n in numbers.items()})
    for name, (value, limit) in NORMS.items():
        yield equal(f"size and limit of {name} where it is out of bounds", held[name], (value, limit))
    yield equal("sizes held to a limit", sorted(held), sorted(NORMS))
    gaps = {
        "2 s^4 - (6 C(s,4) + 4 C(s,3))": bound_facts.coefficient_bound_gap(),
        "s^4 / 8 - c_s": bound_facts.eighth_power_gap(),
    }
    for name, values in stated()["polynomials"].items():
        for s, value in enumerate(values, start=1):
            # The gaps are written in s - 1.
            found = gaps[name](s - 1) if name in gaps else bound_facts.attention_gain_gap()(s)
            yield equal(f"{name} at {s}", found, rational(value))


def _checks() -> Iterator[Check]:
    laws = {
        "constants": ("The bounds in use have the constants and exponents of the statements.", _bounds),
        "conditions": (
            "A theorem in use speaks of runs on the edge of each stated condition, and of none just past it.",
            _conditions,
        ),
        "gaussian_constants": (
            "The largest Gaussian start, the starts not covered and the noise in each weight are as stated.",
            _gaussian,
        ),
        "lemma_constants": ("The limits and polynomials used inside the proofs are as stated.", _lemmas),
    }
    for name, (statement, law) in laws.items():
        yield Check(
            f"bounds.{name}", statement, "paper, Thm. 4.1, app. D", STATEMENTS, law, evidence="exact", cost=24
        )


CHECKS = tuple(_checks())
