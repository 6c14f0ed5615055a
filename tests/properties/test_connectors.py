"""What a target may be, and what is said of one that is none."""

import pytest

from properties.connectors import connect, require_names
from reference.errors import InputError


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("nosuch", "no target 'nosuch'"),
        ("referense", "Did you mean reference"),
        ("py:", "incomplete"),
        ("py:json", "incomplete"),
        ("py:no_such_module:thing", "check the module's name"),
        ("py:no_such_module.py:thing", "without .py"),
        ("py:folder/module:thing", "in its folder"),
        ("py:json:nosuch", "no attribute 'nosuch'"),
        ("py:json:dump", "raised TypeError"),
        ("py:sys:path", "none of the methods"),
        ("weights:missing.npz", "has weights and no methods"),
    ],
)
def test_a_target_that_is_none_is_told(spec, told):
    with pytest.raises(InputError, match=told):
        connect(spec)


def test_a_target_may_be_a_class_a_factory_or_an_object(tmp_path, monkeypatch):
    (tmp_path / "my_own_module.py").write_text(
        "from reference.implementation import Reference\n"
        "implementation = Reference()\n"
        "def make(): return Reference()\n"
    )
    monkeypatch.chdir(tmp_path)
    for attribute in ("Reference", "implementation", "make"):
        target = connect(f"py:my_own_module:{attribute}")
        assert "statistics" in target.methods
        assert target.name == f"py:my_own_module:{attribute}"


@pytest.mark.parametrize(
    ("specs", "told"),
    [
        (["cmd:python3", "mine.py"], "quote both as one word: 'cmd:python3 mine.py'"),
        (["reference", "referense"], "Did you mean reference"),
        (["mine.py"], "as py:mine:NAME"),
    ],
)
def test_a_name_that_is_none_is_told_before_any_program_is_started(specs, told, tmp_path, monkeypatch):
    (tmp_path / "mine.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=told):
        require_names(specs)
    require_names(["reference", "cmd:python3 mine.py", "py:mine:Mine", "weights:w.npz", "torch:mine:Mine"])
