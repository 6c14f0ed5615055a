"""What Ctrl-C does the second time, and after the work."""

import os
import signal
import time

import pytest

from gpu.interrupts import SECONDS_OF_CLEAN_UP, STATUS, Interrupts


@pytest.fixture
def _signal_kept():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_second_time_it_waits_for_a_clean_up_and_ends_one_that_hangs(monkeypatch):
    now, ended = [100.0], []
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(os, "_exit", ended.append)
    pressed = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        pressed._interrupt(signal.SIGINT, None)
    now[0] += SECONDS_OF_CLEAN_UP / 2
    pressed._interrupt(signal.SIGINT, None)
    assert ended == []
    now[0] += SECONDS_OF_CLEAN_UP
    pressed._interrupt(signal.SIGINT, None)
    assert ended == [STATUS]


@pytest.mark.usefixtures("_signal_kept")
def test_what_is_told_at_the_end_is_not_interrupted(capsys):
    assert Interrupts().stopped("stopped") == STATUS
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert capsys.readouterr().err == "stopped\n"
