"""How many processes share the checks, and the option that says so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from calling import called

import paper_checks.processes as rule
from paper_checks.commands.verify import Suite
from paper_checks.verification import verify
from properties import sharing
from properties.results import Result
from reference.corpus import Corpus
from reference.errors import InputError

GIBIBYTE = 1 << 30
TWO = Corpus(np.array([[0, 1, 0]]), ("a", "b"), "two words")
TWO_THOUSAND = Corpus(np.array([[0, 1, 0]]), tuple(map(str, range(2000))), "two thousand")


@pytest.fixture
def machine(monkeypatch):
    """Set what there is."""

    def has(processors, memory):
        monkeypatch.setattr(rule, "usable_processors", lambda: processors)
        monkeypatch.setattr(rule, "physical_memory", lambda: memory)

    return has


@pytest.mark.parametrize(
    ("processors", "memory", "checks", "corpus", "expected"),
    [
        (2, 8 * GIBIBYTE, 480, TWO, 2),
        (1, 8 * GIBIBYTE, 480, TWO, 1),
        (64, 64 * GIBIBYTE, 480, TWO, 12),  # 40 checks each
        (64, 64 * GIBIBYTE, 39, TWO, 1),
        (8, 2 * GIBIBYTE, 480, TWO, 3),  # half a GiB each, and the matrices of two words
        (8, 4 * GIBIBYTE, 480, TWO_THOUSAND, 3),  # 20 matrices of 32 MB more
        (8, GIBIBYTE // 4, 480, TWO, 1),
        (8, None, 480, TWO, 8),
    ],
)
def test_as_many_as_processors_memory_and_checks_allow(machine, processors, memory, checks, corpus, expected):
    machine(processors, memory)
    assert rule.processes(None, ["reference", "gpu"], checks, corpus) == expected


@pytest.mark.parametrize("own", ["py:mine:Mine", "torch:mine:build", "cmd:./mine"])
def test_of_what_is_yours_there_is_one_unless_you_ask(machine, own):
    machine(8, None)
    assert rule.processes(None, ["reference", own], 480, TWO) == 1


def test_a_law_counts_once_for_each_implementation():
    suite = Suite.chosen(["reference", "py:mine:Mine"], ["statistics.B_bar", "softmax.ties", "theory.orders"])
    assert suite.count == 1 + 2 * 2


def test_what_was_asked_for_is_done(machine):
    machine(2, GIBIBYTE)
    assert rule.processes(5, ["py:mine:Mine"], 3, TWO) == 5
    assert rule.processes(1, ["cmd:./mine"], 3, TWO) == 1


def test_programs_are_not_started_several_times(machine):
    machine(8, None)
    with pytest.raises(InputError, match=r"would start cmd:./mine 2 times; leave --jobs out"):
        rule.processes(2, ["reference", "cmd:./mine"], 480, TWO)


def counted(monkeypatch):
    """Return the numbers of processes that share checks from now on."""
    numbers, between = [], sharing.try_between

    def count(processes, *rest):
        numbers.append(processes)
        return between(processes, *rest)

    monkeypatch.setattr("paper_checks.verification.try_between", count)
    return numbers


def lines(path):
    """Return the results in a file, without what depends on the moment."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [{**row, "seconds": 0} for row in rows if row["kind"] == "result"]


def test_verify_shares_and_finds_the_same(tmp_path, monkeypatch):
    numbers = counted(monkeypatch)
    asked = ("verify", "reference", "--check", "softmax.ties", "--check", "statistics.ties")
    for jobs in ("1", "3"):
        done = called(*asked, "--jobs", jobs, "--json", f"{jobs}.jsonl", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert numbers == [3]
    assert lines(tmp_path / "1.jsonl") == lines(tmp_path / "3.jsonl") != []


def test_where_nothing_is_tried_nothing_is_shared(monkeypatch):
    """Such as with a checkpoint alone, whose verdict is there already."""
    numbers = counted(monkeypatch)
    result = Result("weights.W_O", "weights:mine", "passed", "A law.", "derived here", "property")
    run = verify([], [], TWO, profile="quick", seed=0, command="", judged=[result], processes=2)
    assert run.results == (result,)
    assert numbers == []


def test_a_report_is_shared_as_it_is_asked_to_be(tmp_path, monkeypatch):
    asked = []

    def stop(*all, jobs, **more):
        asked.append(jobs)
        raise InputError("this far")

    monkeypatch.setattr("paper_checks.commands.report.run_suite", stop)
    called("report", "--jobs", "3", cwd=tmp_path)
    called("report", cwd=tmp_path)
    assert asked == [3, None]


def test_jobs_has_short_form_and_limits(tmp_path):
    asked = ("verify", "reference", "--check", "softmax.ties")
    assert called(*asked, "-j", "1", cwd=tmp_path).returncode == 0
    refused = called(*asked, "-j", "0", cwd=tmp_path)
    assert refused.returncode == 2
    assert "greater than or equal to 1" in " ".join(refused.stderr.replace("│", " ").split())
    refused = called("verify", "--mutants", "--jobs", "2", cwd=tmp_path)
    assert refused.returncode == 2
    assert "leave out --jobs" in refused.stderr
