"""`pytest --pyargs properties --impl ...` in a project that has only installed us."""

import os
import re
import resource
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from properties import check_implementation
from properties.catalogue import CHECKS
from properties.expected_failures import judged, read_expected, unmatched
from properties.results import Result, read_run
from reference.errors import InputError

MINE = """
import numpy as np

class Mine:
    def statistics(self, tokens, vocab_size):
        x, y = tokens[:, :-1].ravel(), tokens[:, 1:].ravel()
        B_bar = np.zeros((vocab_size, vocab_size))
        np.add.at(B_bar, (x, y), 1 / len(x))
        return {"B_bar": B_bar - B_bar.mean(axis=1, keepdims=True)}

class Transposed(Mine):
    def statistics(self, tokens, vocab_size):
        return {"B_bar": super().statistics(tokens, vocab_size)["B_bar"].T}
"""
ENTRY = '[[xfail]]\ncheck = "{}"\nreason = "known"\nlink = "https://example.org/1"\n'


@pytest.fixture
def project(tmp_path):
    """A folder with an implementation; returns a function that runs pytest in it."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")

    def run(*arguments):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            capture_output=True, text=True, cwd=tmp_path, timeout=120, env={**environment, "COLUMNS": "80"},
        )  # fmt: skip

    run.folder = tmp_path
    return run


def test_each_check_is_a_test_and_a_failure_teaches(project):
    done = project(
        "--pyargs", "properties", "--impl", "py:mine:Mine", "--impl", "py:mine:Transposed",
        "-k", "statistics.B_bar", "--leadterms-json", "out.jsonl", "--junitxml", "out.xml",
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    told = done.stdout
    assert "leadterms: py:mine:Mine, py:mine:Transposed; profile quick, seed 0" in told
    assert "test_law[py:mine:Transposed-statistics.B_bar]" in told
    assert "It is transposed: right with its two axes swapped." in " ".join(told.split())
    ours = told.split("= FAILURES =")[1].split("= short test summary")[0]
    assert max(len(line) for line in ours.splitlines() if line[:1] not in "_-=") <= 80
    assert "test_conformance.py" not in ours  # the law and the case, and no line of ours
    count = len([check for check in CHECKS if check.id.startswith("statistics.B_bar")])
    run = read_run(project.folder / "out.jsonl")
    assert len(run.results) == 2 * count
    # By target, in the order of the catalogue.
    ids = [check.id for check in CHECKS if check.id.startswith("statistics.B_bar")]
    assert [(r.target, r.check) for r in run.results] == [
        (f"py:mine:{name}", check) for name in ("Mine", "Transposed") for check in ids
    ]
    failed = {(r.target, r.check) for r in run.results if r.result == "failed"}
    assert ("py:mine:Transposed", "statistics.B_bar") in failed
    assert {target for target, _ in failed} == {"py:mine:Transposed"}
    assert run.header["seed"] == 0
    cases = ElementTree.parse(project.folder / "out.xml").getroot().iter("testcase")
    properties = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in cases]
    assert {
        (p["leadterms_target"], p["leadterms_check"]) for p in properties if p["leadterms_result"] == "failed"
    } == failed


# Tells which process writes the results, and from which copy of the plugin.
SPY = """
from properties import pytest_plugin

def pytest_configure(config):
    write = pytest_plugin.Conformance._write

    def told(self, path):
        process = "worker" if hasattr(config, "workerinput") else "main"
        with open("written", "a") as file:
            file.write(f"{process} {pytest_plugin.__file__}\\n")
        write(self, path)

    pytest_plugin.Conformance._write = told
