"""The exponent of a cost that a benchmark fits."""

from __future__ import annotations

import pytest

from benchmarks import growth

# Powers of four: their logarithms are whole, those of their roots and squares too, and nothing is rounded.
SIZES = (4, 16, 64)


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that calls set forward themselves."""

    class Clock:
        now = 0.0

    monkeypatch.setattr(growth, "processor_seconds", lambda call: spent(Clock, call))
    return Clock


def spent(clock, call):
    before = clock.now
    call()
    return clock.now - before


def work(clock, cost, slowed=lambda call: 1.0):
    """Return what takes `cost` of each size, the call of that number `slowed`."""
    calls = iter(range(10**6))

    def of(size):
        def call():
            clock.now += cost(size) * slowed(next(calls))

        return call

    return {size: of(size) for size in SIZES}


@pytest.mark.parametrize("power", [1.0, 0.5, 2.0])
def test_a_power_of_the_size_is_found(clock, power):
    """Not only where it is 1."""
    assert growth.exponent(work(clock, lambda size: size**power)) == power


def test_a_fixed_cost_is_seen(clock):
    """A cost that every call has once is no part of a linear one."""
    assert growth.exponent(work(clock, lambda size: 1 + size)) < 0.95


def test_one_quiet_round_is_enough(clock):
    """Whatever slows the calls of all other rounds, by whatever factor."""
    in_a_round = sum(max(SIZES) // size for size in SIZES)

    def slowed(call):
        return 1.0 if call // in_a_round == 2 else 1.1 + call % 7

    assert growth.exponent(work(clock, float, slowed)) == 1


def test_sizes_alternate_and_do_the_same_work():
    """A slow spell of a part of a round meets every size."""
    order = growth.in_turn(list(SIZES))
    assert {size: order.count(size) * size for size in SIZES} == dict.fromkeys(SIZES, max(SIZES))
    before = order[: order.index(64)]
    assert {size: before.count(size) for size in SIZES} == {4: 8, 16: 2, 64: 0}
