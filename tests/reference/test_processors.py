"""How many processors there are to compute with."""

from __future__ import annotations

import os

import pytest

from reference.processors import usable_processors


def test_only_those_that_this_process_may_use_count():
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not bind processes to processors")
    allowed = os.sched_getaffinity(0)
    assert usable_processors() == len(allowed)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert usable_processors() == 1
    finally:
        os.sched_setaffinity(0, allowed)


@pytest.mark.parametrize(("there", "expected"), [(6, 6), (None, 1)])
def test_where_that_cannot_be_asked_for_all_of_the_machine_count(monkeypatch, there, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: there)
    assert usable_processors() == expected
