"""A vocabulary whose matrices do not fit is refused, and one that fits is not."""

import math

import pytest

import reference.memory
from reference.errors import InputError
from reference.memory import check_matrices


def test_the_limit_is_where_the_matrices_fill_the_memory(monkeypatch):
    monkeypatch.setattr(reference.memory, "physical_memory", lambda: 8 * 10 * 100**2)
    check_matrices(100, 10)
    with pytest.raises(InputError, match="give --vocab 100 or less"):
        check_matrices(101, 10)
    with pytest.raises(InputError, match=f"give --vocab {math.isqrt(100**2 * 10 // 11)} or less"):
        check_matrices(100, 11)


def test_a_machine_that_does_not_say_is_not_asked(monkeypatch):
    monkeypatch.setattr(reference.memory, "physical_memory", lambda: None)
    check_matrices(10**6, 10)


def test_this_machine_says_how_much_it_has():
    there = reference.memory.physical_memory()
    assert there is None or there > 2**28
