"""Checks shared by several processes: the results of one, and nothing left of the processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from multiprocessing import spawn

import numpy as np
import pytest

from properties.catalogue import select
from properties.connectors import connect
from properties.jobs import Job, Trial, try_in_turn
from properties.runner import mathematics
from properties.sharing import THREADS, try_between
from reference.corpus import Corpus
from reference.errors import InputError

CHECKS = ("theory.orders", "statistics.B_bar", "statistics.Phi_bar", "softmax.P_shift", "softmax.ties")
TARGETS = ("reference", "py:half_right:HalfRight")
# A law that fails has a counterexample; one that is not offered, a note.
HALF_RIGHT = """
import numpy as np
from reference.statistics import statistics

class HalfRight:
    def statistics(self, tokens, vocab_size):
        found = statistics(tokens, vocab_size)
        return {"B_bar": found["B_bar"], "Phi_bar": found["Phi_bar"].T}
"""
ENDS = """
import os

class Ends:
    def statistics(self, tokens, vocab_size):
        os._exit(9)
"""
TELLS = """
import os, sys

class Tells:
    def statistics(self, tokens, vocab_size):
        raise ValueError(str([os.environ.get(name) for name in {names}]) + getattr(sys, "left", " new"))
"""
# What happens at once takes longer on a busy machine.
SECONDS = 60
# Makes a file, and then does not end.
SLOW = """
import os, pathlib, time

def work():
    pathlib.Path(f"began-{os.getpid()}").touch()
    time.sleep(600)

class Slow:
    def statistics(self, tokens, vocab_size):
        work()

    def logits(self, parameters, tokens):
        work()
"""
# Python runs it at its start; it keeps those processes that others start for a while.
SLOW_START = """
import pathlib, sys, time

if "--multiprocessing-fork" in sys.orig_argv:
    pathlib.Path("began-to-start").touch()
    time.sleep(1)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder that modules are found in, here and in the processes that are started."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in ("half_right", "ends", "tells"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "half_right.py").write_text(HALF_RIGHT)
    (tmp_path / "ends.py").write_text(ENDS)
    (tmp_path / "tells.py").write_text(TELLS.format(names=THREADS))
    (tmp_path / "slow.py").write_text(SLOW)
    return tmp_path


def some_corpus():
    tokens = np.random.default_rng(0).integers(0, 7, size=(20, 7))
    return Corpus(tokens, tuple("abcdefg"), "letters")


def jobs(*targets, checks=CHECKS):
    chosen = select(checks)
    return [
        *(Job(mathematics(), check) for check in chosen if not check.needs),
        *(Job(connect(target), check) for target in targets for check in chosen if check.needs),
    ]


def untimed(results):
    return [replace(result, seconds=0) for result in results]


def silent(what, done, total):
    pass


def test_the_results_are_those_of_one_process_in_the_same_order(here):
    asked = jobs(*TARGETS)
    trial = Trial("quick", 3, some_corpus())
    told = []
    shared = try_between(2, asked, trial, lambda *all: told.append(all))
    alone = try_in_turn(asked, trial, silent)
    assert untimed(shared) == untimed(alone)
    assert {"passed", "failed", "not_applicable"} <= {result.result for result in alone}
    done = [count for _, count, _ in told]
    assert done == sorted(done)
    assert told[-1][1:] == (len(asked), len(asked))
    tried = [f"{target}: {family}" for target in TARGETS for family in ("softmax", "statistics")]
    assert sorted(what for what, _, _ in told) == sorted(["theory", *tried])


def test_every_process_is_told_seed_profile_and_corpus(here):
    """Of those of another run some result differs."""
    asked = jobs("reference", checks=["theory.orders", "statistics.B_bar", "statistics.B_bar_counted"])
    corpus = some_corpus()
    trials = [Trial("quick", 3, corpus), Trial("quick", 4, corpus), Trial("ci", 3, corpus), Trial("quick", 3)]
    found = [untimed(try_between(2, asked, one, silent)) for one in trials]
    for i, one in enumerate(found):
        assert one not in found[:i]


