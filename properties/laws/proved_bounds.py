"""The theorem's error bounds for every corpus at once: no run is needed, and none could say as much.

`theory.laws.proved_bounds` follows sizes that dominate a descent. Here its conclusions are drawn, each beside
what one repeated word (`theory.laws.one_word`) needs of the same bound: the truth lies between the two, so
sizes that are too small are caught where they fall below it. `bounds.D5` to `bounds.D13` hold runs of an
implementation to the same bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from flint import fmpq
from hypothesis import strategies as st

from properties.cases import SHORT_DESCENTS, STEPS, Cases, DescentCase, StepsCase
from properties.check import Check, Law, Measurement, NotAdmitted, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import to_float
from properties.target import Target
from theory.balls import at_most
from theory.bounds import THEOREMS, Setting
from theory.laws.one_word import deepest, descent, errors_squared
from theory.laws.proved_bounds import GRAIN, ZERO, beyond_leading, corner, flow, proved_to, shares
from theory.next_order import inner
from theory.orders import GROUPS, leading_orders
from theory.series import descend, summed
from theory.truncation import tail_bounds

DEEPEST = 6
"""The bounds are proved for each number of layers from 1 to this."""

FURTHER = {1: 3, 2: 4, 3: 6, 4: 7}
"""By number of layers: to how many times the progress of Theorem D.10 its bounds are proved."""

MANY_STEPS = 64
"""Steps in which one repeated word goes to the end of a window."""

NEAREST = {"layers": 3, "words": 10**9, "steps": 10_000}
"""A run of one repeated word that needs nearly all that is proved of it."""

LEADING = {"W_O": fmpq(1), "V": fmpq(1, 2), "W": fmpq(1, 4), "P": fmpq(1, 4)}
"""The sizes at the leading orders, by hand."""

ORDERS_BEYOND = 3
"""Orders past the leading one at which a series is held to the sizes that dominate it."""


def _proved(theorem: str) -> Law:
    def law(target: Target, case: StepsCase) -> Outcome:
        proved: dict[str, dict[str, float]] = {}
        reached: dict[str, dict[str, float]] = {}
        for layers in range(1, case.layers + 1):
            at, needed = corner(theorem, layers), shares(theorem, layers)
            for group in GROUPS:
                for layer, share in enumerate(needed[group]):
                    told = f"error over bound of {group}, layer {layer} of {layers}, on any corpus"
                    yield equal(f"{told}, {to_float(share)}, is at most 1", share <= 1, True)
            yield from _is_the_corner(theorem, at)
            proved[f"L = {layers}"] = {group: to_float(max(of)) for group, of in needed.items()}
            reached[f"L = {layers}"] = {}
            for group, (part, within) in _one_repeated_word(theorem, at, needed).items():
                yield equal(f"one repeated word needs no more of {group}'s bound", within, True)
                reached[f"L = {layers}"][group] = part
        yield Measurement("error over bound on any corpus, at most", proved)
        yield Measurement("error over bound of one repeated word", reached)

    return law


def _one_repeated_word(
    theorem: str, at: Setting, needed: Mapping[str, Sequence[fmpq]]
) -> dict[str, tuple[float, bool]]:
    """Return by group what share of its bound it needs, and whether that is at most what is proved."""
    run = _of_one_word(at)
    bounds = THEOREMS[theorem].bounds_squared(run)
    return {
        group: (
            math.sqrt(float(error.mid()) / to_float(bounds[group])),
            at_most(error, max(needed[group]) ** 2 * bounds[group]),
        )
        for group, error in errors_squared(run).items()
    }


def _of_one_word(at: Setting) -> Setting:
    """Return the run with the same s eta in `MANY_STEPS`, or as many as it has, and at least two words."""
    steps = at.steps if at.steps > 1 else MANY_STEPS
    return Setting(max(at.vocab_size, 2), at.length, at.layers, at.progress / steps, steps)


def _is_the_corner(theorem: str, at: Setting) -> Outcome:
    """Outside with a little more progress, with a word or a position less; inside with less progress."""
    failed = THEOREMS[theorem].failed
    V, T, L, s = at.vocab_size, at.length, at.layers, at.steps
    inside = at.rate - fmpq(1, GRAIN)
    yield equal(f"what {theorem} lacks at the end of its window", failed(Setting(V, T, L, inside, s)), [])
    smaller = {"s eta": at, "T": Setting(V, T - 1, L, inside, s), "V": Setting(V - 1, T, L, inside, s)}
    least = {"T": T == 1, "V": V == 1}
    for what, run in smaller.items():
        if not least.get(what, False):
            yield equal(f"{theorem} ends at this {what}", bool(failed(run)), True)


def _dominated(target: Target, case: DescentCase) -> Outcome:
    """|coefficient of eta^k after s steps| <= phi_k s^k, in every weight and layer.

    At the leading orders phi is the limit of s / s, of C(s,2) / s^2, and of 2 c_s / s^4, where the 2 is
    a (1 + a) at zero scores.
    """
    orders = {g: k + ORDERS_BEYOND for g, k in leading_orders(case.layers).items()}
    found = descend(case.tokens.tolist(), case.vocab_size, case.layers, case.steps, max(orders.values()))
    phi = flow(case.layers, case.vocab_size, ZERO)
    for group in GROUPS:
        for layer, (series, sizes) in enumerate(zip(found.group(group), phi.group(group), strict=True)):
            first = orders[group] - ORDERS_BEYOND
            yield equal(f"size of {group}, layer {layer}, at order {first}", sizes[first], LEADING[group])
            for order in range(orders[group] + 1):
                most = sizes[order] * case.steps**order
                size = inner(series[order], series[order])
                told = f"|{group}, layer {layer}, order {order}|^2 = {size} <= ({most})^2"
                yield equal(told, size <= most**2, True)


def _one_word(target: Target, case: StepsCase) -> Outcome:
    """The two numbers are those of the whole descent, up to the proven tail of its series."""
    V, L, s, rate, order = 4, min(case.layers, 3), min(case.steps, 4), fmpq(1, 64), 8
    if not s:
        raise NotAdmitted("nothing has moved")
    o, v = descent(Setting(V, 2, L, rate, s))
    series, tails = descend([[0, 0, 0]], V, L, s, order), tail_bounds(L, s, rate, order, V)
    for j in range(V):
        expected = summed(series.W_O, rate)[0, j]
        entry = o * (fmpq(int(j == 0)) - fmpq(1, V))
        yield equal(
            f"W_O[0, {j}] after {s} steps is that of the series to order {order}",
            at_most(abs(entry - expected), tails["W_O"][0]),
            True,
        )
    for layer in range(L):
        expected = summed(series.V[layer], rate)[0, 0]
        yield equal(
            f"V, layer {layer}, [0, 0] after {s} steps is that of the series to order {order}",
            at_most(abs(v - expected), tails["V"][layer]),
            True,
        )


def _depth(target: Target, case: StepsCase) -> Outcome:
    """At the lemma's edge, V = 500 and eta = 1/8; and beside what is proved, where they are nearest."""
    yield from _nearest()
    at = corner("Lemma D.6", 1)
    edge = Setting(at.vocab_size, at.length, at.layers, at.rate - fmpq(1, GRAIN), at.steps)
    layers = deepest(edge, THEOREMS["Lemma D.6"].bounds_squared(edge))
    yield equal("layers up to which one repeated word is within the bounds of Lemma D.6", layers, 8)
    yield Measurement("layers up to which one repeated word is within Lemma D.6", layers)
    deeper = Setting(edge.vocab_size, edge.length, layers + 1, edge.rate, edge.steps)
    over = errors_squared(deeper)["V"].mid() / to_float(THEOREMS["Lemma D.6"].bounds_squared(deeper)["V"])
    yield Measurement("error of V over its bound with a layer more", math.sqrt(float(over)))