"""


def test_workers_bring_the_results_of_one_process(project):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    (project.folder / "spy.py").write_text(SPY)
    done = project(
        "--pyargs", "properties", "--impl", "reference", "-k", "B_bar or induction_score",
        "--leadterms-seed", "3", "--leadterms-json", "out.jsonl", "-n", "2", "-p", "spy",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    # Once, by the plugin beside these tests and by no copy that is installed.
    plugin = Path(__file__).resolve().parents[2] / "properties" / "pytest_plugin.py"
    assert (project.folder / "written").read_text().splitlines() == [f"main {plugin}"]
    assert re.search(r"\d+ passed: reference", done.stdout)
    run = read_run(project.folder / "out.jsonl")
    assert run.ok
    chosen = [check for check in CHECKS if check.id in {result.check for result in run.results}]
    assert len(chosen) >= 5
    alone = check_implementation("reference", checks=chosen, seed=3)
    assert [replace(result, seconds=0) for result in run.results] == [replace(r, seconds=0) for r in alone]


def test_expected_failures_are_told_apart(project):
    (project.folder / "known.toml").write_text(
        ENTRY.format("statistics.B_bar")
        + ENTRY.format("statistics.reordered")
        + ENTRY.format("statistics.B_baz")
    )
    done = project(
        "--pyargs", "properties", "--impl", "py:mine:Transposed", "-k", "B_bar or reordered or B_baz",
        "--leadterms-xfail", "known.toml", "--leadterms-json", "out.jsonl",
    )  # fmt: skip
    assert done.returncode == 1
    results = {r.check: r for r in read_run(project.folder / "out.jsonl").results}
    assert results["statistics.B_bar"].result == "xfailed"
    assert results["statistics.B_bar"].note == "expected: known (https://example.org/1)"
    assert results["statistics.reordered"].result == "xpassed"
    assert results["statistics.B_baz"].result == "errored"
    assert "Did you mean statistics.B_bar?" in results["statistics.B_baz"].note
    assert "1 xfailed" in done.stdout
    failed = re.findall(r"FAILED \S*test_law\[([^]]*)", done.stdout)
    assert "py:mine:Transposed-statistics.reordered" in failed
    assert "xfail-statistics.B_baz" in failed
    assert "py:mine:Transposed-statistics.B_bar" not in failed


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--pyargs", "properties"], 2, "give one with --impl"),
        (["test_own.py", "--impl", "reference"], 5, "no law was run; add: --pyargs properties"),
        (["--pyargs", "properties", "--impl", "cmd:/bin/false"], 2, "ended with exit status 1"),
    ],
)
def test_a_wrong_call_is_told_and_never_green(project, arguments, code, told):
    done = project(*arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert told in done.stdout.replace("\n", " ")
    assert "Traceback" not in done.stdout + done.stderr


OTHERS = ("-p", "no:hypothesispytest", "-p", "no:jaxtyping")  # plugins that import what they need


def test_start_up_imports_nothing_heavy(project):
    (project.folder / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    heavy = {'torch', 'sympy', 'flint', 'numpy', 'hypothesis', 'reference', 'properties'}\n"
        "    ours = 'paper_checks.pytest_options' in sys.modules\n"
        "    print('imported', sorted(heavy & set(sys.modules)), ours)\n"
    )
    assert "imported [] True" in project("--co", "test_own.py", *OTHERS).stdout
    assert "imported [] False" in project("--co", "test_own.py", *OTHERS, "-p", "no:leadterms").stdout


@pytest.mark.parametrize("name", ["properties.py", "properties/__init__.py", "theory.py", "reference.py"])
def test_the_tests_of_a_project_with_a_module_called_as_ours_run_as_ever(project, name):
    module = project.folder / name
    module.parent.mkdir(exist_ok=True)
    module.write_text("theirs = 1\n")
    own = module.relative_to(project.folder).parts[0].removesuffix(".py")
    (project.folder / "test_own.py").write_text(
        f"from {own} import theirs\ndef test_own(): assert theirs == 1\n"
    )
    done = project("test_own.py", *OTHERS)
    assert done.returncode == 0, done.stdout + done.stderr
    if own == "properties":
        done = project("--pyargs", "properties", "--impl", "py:mine:Mine", *OTHERS)
        assert done.returncode == pytest.ExitCode.USAGE_ERROR
        assert f"{module} hides the laws of leadterms" in done.stderr
        assert "Traceback" not in done.stdout + done.stderr


def test_the_plugin_adds_little_to_the_collection_of_tests_that_are_none_of_its_own(project):
    """Processor time of whole runs, with and without it, taken in turns; the quickest of each."""

    def seconds(*arguments):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = project("--co", "test_own.py", *OTHERS, *arguments)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0, done.stdout + done.stderr
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    with_it, without = [], []
    for _ in range(3):
        with_it.append(seconds())
        without.append(seconds("-p", "no:leadterms"))
    assert min(with_it) - min(without) <= 0.15


def a(result):
    return Result("family.name", "mine", result, "A law.", "derived here", "exact")


def test_an_expectation_changes_a_failure_and_a_pass_only(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(ENTRY.format("family.name"))
    expected = read_expected(path)
    states = ("passed", "failed", "errored", "not_applicable")
    assert [judged(a(state), expected).result for state in states] == [
        "xpassed", "xfailed", "errored", "not_applicable",
    ]  # fmt: skip
    assert [judged(a(state), {}).result for state in states] == list(states)
    assert unmatched(expected, ["family.name"], path) == []
    assert [r.check for r in unmatched(expected, ["family.names"], path)] == ["family.name"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[xfail]]\ncheck = 'a.b'\nreason = 'r'", "Entry 1 of .* must have check, reason, link"),
        ("[[xfail]]\ncheck = 'a.b'\nreason = 'r'\nlink = ''", "Entry 1"),
        ("[[xfail]]\ncheck = 'a.b'\nreason = 3\nlink = 'l'", "Entry 1"),
        ("[[xfail]]\ncheck = 'a.b'\nreason = 'r'\nlink = 'l'\nsince = 'x'", "Entry 1"),
        ("[[xfails]]\ncheck = 'a.b'", "may hold \\[\\[xfail\\]\\] entries only"),
        ("xfail = 3", "entries only"),
        ("[[xfail", "is not TOML"),
        (2 * ENTRY.format("a.b"), "names a.b twice"),
    ],
)
def test_a_file_of_expected_failures_that_is_none_is_told(tmp_path, text, told):
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(InputError, match=told):
        read_expected(tmp_path / "known.toml")
