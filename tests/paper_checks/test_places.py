"""Where and under what a command runs: odd names, folders that cannot be written to, locales, two at once."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys

import pytest
import typer
from calling import leadterms
from test_command_line import STORIES

from gpu.interrupts import Interrupts
from paper_checks.command_line import app, main
from paper_checks.report.folder import filled_together
from properties.results import read_run

COMMANDS = typer.main.get_command(app).commands
TOKENS = '{"tokens": [[0, 0, 1, 2], [2, 1, 0, 1]], "vocab_size": 3}'
# A Turkish capital dotted I, an umlaut, two words, and what a shell and a format string would take.
ODD = "İki ölçüm 100% {x} 'a' $HOME"


NAME = "\u0131.txt"  # a dotless i
TEXT = "TITLE I\u0130 \u0131i Straße ÇI\u011e .\n<|endoftext|>\nI i ẞ ß title . ."
VERIFY = ("verify", "reference", "--check", "statistics.B_bar", "--length", "3")
TRAIN = ("train", "--length", "5", "--layers", "1", "--rate", "0.1", "--steps", "2")


@pytest.fixture
def call(monkeypatch, capfd):
    """Run a command in this process: (status, what it printed, what it complained of)."""
    monkeypatch.setattr(Interrupts, "listen", lambda self: None)
    monkeypatch.setattr(Interrupts, "ignore", lambda self: None)

    def called(*arguments):
        monkeypatch.setattr(sys, "argv", ["leadterms", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        told = capfd.readouterr()
        return end.value.code, told.out, told.err

    return called


@pytest.fixture
def unwritable(tmp_path):
    """A folder in which nobody can make a file: not even root, to whom permissions mean nothing."""
    folder = tmp_path / "read only"
    folder.mkdir(mode=0o555)
    for place in (str(folder), "/sys/kernel"):
        try:
            with open(f"{place}/tried", "w"):
                pass
        except OSError:
            return place
    return pytest.skip("every folder can be written to here")


def test_names_may_have_anything_that_a_file_system_takes(tmp_path, monkeypatch, call):
    folder = tmp_path / ODD
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / f"{ODD}.json").write_text(TOKENS)
    (folder / f"{ODD}.txt").write_text(STORIES)
    calls = [
        ("series", f"{ODD}.json", "--json", f"1 {ODD}.json"),
        ("prove", "--vocab", 1, "--length", 1, "--json", f"2 {ODD}.json"),
        ("prove", "--check", f"2 {ODD}.json"),
        ("stats", f"{ODD}.txt", "--length", 5, "-o", f"3 {ODD}.safetensors", "--json", f"4 {ODD}.json"),
        (*VERIFY, "--corpus", f"{ODD}.txt", "--json", f"5 {ODD}.jsonl"),
        (*TRAIN, f"{ODD}.txt", "--out", f"6 {ODD}"),
    ]
    for words in calls:
        status, _, complaint = call(*words)
        assert status == 0, (words, complaint)
    assert json.loads((folder / f"4 {ODD}.json").read_text())["corpus"] == f"{ODD}.txt"
    again = read_run(folder / f"5 {ODD}.jsonl").results[0].command
    assert f"{ODD}.txt" in shlex.split(again)


# What needs something besides a folder: a model, or several files.
ELSE = {"pretrained"}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - ELSE))
def test_what_cannot_be_written_is_told_before_the_work(name, tmp_path, monkeypatch, call, unwritable):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokens.json").write_text(TOKENS)
    for text in ("stories.txt", "tinystories.txt", "corpus.txt"):
        (tmp_path / text).write_text(STORIES)
    example = re.search(rf"Example: leadterms {name}\b(.*)\Z", COMMANDS[name].help, re.DOTALL)
    words = shlex.split(example[1])
    outputs = {"--json", "-o", "--out"} & {o for p in COMMANDS[name].params for o in p.opts}
    given = [option for option in words if option in outputs] or ["--json"]
    for option in given:
        at = words.index(option) if option in words else len(words)
        status, printed, complaint = call(name, *words[:at], option, f"{unwritable}/out", *words[at + 2 :])
        assert (status, printed) == (2, "")
        assert str(unwritable) in complaint.replace("\n", "")
        assert complaint.startswith("leadterms: ")


READS = """
import json, sys
from pathlib import Path
from gpu.corpora import CorpusOptions, load_corpus
from reference.atomic_files import write_text
corpus = load_corpus(CorpusOptions(sys.argv[1], length=3, cached=False))
write_text(Path(sys.argv[2]), json.dumps([corpus.vocabulary, corpus.tokens.tolist(), corpus.digest]))
print(*corpus.vocabulary)
"""


@pytest.mark.parametrize(
    "settings",
    [
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "tr", "TZ": "Pacific/Kiritimati"},
    ],
    ids=["C", "Turkish"],
)
def test_a_text_is_the_same_in_every_locale_and_time_zone(tmp_path, settings):
    (tmp_path / NAME).write_text(TEXT, encoding="utf-8")
    told = []
    for environment in ({"PYTHONIOENCODING": "utf-8"}, settings):
        done = subprocess.run(
            [sys.executable, "-c", READS, NAME, f"out {NAME}"],
            capture_output=True,
            cwd=tmp_path,
            env={**os.environ, **environment},
        )
        assert done.returncode == 0, done.stderr
        told.append((done.stdout, (tmp_path / f"out {NAME}").read_bytes()))
    assert told[0] == told[1]


def test_a_terminal_that_lacks_a_letter_shows_its_number(tmp_path, monkeypatch):
    for name, value in {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}.items():
        monkeypatch.setenv(name, value)
    done = leadterms("series", "no \u0131.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "There is no tokens file no " in done.stderr
    assert "Traceback" not in done.stderr


KILLED = """
import os, signal, sys
from pathlib import Path
from reference.atomic_files import write_atomically
def half(beside):
    beside.write_text("ne")
    if "killed" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)
    beside.write_text("new")
write_atomically(Path("a.txt"), half)
"""


def test_a_process_that_is_killed_as_it_writes_leaves_the_old_file_and_nothing_in_the_way(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    for arguments, status, content in ((["killed"], -signal.SIGKILL, "old"), ([], 0, "new")):
        done = subprocess.run([sys.executable, "-c", KILLED, *arguments], cwd=tmp_path, env=dict(os.environ))
        assert done.returncode == status
        assert (tmp_path / "a.txt").read_text() == content


def test_two_reports_into_one_folder_at_once_leave_a_whole_one(tmp_path):
    out = tmp_path / "report"
    with filled_together(out, lambda _: False) as first, filled_together(out, lambda _: False) as second:
        for place, content in ((first, "first"), (second, "second")):
            (place / "figures").mkdir()
            for name in ("index.html", "figures/a.svg"):
                (place / name).write_text(content)
    assert {path.read_text() for path in out.rglob("*") if path.is_file()} == {"first"}
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_lack_of_memory_is_told_in_a_sentence(tmp_path, monkeypatch, call):
    def read(path):
        raise MemoryError

    monkeypatch.setattr("paper_checks.tokens_file.read_tokens", read)
    status, printed, complaint = call("series", tmp_path / "t.json")
    assert (status, printed) == (2, "")
    assert complaint == "leadterms: the memory does not suffice; give less text, or smaller sizes.\n"
