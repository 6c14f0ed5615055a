"""Programs that misbehave in every way that a program can, each told in one sentence."""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from properties import check_implementation, child_process
from properties.catalogue import select
from properties.command_target import PARAMETERS, CommandImplementation
from properties.connectors import connect
from properties.failure import failure_lines
from properties.target import METHODS
from reference.errors import InputError

# A harness around the reference; WRONG is put in place of what it does with a line.
HARNESS = """
import json, os, sys, time
asked = 0
for line in sys.stdin:
    asked += 1
    message = json.loads(line)
    method, number, parameters = message["method"], message["id"], message["params"]
    if method == "stop":
        break
    result = {"name": "mine", "dtype": "float64", "methods": ["statistics"]}
    if method == "statistics":
        V, T = parameters["vocab_size"], len(parameters["tokens"][0]) - 1
        result = {"B_bar": [[0.0] * V for _ in range(V)], "Delta_bar": [0.0] * T}
    answer = json.dumps({"id": number, "result": result})
    WRONG
    print(answer, flush=True)
"""
B_BAR = select(["statistics.B_bar"])


@pytest.fixture
def program(tmp_path):
    """Return a function from a slip to the command line of the program that has it."""

    def written(wrong):
        path = tmp_path / "my harness.py"
        path.write_text(HARNESS.replace("WRONG", wrong))
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"

    return written


BROKEN_HARNESSES = {
    "exits": ("sys.exit(3)", "ended with exit status 3"),
    "raises": ("raise RuntimeError('no licence')", "standard error ends: RuntimeError: no licence"),
    "is killed": ("os.kill(os.getpid(), 9)", r"was ended by signal 9 \(SIGKILL\)"),
    "hangs": ("time.sleep(60)", "did not answer within 0.4 s"),
    "prints a banner": ("print('ready')", "wrote 'ready', which is not JSON"),
    "writes no object": ("answer = '[1, 2]'", "not an object with an id"),
    "forgets the id": ("answer = json.dumps({'result': result})", "answered id null when asked id 1"),
    "counts its own ids": ("answer = json.dumps({'id': 1, 'result': result})", "id 1 when asked id 2"),
    "answers once": ("if asked == 2: sys.exit()", "ended with exit status 0"),
    "answers twice": ("print(answer)", "answered id 1 when asked id 2"),
    "floods": ("while True: sys.stdout.write('x' * 4096)", "MiB without the end of a line"),
    "floods in lines": ("while True: print('x')", "wrote 'x', which is not JSON"),
    "refuses": ("answer = json.dumps({'id': number, 'error': 'no'})", "describe answered the error: no"),
    "closes its output": ("os.close(1); time.sleep(60)", "closed its standard output"),
    "describes nothing": ("answer = json.dumps({'id': number, 'result': 3})", "by no object"),
    "has no dtype": (
        "del result['dtype']; answer = json.dumps({'id': number, 'result': result})",
        "without dtype",
    ),
    "has no methods": (
        "result['methods'] = []; answer = json.dumps({'id': number, 'result': result})",
        "named no methods",
    ),
    "misspells": (
        "result['methods'] = ['statistic']; answer = json.dumps({'id': number, 'result': result})",
        "Did you mean statistics",
    ),
    "has half precision": (
        "result['dtype'] = 'float16'; answer = json.dumps({'id': number, 'result': result})",
        "gave the dtype 'float16'",
    ),
    "changes its mind": (
        "result['name'] = str(asked); answer = json.dumps({'id': number, 'result': result})",
        "differently the second time",
    ),
    "nests without end": ("answer = '[' * 100000", "nested without end"),
}


@pytest.mark.parametrize("slip", BROKEN_HARNESSES)
def test_a_broken_harness_is_told_before_any_law_is_tried(program, slip, monkeypatch):
    monkeypatch.setattr(child_process, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(child_process, "GRACE_SECONDS", 0.3)
    wrong, told = BROKEN_HARNESSES[slip]
    # Python itself takes a while to start; only a program that hangs is waited for in vain.
    timeout = 0.4 if "0.4 s" in told else 20
    with pytest.raises(InputError, match=told) as refusal:
        connect(f"cmd:{program(wrong)}", timeout)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("cmd:", "incomplete"),
        ("cmd:  ", "incomplete"),
        ("cmd:'half", "cannot be split into words"),
        ("cmd:no-such-program-anywhere --fast", "cannot be started"),
        ("cmd:/", "cannot be started"),
        (f"cmd:{__file__}", "this is a file: name first what runs it"),
    ],
)
def test_what_is_no_program_is_told(spec, told):
    with pytest.raises(InputError, match=told):
        connect(spec)


