"""How the command line behaves towards a person: help, quiet, colours, suggestions, Ctrl-C."""

import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from calling import called, leadterms
from rich.table import Table
from test_command_line import STORIES

from gpu import options
from gpu.interrupts import Interrupts
from gpu.terminal import terminal
from paper_checks.command_line import app, main

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = typer.main.get_command(app).commands

OF_A_CORPUS = sorted(
    name
    for name, command in COMMANDS.items()
    if any(one.param_type_name == "argument" and one.name == "corpus" for one in command.params)
)

TOKENS = '{"tokens": [[0, 0, 1, 2], [2, 1, 0, 1]], "vocab_size": 3}'


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    """Run a command in this process: (status, what it printed, what it complained of)."""
    monkeypatch.chdir(tmp_path)
    # The test run keeps its own way with Ctrl-C.
    monkeypatch.setattr(Interrupts, "listen", lambda self: None)
    monkeypatch.setattr(Interrupts, "ignore", lambda self: None)

    def called(*arguments):
        monkeypatch.setattr(sys, "argv", ["leadterms", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        told = capfd.readouterr()
        return end.value.code, told.out, told.err

    return called


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_that_parses_and_the_common_options(name):
    command = COMMANDS[name]
    options = {option for parameter in command.params for option in parameter.opts}
    assert options >= {"--json", "--quiet"}
    example = re.search(rf"Example: leadterms {name}\b(.*)\Z", command.help, re.DOTALL)
    assert example is not None
    parsed = command.make_context(name, shlex.split(example[1]))
    assert parsed.args == []


def test_every_option_is_tried_by_some_test_or_page():
    """By its name: that it does what it says is for those to show."""
    pages = [path for path in (ROOT / "docs").rglob("*.md") if "_site" not in path.parts]
    files = [*(ROOT / "tests").rglob("*.py"), ROOT / "README.md", *pages]
    named = set(re.findall(r"--[a-z][a-z-]*", "".join(path.read_text("utf-8") for path in files)))
    options = {(name, one.opts[0]) for name, c in COMMANDS.items() for one in c.params if "--" in one.opts[0]}
    assert {(name, option) for name, option in options if option not in named} == set()


@pytest.mark.parametrize("words", [["verify"], ["vectors", "--check", "vectors", "--target"]])
def test_a_program_is_waited_for_as_long_as_asked(words, tmp_path, call):
    if "vectors" in words:
        (tmp_path / "vectors").symlink_to(ROOT / "vectors")
    status, _, complaint = call(*words, "cmd:sleep 60", "--timeout", "0.4")
    assert (status, "within 0.4 s" in " ".join(complaint.split())) == (2, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_whole_numbers_are_read_alike_by_every_option(name):
    """As typer reads them: 2.0 is 2, and what is not whole or not written out is refused."""
    command = COMMANDS[name]
    context = command.context_class(command)
    for option in command.params:
        if option.bare_type() == "int":
            for text in ("2", "2.0"):
                value = option.process_value(context, text)
                assert (value, type(value)) == (2, int)
            for text in ("2.5", "2e0", "two"):
                with pytest.raises(typer.BadParameter, match="valid integer"):
                    option.process_value(context, text)


def test_the_help_lists_the_commands_and_what_they_exit_with():
    done = leadterms("--help", cwd=ROOT)
    assert done.returncode == 0
    assert set(re.findall(r"^│ (\w+)", done.stdout, re.MULTILINE)) >= set(COMMANDS)
    assert "1 a check fails" in done.stdout


def test_nothing_is_coloured_or_moves_where_output_is_piped(tmp_path):
    (tmp_path / "t.json").write_text(TOKENS)
    calls = (["--help"], ["verfy"], ["series", "t.json"], ["prove", "--vocab", "1", "--length", "1"])
    for call in calls:
        done = leadterms(*call, cwd=tmp_path)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\r" not in done.stderr


def test_a_terminal_of_no_width_is_printed_on(tmp_path, call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "0")
    assert "Laws and claims" in call("--help")[1]


MARKED = "[red]x :tm: [/b] \\[ 12"


def test_what_looks_like_markup_or_a_number_is_printed_as_it_is(capsys, monkeypatch):
    """Names of files, targets and words may have anything, in sentences, headings, titles and cells."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    table = Table(MARKED, box=None, title=MARKED, caption=MARKED)
    table.add_row(MARKED)
    console = terminal()
    console.print(MARKED)
    console.print(table)
    lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).splitlines()
    assert [line.strip() for line in lines] == [MARKED] * 5


ROOMS = [path for room in ("gpu", "paper_checks", "properties") for path in (ROOT / room).rglob("*.py")]


def test_no_other_console_is_made():
    made = [
        path.name
        for path in ROOMS
        if re.search(r"(?<!\w)Console\(|\(Console\)", path.read_text(encoding="utf-8"))
    ]
    assert made == ["terminal.py"]


def test_no_text_has_markup_which_would_be_printed_as_it_is():
    styled = re.compile(r"\[/[a-z ]*\]|markup import escape")
    assert [path.name for path in ROOMS if styled.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_wrapped_by_paragraphs(name):
    assert all("\n" not in paragraph for paragraph in COMMANDS[name].help.split("\n\n"))


def test_quiet_leaves_the_files_and_the_status(tmp_path, call):
    (tmp_path / "t.json").write_text(TOKENS)
    (tmp_path / "s.txt").write_text(STORIES)
    calls = (
        "series t.json --json 1.json",
        "prove --vocab 1 --length 1 --json 2.json",
        "prove --check 2.json --json 3.json",
        "stats s.txt --length 5 -o 4.safetensors --json 4.json",
        "claims random-diagonal-baseline --json 5.json",
        "doctor --json 6.json",
        "verify reference --check statistics.B_bar --json 7.json",
    )
    for number, words in enumerate(calls, start=1):
        assert call(*words.split(), "--quiet") == (0, "", ""), words
        assert (tmp_path / f"{number}.json").stat().st_size


def test_a_corpus_that_is_not_named_is_the_embedded_stories_everywhere():
    """As the help of every command says of its corpus."""
    for command in COMMANDS.values():
        told = {one.help for one in command.params if one.metavar == "CORPUS"}
        assert all("the embedded stories by default" in one for one in told)
        lengths = [one for one in command.params if "or what a token array has" in (one.help or "")]
        assert all(one.default is None for one in lengths), command.name
    assert options.one_corpus(None, None) is None


def test_a_run_leaves_nothing_in_the_folder(tmp_path):
    done = leadterms("verify", "reference", "--check", "statistics.B_bar", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["verfy"], "Did you mean 'verify'?"),
        (["verify", "--lenght", "3"], "--length"),
        (["verify", "refrence"], "Did you mean reference?"),
        (["verify", "--check", "statistics.Bbar"], "Did you mean statistics.B_bar?"),
        (["verify", "--tokenizer", "word"], "Did you mean words?"),
        (["claims", "randm-diagonal-baseline"], "Did you mean random-diagonal-baseline?"),
        (["claims", "--source", "papr"], "Did you mean paper?"),
        (["claims", "--verdict", "refutd"], "'refutd' is not one of"),
        (["claims", "--verdict", "refutd"], "Did you mean refuted?"),
        (["neighbours", "Fsh"], "Did you mean fish?"),
        (["stats", "T.jsn", "-o", "x.safetensors"], "Did you mean t.json?"),
        (["series", "emtpy.json"], "Did you mean empty.json?"),
        (["verify", "weights:t.npz", "--rate", "1", "--steps", "1"], "no checkpoint t.npz"),
        (["report", "--out", ""], "nothing after --out"),
        (["verify", "--json="], "nothing after --json"),
        (["explain", ""], "What follows explain is empty"),
        (["prove", "--check", "t.json", "--vocab", "3"], "leave out --vocab"),
        (["prove", "--check", "empty.json"], "no leadterms certificate"),
        (["prove", "--check", "list.json"], "no leadterms certificate"),
        (["verify", "--corpus", "a" * 300], "has 300 characters"),
        (["stats", "t.json", "-o", "a" * 300], "is too long"),
        (["verify", "--xfail", "a" * 300], "File name too long"),
    ],
)
def test_a_wrong_call_is_told_with_what_was_meant(tmp_path, call, words, told):
    for name, content in (("t.json", TOKENS), ("empty.json", "{}"), ("list.json", "[]")):
        (tmp_path / name).write_text(content)
    before = sorted(tmp_path.iterdir())
    status, printed, complaint = call(*words)
    assert (status, printed) == (2, "")
    assert told in " ".join(complaint.split())
    assert "[Errno" not in complaint
    assert "Value error" not in complaint
    assert sorted(tmp_path.iterdir()) == before


INTERRUPTED_IMPORT = """
import os, signal, sys
class Press:
    def find_spec(self, name, *rest):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
"""
# Python reports what is raised in such a callback as ignored, and goes on.
INTERRUPTED_CALLBACK = """
import gc, os, signal, sys
pressed = []
def press(phase, info):
    if "hypothesis.core" in sys.modules and not pressed:
        pressed.append(True)
        os.kill(os.getpid(), signal.SIGINT)
gc.callbacks.append(press)
"""
# The key is pressed twice, the second time while what the first left is being removed.
INTERRUPTED_TWICE = """
import os, pathlib, signal
write, remove = pathlib.Path.write_text, pathlib.Path.unlink
def pressed(self, *rest, **options):
    write(self, *rest, **options)
    if self.suffix == ".part":
        os.kill(os.getpid(), signal.SIGINT)
def pressed_again(self, *rest, **options):
    if self.suffix == ".part":
        os.kill(os.getpid(), signal.SIGINT)
    remove(self, *rest, **options)
pathlib.Path.write_text, pathlib.Path.unlink = pressed, pressed_again
"""


def listening():
    """Undo what a shell may have set for its background jobs: that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("when", [INTERRUPTED_IMPORT, INTERRUPTED_CALLBACK, INTERRUPTED_TWICE])
def test_ctrl_c_ends_a_command_with_130_and_leaves_nothing_behind(tmp_path, when):
    call = ["verify", "reference", "--check", "statistics.B_bar", "--json", "out.jsonl"]
    done = subprocess.run(
        [sys.executable, "-c", f"{when}\nfrom paper_checks.__main__ import main\nmain()", *call],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        preexec_fn=listening,
    )
    assert done.returncode == 130, done.stderr
    assert re.fullmatch(
        r"leadterms: stopped before the \w+(; no file is left half written)?\.\n", done.stderr
    )
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_training_tells_what_is_kept(tmp_path):
    (tmp_path / "s.txt").write_text(STORIES)
    code = (
        "import os, signal, gpu.checkpoints as kept\n"
        "save = kept.save\n"
        "def pressed(*all):\n    save(*all)\n    os.kill(os.getpid(), signal.SIGINT)\n"
        "kept.save = pressed\n"
        "from paper_checks.__main__ import main\nmain()"
    )
    call = [
        "train",
        "s.txt",
        "--length",
        "5",
        "--layers",
        "1",
        "--rate",
        ".1",
        "--steps",
        "20",
        "--save-every",
        "5",
        "--out",
        "run",
    ]
    done = subprocess.run(
        [sys.executable, "-c", code, *call],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
        preexec_fn=listening,
    )
    assert done.returncode == 130, done.stderr
    assert "use --resume" in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "run" / "checkpoint.safetensors").exists()
    assert not list((tmp_path / "run").glob("*.part"))


def test_doctor_says_what_runs_here_and_how_to_get_the_rest(tmp_path):
    done = called("doctor", "--json", "machine.json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    found = json.loads((tmp_path / "machine.json").read_text())
    assert found["ok"]
    assert "numpy" in found["packages"]["core"]["installed"]
    for one in found["can"]:
        assert one["possible"] == (one["get"] == "")
        assert f"{'yes' if one['possible'] else 'no'} {one['what']}" in " ".join(done.stdout.split())
        # What gets the rest is a line of its own, to copy.
        assert one["possible"] or one["get"] in map(str.strip, done.stdout.splitlines())
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("given", [["cats.txt"], ["--corpus", "cats.txt"], ["--corpus=cats.txt"]])
def test_a_corpus_is_taken_as_an_argument_and_as_an_option_alike(tmp_path, given):
    (tmp_path / "cats.txt").write_text("the cat sat on the mat and the cat ran\n" * 3)
    done = called("predict", "--length", "4", *given, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cats.txt: ")


@pytest.mark.parametrize("name", OF_A_CORPUS)
def test_two_corpora_are_one_too_many(tmp_path, name):
    (tmp_path / "cats.txt").write_text("the cat sat on the mat and the cat ran\n" * 3)
    done = called(name, "cats.txt", "--corpus", "cats.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert "extra argument" in " ".join(done.stderr.replace("│", " ").split())


def test_a_process_that_was_started_to_ignore_ctrl_c_ignores_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        Interrupts().listen()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
