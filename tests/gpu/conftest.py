"""Commands that run in a folder of their own, with a few sequences of tokens in it."""

import sys

import numpy as np
import pytest
from gpu_corpora import SMALL, corpus


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Return what runs a command where t.npy is, and returns its exit status and what it told."""
    monkeypatch.chdir(tmp_path)
    np.save("t.npy", corpus(*SMALL))

    def called(command, *arguments):
        monkeypatch.setattr(sys, "argv", ["command", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            command.main()
        told = capsys.readouterr()
        return end.value.code or 0, told.out, told.err

    return called