IN = "if method == 'statistics': "
WRONG_ANSWERS = {
    "dies": (
        IN + "sys.exit('out of memory')",
        "ended with exit status 1 .*; its standard error ends: out of memory",
    ),
    "hangs": (IN + "time.sleep(60)", "did not answer within"),
    "floods": (IN + "sys.stdout.write('0' * (1 << 22))", "without the end of a line"),
    "NaN": (IN + "answer = answer.replace('0.0', 'NaN')", "answered NaN, which JSON does not have"),
    "Infinity": (IN + "answer = answer.replace('0.0', '-Infinity')", "answered -Infinity"),
    "null": (
        IN + "answer = answer.replace('0.0', 'null')",
        r"statistics\['B_bar'\] holds None \(null in JSON, which is also what Java",
    ),
    "strings": (
        IN + "answer = answer.replace('0.0', '\"0.0\"')",
        "holds a str, so it is no array of numbers",
    ),
    "booleans": (IN + "answer = answer.replace('0.0', 'true')", "holds a bool, so it is no array of numbers"),
    "a wrong shape": (IN + "answer = answer.replace('[0.0', '[0.0, 0.0')", "its shape is "),
    "a list": (IN + "answer = json.dumps({'id': number, 'result': []})", "answered a list, not a mapping"),
    "an error": (IN + "answer = json.dumps({'id': number, 'error': 'too many words'})", "too many words"),
    "an old answer": (IN + "answer = json.dumps({'id': number - 1, 'result': result})", "answered id"),
    "a long error of many lines": (
        IN + "answer = json.dumps({'id': number, 'error': 'too many\\nwords ' + 'x' * 100000})",
        r"^statistics answered the error: too many words x{285} \.\.\.$",
    ),
    "an integer of 400 digits": (
        IN + "answer = answer.replace('0.0', '1' + '0' * 400)",
        "statistics answered a whole number of 401 digits; answer numbers that float64 can hold",
    ),
    "much on standard error": (
        IN + "(sys.stderr.write('x' * 5000000), sys.exit(1))",
        "ended with exit status 1 .*; its standard error ends: x+$",
    ),
    "what is no text": (IN + "(os.write(1, b'\\xff\\xfe\\n'), time.sleep(60))", "which is not JSON"),
    "no end of brackets": (IN + "answer = '[' * 100000", "which is nested without end"),
    "a part of a line": (IN + "(os.write(1, b'{'), os._exit(0))", "ended with exit status 0"),
    "a closed output": (IN + "(os.close(1), time.sleep(60))", "closed its standard output"),
    "a signal": (IN + "os.kill(os.getpid(), 11)", r"was ended by signal 11 \(SIGSEGV\)"),
    "a whole number without end": (
        IN + "answer = answer.replace('0.0', '1' * 5000)",
        "answered a whole number of 5000 digits; answer numbers that float64 can hold",
    ),
    "rows of different lengths": (
        IN + "answer = json.dumps({'id': number, 'result': {'B_bar': [[0.0, 1.0], [0.0]]}})",
        r"statistics\['B_bar'\] is a list whose rows differ in length",
    ),
    "an error without words": (
        IN + "answer = json.dumps({'id': number, 'error': None})",
        "answered an error that says nothing; let it say what is wrong",
    ),
    "what a terminal obeys": (
        IN + "answer = json.dumps({'id': number, 'error': '\\x1b[2Jgone'})",
        r"answered the error: \[2Jgone$",
    ),
    "too large a number": (IN + "answer = answer.replace('0.0', '1e999')", None),
}


@pytest.mark.parametrize("slip", WRONG_ANSWERS)
def test_an_answer_that_is_none_is_told_in_a_sentence(program, slip, monkeypatch):
    monkeypatch.setattr(child_process, "MOST_BYTES", 1 << 21)
    wrong, told = WRONG_ANSWERS[slip]
    target = connect(f"cmd:{program(wrong)}", timeout=1.5 if slip == "hangs" else 20)
    result = check_implementation(target, checks=B_BAR)[0]
    target.close()
    # Where the conversation broke off no law was held against anything.
    lost = (result.note or "").startswith("the program, asked for statistics, ")
    assert result.result == ("errored" if lost else "failed")
    assert sum(result.note in line for line in failure_lines(result) if result.note) == bool(result.note)
    assert np.array(result.counterexample["case"]["tokens"]).ndim == 2
    if told is None:
        assert result.counterexample["got"] == "inf"
    else:
        assert re.search(told, result.note)
        assert "\n" not in result.note
    assert result.command == f"leadterms verify {shlex.quote(target.name)} --check statistics.B_bar --seed 0"


