"""A program that answers anything at all: the protocol of JSON lines, and what becomes of an answer."""

import json
import shlex
import sys

import numpy as np
import pytest
from fuzzing import PROFILES
from hypothesis import HealthCheck, given, settings
from limits import limits
from spoiling import spoiled

from properties import command_target
from properties.answers import ImplementationError
from properties.catalogue import select
from properties.command_target import CommandImplementation
from properties.connectors import connect
from properties.runner import run_check
from properties.target import Target
from reference.errors import InputError

TOKENS = np.array([[0, 1, 2], [2, 0, 1]])
DESCRIPTION = {
    "name": "mine",
    "dtype": "float64",
    "methods": ["statistics", "loss", "probe_split"],
    "orientation": {"B_bar": "next,current"},
}
ANSWERS = [
    {"B_bar": [[0.0] * 3] * 3, "Delta_bar": [0.1, 0.2]},
    1.5,
    [0, 1],
]


class Saying:
    """In the place of a program: it answers each question with the next of some lines."""

    lines = (b"",)

    def __init__(self, words):
        self.said = 0

    def ask(self, line, timeout):
        asked = json.loads(line)
        answer = self.lines[min(self.said, len(self.lines) - 1)]
        self.said += 1
        return answer.replace(b"NUMBER", str(asked["id"]).encode())

    def close(self, farewell=b""):
        pass


def line(result):
    return json.dumps({"id": 0, "result": result}).replace('"id": 0', '"id": NUMBER').encode()


@pytest.fixture
def _says(monkeypatch):
    monkeypatch.setattr(command_target, "ChildProcess", Saying)


def fuzzed(profile, valid, hold):
    """Call `hold` with each damaged line, within limits."""

    @settings(profile, deadline=None, suppress_health_check=list(HealthCheck))
    @given(spoiled([line(one) for one in valid]))
    def spoil(said):
        with limits():
            hold(said.replace(b"\n", b" "))

    spoil()


def told_in_a_line(ask, kind):
    """Ask; an error may be of this kind only, and has one line."""
    told = "an answer"
    try:
        ask()
    except kind as error:
        told = str(error)
    assert len(told.splitlines()) == 1


@pytest.mark.usefixtures("_says")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_program_that_describes_itself_oddly_is_used_or_refused(profile):
    def hold(said):
        Saying.lines = [said]
        told_in_a_line(lambda: Target(CommandImplementation("program")), InputError)

    fuzzed(profile, [DESCRIPTION], hold)


@pytest.mark.usefixtures("_says")
@pytest.mark.parametrize("profile", PROFILES)
def test_an_odd_answer_is_an_answer_or_told_in_a_sentence(profile):
    def hold(said):
        Saying.lines = [line(DESCRIPTION), line(DESCRIPTION), said]
        target = Target(CommandImplementation("program"))
        parameters = {"W_O": np.zeros((3, 3))}
        for ask in (
            lambda: target.statistics(TOKENS, 3),
            lambda: target.loss(parameters, TOKENS),
            lambda: target.probe_split(np.array([0, 0, 1]), 0.5, 0),
        ):
            told_in_a_line(ask, ImplementationError)

    fuzzed(profile, ANSWERS, hold)


HARNESS = """
import sys
for line in sys.stdin:
    if '"stop"' in line:
        break
    answer = DESCRIPTION if '"describe"' in line else ANSWER
    number = line.split(",")[0].split(":")[1].strip().encode()
    sys.stdout.buffer.write(answer.replace(b"NUMBER", number) + b"\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize(
    ("answer", "came"),
    [
        (b"\xff\xfe", "errored"),
        (b"", "errored"),
        (b"[" * 100_000, "errored"),
        (b"\x00" * 9, "errored"),
        (b'{"id": NUMBER, "result": {"B_bar": 1e999}}', "failed"),
    ],
)
def test_a_real_program_that_answers_so_is_told_apart_from_a_wrong_one(tmp_path, answer, came):
    """Where the conversation breaks off nothing is said of the law; an answer that is no number is wrong."""
    path = tmp_path / "häufig gefragt.py"
    text = HARNESS.replace("DESCRIPTION", repr(line(DESCRIPTION))).replace("ANSWER", repr(answer))
    path.write_text(text, encoding="utf-8")
    target = connect(f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(path))}")
    (check,) = select(["statistics.B_bar"])
    result = run_check(check, target, profile="quick", seed=0)
    target.implementation.close_connection()
    assert result.result == came