def test_what_is_not_asked_of_an_implementation_is_not_asked_of_the_corpus(here):
    """The mathematics is the same for every corpus: none is handed to it."""
    made, (check,) = [], select(["bounds.activations"])
    for needs in ((), ("statistics",)):
        cases = replace(check.cases, of_corpus=lambda corpus: made.append(corpus) or check.cases.ordinary)
        Trial("quick", 0, some_corpus()).of(
            Job(connect("reference"), replace(check, needs=needs, cases=cases))
        )
        assert len(made) == len(needs)


def test_processes_are_new_and_use_one_thread_each_and_this_one_as_many_as_before(here, monkeypatch):
    for name in THREADS[1:]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(THREADS[0], "3")
    monkeypatch.setattr(sys, "left", " a copy of this one", raising=False)
    before = dict(os.environ)
    results = try_between(2, jobs("py:tells:Tells", checks=["statistics.B_bar"]), Trial("quick", 0), silent)
    assert f"{['3', '1', '1']} new" in results[0].note
    assert dict(os.environ) == before


def test_a_process_that_ends_is_told_and_the_others_end_too(here):
    asked = jobs("py:ends:Ends", checks=["statistics", "theory.orders"])
    with pytest.raises(InputError, match=r"ended before they did: it crashed.* Give --jobs 1"):
        try_between(2, asked, Trial("quick", 0), silent)


def test_what_a_process_refuses_is_refused_here(here):
    """Such as a target that is not found there."""
    asked = [replace(job, target=replaced_name(job.target)) for job in jobs("reference", checks=["softmax"])]
    with pytest.raises(InputError, match="There is no target 'nothing'"):
        try_between(2, asked, Trial("quick", 0), silent)


def replaced_name(target):
    target.name = "nothing"
    return target


@pytest.fixture
def slow(here):
    """Start a command whose two processes do not end by themselves; return it once they made some files.

    A pipe of it is closed when every process that holds its end is gone: communicate waits for all of them.
    """
    started = []

    def begun(files=2):
        words = ["verify", "py:slow:Slow", "--jobs", "2", "--check", "statistics", "--check", "model"]
        process = subprocess.Popen(
            [sys.executable, "-c", "from paper_checks.command_line import main; main()", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=here,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *sys.path])},
            start_new_session=True,
            # Undo what a shell may have set for its background jobs: that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(process)
        given_up = time.monotonic() + SECONDS
        while len(list(here.glob("began-*"))) < files:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < given_up, "fewer processes began than should"
            time.sleep(0.05)
        return process

    yield begun
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.parametrize("at_their_start", [True, False])
@pytest.mark.parametrize("whole_group", [True, False])
def test_ctrl_c_ends_all_processes_with_one_sentence(slow, here, whole_group, at_their_start):
    """A terminal sends it to all of them, another program to one."""
    if at_their_start:
        (here / "sitecustomize.py").write_text(SLOW_START)
    process = slow(files=1 if at_their_start else 2)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    _, complaint = process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert complaint == "leadterms: stopped before the end; no file is left half written.\n"


def test_processes_end_with_the_one_that_started_them(slow):
    process = slow()
    process.kill()
    _, complaint = process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGKILL
    # Python itself clears up what was shared, and warns that it had to.
    assert "Traceback" not in complaint


def test_a_process_that_dies_at_its_start_is_told_whatever_it_was_to_get(here, monkeypatch):
    """More than a pipe holds would wait to be read, for ever."""
    python = here / "python"
    python.write_text(f"""#!/bin/sh
case "$*" in *--multiprocessing-fork*) exit 1;; esac
exec '{sys.executable}' "$@"
""")
    python.chmod(0o755)
    monkeypatch.setattr(spawn, "_python_exe", os.fsencode(python))
    large = Corpus(np.zeros((8, 1 << 14), dtype=np.int64), ("a",), "of a megabyte")
    with pytest.raises(InputError, match="ended before they did"):
        try_between(2, jobs("reference"), Trial("quick", 0, large), silent)