def test_a_program_that_hangs_is_given_up(program):
    target = connect(f"cmd:{program(IN + 'time.sleep(60)')}", timeout=0.5)
    started = time.monotonic()
    results = check_implementation(target, checks=select(["statistics"]))
    target.close()
    assert time.monotonic() - started < 15
    notes = [result.note for result in results]
    assert {result.result for result in results} == {"errored"}
    assert sum("did not answer within 0.5 s" in note for note in notes) == 3
    assert sum("was not asked: 3 answers" in note for note in notes) == len(notes) - 3


def test_a_program_that_died_is_started_again_for_the_next_law(program, tmp_path):
    once = tmp_path / "died"
    wrong = IN + f"os.path.exists({str(once)!r}) or (open({str(once)!r}, 'w').close(), sys.exit(1))"
    target = connect(f"cmd:{program(wrong)}")
    first, second = check_implementation(target, checks=select(["statistics.B_bar", "statistics.B_bar_rows"]))
    target.close()
    assert first.result == "errored"
    assert "ended with exit status 1" in first.note
    # The table of zeros that it answers then has rows that sum to zero.
    assert second.result == "passed"


def test_a_program_that_dies_is_asked_again_by_every_law(program):
    """To die costs no waiting: only hanging counts against it."""
    target = connect(f"cmd:{program(IN + 'sys.exit(1)')}")
    names = ("B_bar", "B_bar_rows", "Delta_bar", "Delta_bar_sums_to_zero", "renamed")
    results = check_implementation(target, checks=select([f"statistics.{name}" for name in names]))
    target.close()
    assert {result.note for result in results} == {
        "the program, asked for statistics, ended with exit status 1 "
        "(it must answer line by line until it is asked to stop)"
    }


def running(pid):
    """Whether there is such a process, and not only one that its new parent has yet to reap."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_the_program_and_what_it_started_are_ended(program, tmp_path):
    pids = tmp_path / "pids"
    kid = f"import subprocess; kid = subprocess.Popen(['sleep', '60']); open({str(pids)!r}, 'a')"
    # It starts a process at each question, and does not stop when told to.
    wrong = f"{kid}.write(f'{{kid.pid}} {{os.getpid()}} ')\n    method == 'describe' or time.sleep(60)"
    wrong = wrong.replace(
        "    method", "    if asked == 2: print(answer, flush=True); time.sleep(60)\n    method"
    )
    target = connect(f"cmd:{program(wrong)}")
    numbers = {int(pid) for pid in pids.read_text().split()}
    assert len(numbers) == 3
    assert all(running(pid) for pid in numbers)
    target.close()
    target.close()
    deadline = time.monotonic() + 5
    while any(map(running, numbers)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(running, numbers))


def test_an_interrupted_verify_leaves_no_program_behind(program, tmp_path):
    command = program(f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))")
    code = (
        "import os, signal, threading\n"
        "from properties.connectors import connect\n"
        f"target = connect('cmd:' + {command!r})\n"
        "raise KeyboardInterrupt\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "KeyboardInterrupt" in done.stderr
    assert not running(int((tmp_path / "pid").read_text()))


def test_numbers_travel_to_the_last_bit():
    """`cat` with its question turned into the answer: what is sent comes back."""
    echo = (
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    r = {'name': 'echo', 'dtype': 'float64', 'methods': ['remove_projection']}\n"
        "    if m['method'] == 'stop': break\n"
        "    if m['method'] != 'describe': r = m['params']['weight']\n"
        "    print(json.dumps({'id': m['id'], 'result': r}), flush=True)\n"
    )
    target = connect(f"cmd:{shlex.quote(sys.executable)} -c {shlex.quote(echo)}")
    weight = np.random.default_rng(0).normal(size=(3, 3)) * np.float64(2.0) ** -300
    np.testing.assert_array_equal(target.remove_projection(weight, weight), weight)
    target.close()


def test_the_names_of_parameters_are_those_of_the_reference():
    import inspect

    from reference.implementation import implementation

    assert tuple(PARAMETERS) == METHODS
    for method, names in PARAMETERS.items():
        assert tuple(inspect.signature(getattr(implementation, method)).parameters) == names


def test_only_the_methods_described_are_there(program):
    implementation = CommandImplementation(program("pass"))
    assert [method for method in METHODS if hasattr(implementation, method)] == ["statistics"]
    implementation.close_connection()
    assert json.dumps(implementation.name) == '"mine"'
