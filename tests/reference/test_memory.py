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


@pytest.mark.parametrize(
    ("membership", "files", "expected"),
    [
        ("0::/box/job\n", {"box/job/memory.max": "max\n", "box/memory.max": "4096\n"}, 4096),
        ("0::/box\n", {"box/memory.max": "8192\n", "memory.max": "4096\n"}, 4096),
        ("0::/\n", {"memory.max": "4096\n"}, 4096),
        ("3:cpu,memory:/box\n0::/\n", {"memory/box/memory.limit_in_bytes": "4096\n"}, 4096),
        ("3:cpu:/box\n", {"box/memory.max": "4096\n"}, None),
        ("0::/box\n", {}, None),
        ("", {"memory.max": "4096\n"}, None),
    ],
)
def test_a_control_group_that_may_use_less_decides(membership, files, expected, tmp_path, monkeypatch):
    for name, text in files.items():
        (tmp_path / "groups" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "groups" / name).write_text(text)
    (tmp_path / "cgroup").write_text(membership)
    monkeypatch.setattr(reference.memory, "GROUPS", tmp_path / "nothing there")
    machine = reference.memory.physical_memory()
    monkeypatch.setattr(reference.memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr(reference.memory, "MEMBERSHIP", tmp_path / "cgroup")
    there = reference.memory.physical_memory()
    assert there is None or there == (machine if expected is None else expected)
