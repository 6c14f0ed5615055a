"""Where a command may write: to plain files only, and never over what it reads."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from test_command_line import STORIES
from test_manners import ROOT, TOKENS, call, listening

from paper_checks.command_line import app

__all__ = ["call"]

COMMANDS = typer.main.get_command(app).commands
# What each writes; a folder is held to by the command itself.
WRITING = sorted(
    (name, option)
    for name, command in COMMANDS.items()
    for parameter in command.params
    for option in parameter.opts
    if option == "--json" or (option == "--out" and parameter.metavar == "FILE")
)
THOROUGHLY = {"prove", "stats"}
KINDS = {
    "device": ("/dev/null", "is a device or a pipe"),
    "pipe": ("pipe", "is a device or a pipe"),
    "link": ("link.json", "is a symbolic link"),
    "dangling": ("dangling.json", "is a symbolic link"),
    "folder": ("folder", "is a folder"),
    "no folder": ("missing/out.json", "There is no folder"),
}


def example(name):
    """The words of a command's example."""
    return shlex.split(re.search(rf"Example: leadterms {name}\b(.*)\Z", COMMANDS[name].help, re.DOTALL)[1])


def test_every_command_that_writes_is_here():
    assert {name for name, _ in WRITING} == set(COMMANDS)
    assert {("stats", "--out"), ("explorer", "--out"), ("prove", "--json")} <= set(WRITING)


@pytest.mark.parametrize(("name", "option"), WRITING)
def test_only_plain_files_are_written(tmp_path, call, name, option):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "kept.json").write_text("kept")
    (tmp_path / "link.json").symlink_to("kept.json")
    (tmp_path / "dangling.json").symlink_to("nowhere.json")
    before = sorted(tmp_path.iterdir())
    # One function holds all of them: every kind of place for some, and for each that it is held.
    kinds = KINDS if name in THOROUGHLY else ("device", "link")
    for place, told in (KINDS[kind] for kind in kinds):
        status, printed, complaint = call(name, *example(name), option, place)
        assert (status, printed) == (2, ""), place
        assert told in complaint
        assert complaint.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "kept.json").read_text() == "kept"


# A call, and what it reads.
READING = [
    ("series t.json --json", "t.json"),
    ("prove --check c.json --json", "c.json"),
    ("claims --experiments e.jsonl --json", "e.jsonl"),
    ("claims --corpus s.txt --json", "s.txt"),
    ("verify --corpus s.txt --json", "s.txt"),
    ("verify --xfail x.toml --json", "x.toml"),
    ("verify weights:w.npz --corpus s.txt --json", "w.npz"),
    ("verify weights:w.npz --names n.toml --corpus s.txt --json", "n.toml"),
    ("report --compare old.jsonl --json", "old.jsonl"),
    ("report --experiments e.jsonl --json", "e.jsonl"),
    ("stats s.txt -o", "s.txt"),
    ("stats s.txt -o out.safetensors --json", "s.txt"),
    ("stats --corpus s.txt -o out.safetensors --tokenizer tok.json --json", "tok.json"),
    ("train s.txt --layers 1 --rate .1 --out run --json", "s.txt"),
    ("alignment s.txt --weights w.npz --json", "w.npz"),
    ("alignment s.txt --other o.txt --json", "o.txt"),
    ("behaviour s.txt --json", "s.txt"),
    ("behaviour s.txt --weights w.npz --json", "w.npz"),
    ("predict s.txt --json", "s.txt"),
    ("reproduce s.txt --json", "s.txt"),
    ("probe s.txt --json", "s.txt"),
    ("story s.txt --json", "s.txt"),
    ("neighbours tom --corpus s.txt --json", "s.txt"),
    ("explain 'tom ran' --corpus s.txt --json", "s.txt"),
    ("explorer --outcomes e.jsonl --out", "e.jsonl"),
    ("explorer --corpus s.txt --json", "s.txt"),
    ("experiments --corpus s.txt --json", "s.txt"),
    ("pretrained model --json", "model/config.json"),
    ("vectors --check model --json", "model/config.json"),
]


AS_NAMED = [(words, place, "as named") for words, place in READING]
OTHERWISE = [(*READING[n], how) for n in (1, 10) for how in ("absolute", "hard link")]


@pytest.mark.parametrize(("words", "place", "how"), AS_NAMED + OTHERWISE)
def test_what_is_read_is_not_written_over(tmp_path, call, words, place, how):
    (tmp_path / "model").mkdir()
    names = {one for _, one in READING}
    for name in names:
        (tmp_path / name).write_text(STORIES)
    written = place
    if how == "absolute":
        written = tmp_path / "model" / ".." / place
    elif how == "hard link":
        written = "hard"
        os.link(tmp_path / place, tmp_path / written)
    status, printed, complaint = call(*shlex.split(words), str(written))
    assert (status, printed) == (2, "")
    assert re.search("must be different files|which the command reads", complaint), complaint
    assert complaint.count("\n") == 1
    assert (tmp_path / place).read_text() == STORIES


def test_a_second_run_writes_over_the_first_one(tmp_path, call):
    (tmp_path / "t.json").write_text(TOKENS)
    for _ in range(2):
        assert call("series", "t.json", "--json", "out.json", "--quiet")[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        "prove --check large.json --json out.json",
        "series t.json --layers 60 --steps 1000 --order 20 --json out.json",
    ],
)
def test_ctrl_c_in_the_midst_of_exact_work_leaves_nothing(tmp_path, words, call):
    (tmp_path / "t.json").write_text(TOKENS)
    if "large" in words:
        call(*["prove", "--vocab", "2", "--length", "3", "--layers", "2", "--json", "large.json", "--quiet"])
    before = sorted(tmp_path.iterdir())
    run = subprocess.Popen(
        [sys.executable, "-m", "paper_checks", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=listening,
    )
    wait_for_work(run)
    run.send_signal(signal.SIGINT)
    _, complaint = run.communicate(timeout=60)
    assert run.returncode == 130, complaint
    assert complaint == "leadterms: stopped before the end; no file is left half written.\n"
    assert sorted(tmp_path.iterdir()) == before


def wait_for_work(run):
    """Until flint is loaded, and a second of processor time more."""
    loaded_at = None
    while run.poll() is None:
        seconds = sum(map(int, Path(f"/proc/{run.pid}/stat").read_text().split()[13:15])) / os.sysconf(
            "SC_CLK_TCK"
        )
        if loaded_at is None and "libflint" in Path(f"/proc/{run.pid}/maps").read_text():
            loaded_at = seconds
        if loaded_at is not None and seconds > loaded_at + 0.5:
            return
        time.sleep(0.02)
    pytest.fail(f"it ended by itself: {run.communicate()}")
