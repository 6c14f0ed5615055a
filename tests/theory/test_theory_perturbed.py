"""One coefficient of the descent off by one, in one layer, order and entry: each law finds that one.

The laws are held to a series engine. Here the engine is what is wrong, wherever a law speaks of it: so no
layer, order, group or entry is left out of a comparison.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from theory_cases import corpus

from theory.laws import (
    accumulation,
    alignment_series,
    attention_departure,
    conserved,
    general_descent,
    large_vocabulary,
    layer_separation,
    leading_terms,
    next_order_terms,
    small_start,
)
from theory.next_order import ORDER as NEXT
from theory.orders import GROUPS, leading_orders
from theory.series import SeriesParameters, Update
from theory.verdict import Statement, Verdict

V, L, STEPS = 3, 3, 4
TOKENS = corpus(0, 3, 3, V)
T = len(TOKENS[0]) - 1
LEADING = leading_orders(L)
UPDATES = [Update(fmpq(r + 1, 2)) for r in range(STEPS)]

Place = tuple[str, int, int]
"""Group, layer, order."""


def off_by_one(history: list[SeriesParameters], place: Place) -> list[SeriesParameters]:
    """The same after the last step, but for one entry, the last of its first column."""
    group, layer, order = place
    last = history[-1]
    wrong = replace(
        last,
        W_O=[fmpq_mat(c) for c in last.W_O],
        V=[[fmpq_mat(c) for c in kept] for kept in last.V],
        W=[[fmpq_mat(c) for c in kept] for kept in last.W],
        P=[[list(c) for c in kept] for kept in last.P],
    )
    if group == "P":
        wrong.P[layer][order][T - 1] += 1
    else:
        wrong.group(group)[layer][order][V - 1, 0] += 1
    return [*history[:-1], wrong]


def places(orders: dict[str, range]) -> Iterator[Place]:
    for group, spoken_of in orders.items():
        for layer in range(1 if group == "W_O" else L):
            for order in spoken_of:
                yield group, layer, order


def entry(group: str) -> tuple[int, int]:
    return (T - 1 if group == "P" else V - 1), 0


def perturbed(
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    check: Callable[[], Verdict],
    all_places: Iterator[Place],
) -> Iterator[tuple[Place, Verdict]]:
    """The verdict of a check for each place that its engine, run once, is wrong at."""
    right = getattr(module, name)
    kept: list[list[SeriesParameters]] = []

    def remembered(*arguments: Any, **named: Any) -> list[SeriesParameters]:
        if not kept:
            kept.append(right(*arguments, **named))
        return off_by_one(kept[0], place)

    monkeypatch.setattr(module, name, remembered)
    for place in all_places:
        yield place, check()


UP_TO_LEADING = {g: range(k + 1) for g, k in LEADING.items()}
ONE_DESCENT = [
    (leading_terms, "trajectory", lambda: leading_terms.check(TOKENS, V, L, STEPS), UP_TO_LEADING),
    (
        next_order_terms,
        "trajectory",
        lambda: next_order_terms.check(TOKENS, V, L, STEPS),
        {g: range(k, k + 1) for g, k in NEXT.items()},
    ),
    (
        general_descent,
        "descend_by",
        lambda: general_descent.check(TOKENS, V, L, UPDATES, momentum=fmpq(1, 2)),
        UP_TO_LEADING,
    ),
]


@pytest.mark.parametrize(
    ("module", "engine", "check", "orders"), ONE_DESCENT, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_wrong_coefficient_is_found_where_it_is(
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    engine: str,
    check: Callable[[], Verdict],
    orders: dict[str, range],
) -> None:
    for place, verdict in perturbed(monkeypatch, module, engine, check, places(orders)):
        group, layer, order = place
        found = verdict.difference
        assert found is not None, place
        assert (found.quantity, found.layer or 0, found.order, found.step) == (group, layer, order, STEPS), (
            place
        )
        assert found.entry == entry(group), place


def test_every_pair_of_layers_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer that is wrong differs from the one below it, or for the lowest from the one above."""
    orders = {g: range(1, k + 1) for g, k in layer_separation.ORDER.items()}

    def check() -> Verdict:
        return layer_separation.check(TOKENS, V, L, STEPS)

    for place, verdict in perturbed(monkeypatch, layer_separation, "trajectory", check, places(orders)):
        group, layer, order = place
        found = verdict.difference
        assert found is not None, place
        assert (found.quantity, found.layer, found.order) == (group, max(layer, 1), order), place
        assert found.entry == entry(group), place