def _nearest() -> Outcome:
    """One repeated word needs no more than is proved, and with many words and steps hardly less."""
    at = corner("Theorem D.10", NEAREST["layers"])
    steps = NEAREST["steps"]
    run = Setting(NEAREST["words"], at.length, at.layers, at.progress / steps, steps)
    to_spare: dict[str, float] = {}
    proved = beyond_leading(run, ZERO)
    for group, error in errors_squared(run).items():
        most = max(proved[group])
        yield equal(
            f"one repeated word needs no more of {group} than is proved", at_most(error, most**2), True
        )
        to_spare[group] = 1 - math.sqrt(float(error.mid())) / to_float(most)
    told = f"L = {at.layers}, V = {run.vocab_size}, s = {steps}"
    yield Measurement(f"share of what is proved that one repeated word does not need, {told}", to_spare)


def _window(target: Target, case: StepsCase) -> Outcome:
    """Theorem D.10 ends at 1/(12 L) or earlier."""
    reached: dict[str, dict[str, float]] = {}
    for layers, times in FURTHER.items():
        at = corner("Theorem D.10", layers)
        beyond = Setting(at.vocab_size, at.length, layers, times * at.rate, at.steps)
        told = f"with {layers} layers the bounds are proved to {times} times {to_float(at.progress)}"
        yield equal(told, proved_to(beyond), True)
        far = Setting(at.vocab_size, at.length, layers, 1 / at.progress, at.steps)
        yield equal(
            f"with {layers} layers they are proved to {to_float(far.progress)}", proved_to(far), False
        )
        reached[f"L = {layers}"] = {"times": times, "s eta": to_float(beyond.progress)}
    yield Measurement("proved to this many times the progress of Theorem D.10", reached)


