"""The command as a person calls it: in a process of its own, or in this one, where all is imported."""

import io
import os
import subprocess
import sys

import pytest

from gpu.interrupts import Interrupts
from paper_checks.command_line import main


def leadterms(*arguments, cwd, timeout=120):
    """Call the command in a process of its own; return that when it has ended."""
    return subprocess.run(
        [sys.executable, "-c", "from paper_checks.command_line import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=timeout,
        env={**os.environ, "COLUMNS": "80"},
    )


def called(*arguments, cwd):
    """Call the command in this process, which takes a second less; return the same.

    What it does not catch is raised here.
    """
    words = list(map(str, arguments))
    printed, complaint = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        # The test run keeps its own way with Ctrl-C.
        patch.setattr(Interrupts, "listen", lambda self: None)
        patch.setattr(Interrupts, "ignore", lambda self: None)
        patch.chdir(cwd)
        patch.setenv("COLUMNS", "80")
        patch.setattr(sys, "argv", ["leadterms", *words])
        patch.setattr(sys, "stdout", printed)
        patch.setattr(sys, "stderr", complaint)
        with pytest.raises(SystemExit) as end:
            main()
    return subprocess.CompletedProcess(words, end.value.code or 0, printed.getvalue(), complaint.getvalue())