def test_every_conserved_sum_is_held_at_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [("W_O", 0, k) for k in range(6)] + [("P", n, k) for n in range(L) for k in range(6)]
    held += [("W", 0, k) for k in range(6)]

    def check() -> Verdict:
        return conserved.check(TOKENS, V, L, STEPS, 5)

    for place, verdict in perturbed(monkeypatch, conserved, "trajectory", check, iter(held)):
        found = verdict.difference
        assert found is not None, place
        assert found.order == place[2]
        assert found.entry == ((place[1], 0) if place[0] == "P" else (V - 1, 0))


def test_every_weight_has_its_error_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The leading coefficient moves the error at order 0, the next one later."""

    def check() -> Verdict:
        return alignment_series.check(TOKENS, V, L, STEPS)

    orders = {g: range(k, k + 2) for g, k in LEADING.items()}
    for place, verdict in perturbed(monkeypatch, alignment_series, "trajectory", check, places(orders)):
        group, layer, order = place
        found = verdict.difference
        assert found is not None, place
        assert found.quantity.endswith(f" {group}")
        assert (found.layer or 0) == layer
        assert (found.order == 0) == (order == LEADING[group])


def test_every_start_and_layer_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    from test_theory_laws import start

    def check() -> Verdict:
        return small_start.check(TOKENS, V, L, STEPS, 3, start(T, V, L))

    for place, verdict in perturbed(monkeypatch, small_start, "descend_by", check, places(UP_TO_LEADING)):
        found = verdict.difference
        assert found is not None, place
        assert (found.quantity, found.layer or 0, found.order) == place


def test_accumulation_is_held_in_every_group_and_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    micro = [[1, 0, 0], [0, fmpq(1, 3), fmpq(2, 3)]]
    orders = {g: range(1, k + 1) for g, k in LEADING.items()}

    def check() -> Verdict:
        return accumulation.check(TOKENS, V, L, micro, STEPS)

    for place, verdict in perturbed(monkeypatch, accumulation, "accumulate", check, places(orders)):
        found = verdict.difference
        assert found is not None, place
        assert (found.quantity, found.layer or 0, found.order, found.step) == (*place, STEPS)
        assert found.entry == entry(place[0])


@pytest.mark.parametrize("group", GROUPS)
def test_two_orders_further_the_last_layer_is_held(monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    right = large_vocabulary.coefficient
    place = (group, 0 if group == "W_O" else L - 1, LEADING[group] + 2)

    def wrong(history: list[SeriesParameters], one: Statement[fmpq_mat]) -> fmpq_mat:
        here = (one.quantity, one.layer or 0, one.order, one.step) == (*place, STEPS)
        return right(off_by_one(history, place) if here else history, one)

    monkeypatch.setattr(large_vocabulary, "coefficient", wrong)
    found = large_vocabulary.check(TOKENS, V, L, STEPS).difference
    assert found is not None
    assert (found.quantity, found.layer or 0, found.order, found.entry) == (*place, entry(group))


@pytest.mark.parametrize(("layer", "order"), [(n, k) for n in range(L) for k in range(1, 6)])
def test_attention_of_every_layer_is_held(monkeypatch: pytest.MonkeyPatch, layer: int, order: int) -> None:
    right = attention_departure.forward

    def wrong(at: Any, one: Any) -> Any:
        run = right(at, one)
        maps = [run.A[n] if n != layer else Off(run.A[n], order) for n in range(L)]
        return replace(run, A=tuple(maps))

    monkeypatch.setattr(attention_departure, "forward", wrong)
    found = attention_departure.check(TOKENS, V, L, STEPS).difference
    assert found is not None
    assert (found.quantity, found.layer, found.order) == ("attention on sequence 0", layer, order)
    assert found.entry == (T - 1, 0)


class Off:
    """A series of [T, T] matrices whose coefficient at one order is off in one entry."""

    def __init__(self, series: Any, order: int) -> None:
        self.series, self.order = series, order

    def __getitem__(self, order: int) -> Any:
        right = self.series[order]
        if order != self.order:
            return right
        off = fmpq_mat(T, T, [int(n == T * (T - 1)) for n in range(T * T)])
        return off if right is None else right + off
