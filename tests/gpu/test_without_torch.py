"""A command that needs torch where there is none, or one that is broken: told in a sentence."""

import sys

import pytest

from gpu.command_line import run_command

BROKEN = {
    "raise ImportError('libgomp.so.1 is missing')": "torch is installed but cannot be imported (libgomp",
    "import no_such_part": "torch is installed but cannot be imported (No module named",
}


def imports_torch():
    import torch

    return torch


def said(capsys, monkeypatch, command=imports_torch):
    monkeypatch.setattr(sys, "argv", ["leadterms", "train"])
    with pytest.raises(SystemExit) as done:
        run_command(command, "leadterms")
    assert done.value.code == 2
    return capsys.readouterr().err


def test_what_is_missing_and_how_to_get_it_is_said(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert said(capsys, monkeypatch) == "leadterms: this needs torch: pip install 'leadterms[gpu]'.\n"


@pytest.mark.parametrize("source", BROKEN)
def test_a_torch_that_is_broken_is_said_to_be(source, capsys, monkeypatch, tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert BROKEN[source] in said(capsys, monkeypatch)


def test_an_import_that_fails_elsewhere_is_no_matter_of_torch(monkeypatch):
    def fails():
        raise ImportError("cannot import name 'x' from 'reference'")

    monkeypatch.setattr(sys, "argv", ["leadterms", "train"])
    with pytest.raises(ImportError, match="cannot import name"):
        run_command(fails, "leadterms")
