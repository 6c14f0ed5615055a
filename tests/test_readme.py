"""The commands and snippets of the README work as printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
STORY = "one day tom ran to the park and was glad . " * 40


def run(command, cwd):
    command = command.replace(".venv/bin/leadterms", "leadterms")
    launcher = cwd / "bin"
    launcher.mkdir(exist_ok=True)
    (launcher / "leadterms").write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -c "from paper_checks.command_line import main; main()" "$@"\n'
    )
    (launcher / "leadterms").chmod(0o755)
    path = f"{launcher}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
    )


def commands():
    """The indented command lines that call leadterms or prepare its input."""
    lines = re.findall(r"^    (\S.*)$", README, flags=re.MULTILINE)
    return [line for line in lines if line.startswith((".venv/bin/leadterms", "echo"))]


def test_the_readme_shows_every_command():
    shown = {line.split()[1] for line in commands() if line.startswith(".venv")}
    assert shown >= {"verify", "prove", "series", "stats", "train"}


def test_the_commands_of_the_readme_work_as_printed(tmp_path):
    snippet = re.search(r"```python\n# mine.py\n(.*?)```", README, flags=re.DOTALL)
    (tmp_path / "mine.py").write_text(snippet.group(1))
    text = "\n<|endoftext|>\n".join(f"{STORY} word{i}" for i in range(3))
    words = " ".join("".join(chr(97 + int(d)) for d in str(10_000 + i)) for i in range(3000))
    (tmp_path / "stories.txt").write_text(f"{text}\n<|endoftext|>\n{words}\n")
    for command in commands():
        if any(part in command for part in ("--check bounds", "verify --corpus", "--mutants")):
            continue  # whole runs of the suite; `make verify`, the corpus and the mutants' tests do these
        done = run(command, tmp_path)
        assert done.returncode == 0, (command, done.stdout[-800:], done.stderr)


def test_the_call_of_the_readme_returns_results(tmp_path):
    snippet = re.search(r"```python\n(from properties import.*?)```", README, flags=re.DOTALL)
    source = snippet.group(1).replace('"reference"', '"reference", checks=()')
    scope = {}
    exec(source, scope)
    assert scope["results"] == []