def _deepest(layers: int) -> Cases:
    """Return the one case that stands for every number of layers up to `layers`."""
    case = StepsCase(steps=MANY_STEPS, layers=layers)
    return Cases(st.just(case), case)


def _checks() -> Iterator[Check]:
    proved = {
        "D6": ("Lemma D.6", ""),
        "D7": ("Theorem D.7", ""),
        "informal": ("Theorem 4.1", ", from zero"),
        "D10": ("Theorem D.10", ""),
        "D13": ("Theorem D.13", ", from every start of the norms that it allows"),
    }
    for name, (theorem, start) in proved.items():
        one_layer = "L = 1" in THEOREMS[theorem].conditions
        depth = "with one layer" if one_layer else f"with 1 to {DEEPEST} layers"
        yield Check(
            f"bounds.{name}_proved",
            f"The bounds of {theorem} hold for every corpus in its whole window {depth}{start}.",
            "derived here",
            _deepest(1 if one_layer else DEEPEST),
            _proved(theorem),
            evidence="proved",
            proof="derivation",
            cost=60,
        )


CHECKS: tuple[Check, ...] = (
    *_checks(),
    Check(
        "bounds.dominated",
        "Every coefficient of a descent is at most as large as that of the flow of sizes that dominates it.",
        "derived here",
        SHORT_DESCENTS,
        _dominated,
        evidence="exact",
        cost=8,
    ),
    Check(
        "bounds.one_word",
        "On one repeated word descent is two numbers, in every layer the same.",
        "derived here",
        STEPS,
        _one_word,
        evidence="exact",
        cost=8,
    ),
    Check(
        "bounds.depth",
        "With nine layers one repeated word breaks the bound of Lemma D.6 on V; with eight none of them.",
        "derived here",
        _deepest(1),
        _depth,
        evidence="exact",
        cost=60,
    ),
    Check(
        "bounds.wider_window",
        "With 1, 2, 3 and 4 layers the bounds of Theorem D.10 hold to 3, 4, 6 and 7 times its progress.",
        "derived here",
        _deepest(4),
        _window,
        evidence="proved",
        proof="derivation",
        cost=60,
    ),
)
