"""What the documents show works as printed: commands run, files are as shown, and output says the same.

In each page, in order, in a folder of its own: a block of Python or TOML that begins with the name of a file
is that file; one of shell is run; one of Python is run; one of text, after a command, is an excerpt of what
that printed, line by line. A comment before a block changes this: `shown only: WHY` for what takes long or
needs what is not here, `exits 1` for a command that is to fail.
"""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

from paper_checks.command_line import app
from paper_checks.ledger.book import claims
from paper_checks.ledger.counts import IMPLIED, by_source
from properties.catalogue import CHECKS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "_site" not in path.parts
]
TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*) -->\n+)?^```(?P<kind>\w*)[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
FILE_NAME = re.compile(r"# ([\w-]+\.\w+)\n")
SHELL = re.compile(r"^(\.venv/bin/)?(leadterms|make|pip|pytest|python|torchrun)\b")


def blocks(page):
    return list(BLOCK.finditer(page.read_text(encoding="utf-8")))


def prepare(folder):
    """What the pages take for granted: the command, the examples, and the tutorial's text, stories.txt."""
    launcher = folder / "bin"
    launcher.mkdir()
    for name, call in (("leadterms", "-m paper_checks"), ("python", "")):
        (launcher / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
        (launcher / name).chmod(0o755)
    (folder / "examples").symlink_to(ROOT / "examples")
    text = next(block["body"] for block in blocks(TUTORIAL) if block["kind"] == "sh")
    subprocess.run(["bash", "-e", "-c", text], cwd=folder, check=True)
    path = f"{launcher}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "80"}


def run(command, folder, environment):
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


def pinned(package):
    """Whether a package is installed as constraints.txt has it."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return f"{package}=={version(package)}" in lines


def comparable(text):
    """Return the lines of a text; without worst errors where other cases are drawn than the pages' were."""
    lines = [line.rstrip() for line in text.splitlines()]
    return lines if pinned("hypothesis") else [re.sub(r"\bok +[\d<.e+]+", "ok", line) for line in lines]


def missing_lines(excerpt, printed):
    """Return the lines of an excerpt that were not printed, in its order."""
    rest = iter(comparable(printed))
    shown = [line for line in comparable(excerpt) if line.strip() not in ("", "...")]
    return [line for line in shown if not any(line == one for one in rest)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_works_as_printed(page, tmp_path):
    environment = prepare(tmp_path)
    printed = None
    for block in blocks(page):
        mark, kind, body = block["mark"] or "", block["kind"], block["body"]
        name = FILE_NAME.match(body)
        if mark.startswith("shown only: "):
            printed = None
        elif kind in ("python", "toml") and name:
            (tmp_path / name[1]).write_text(body)
        elif kind in ("sh", "python"):
            shell = ["bash", "-euo", "pipefail", "-c", body.replace(".venv/bin/", "")]
            done = run(shell if kind == "sh" else [sys.executable, "-c", body], tmp_path, environment)
            expected = int(mark.removeprefix("exits ")) if mark else 0
            assert done.returncode == expected, (body, done.stdout[-800:], done.stderr[-2000:])
            printed = done.stdout
        elif kind == "text" and printed is not None:
            assert missing_lines(body, printed) == [], printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_stands_in_a_block_that_is_run_or_says_why_not(page):
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert [line for line in text.splitlines() if line.startswith("    ") and SHELL.match(line.strip())] == []
    marks = {block["mark"] for block in blocks(page)} - {None}
    assert [mark for mark in marks if not re.fullmatch(r"shown only: \S.*|exits \d", mark)] == []


def test_the_documents_show_every_command():
    whole = "\n".join(block["body"] for page in PAGES for block in blocks(page))
    missing = [name for name in typer.main.get_command(app).commands if f"leadterms {name}" not in whole]
    assert missing == []


def test_the_reference_has_a_page_for_every_module_that_is_installed():
    rooms = runpy.run_path(str(ROOT / "docs" / "_site" / "hooks.py"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["setuptools"]["packages"]["find"]["include"]
    assert [f"{room}*" for room in rooms["ROOMS"]] == packages
    for room in rooms["ROOMS"]:
        assert len(rooms["_modules"](room)) == len(list((ROOT / room).rglob("*.py"))), room


def test_the_numbers_of_the_readme_are_those_of_the_project():
    (count,) = re.findall(r"of all (\d+), from the paper", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert int(count) == len(claims())


# A number as these pages write them where they tell of something measured or published.
NUMBER = re.compile(r"(?<![\w.])\.\d{2,}|\b\d+(?:\.\d+)?%|\b\d{1,3}(?:,\d{3})+\b")
COMMAND = re.compile(r"`(?:leadterms|make|python) [^`]+`|^```sh$", re.MULTILINE)
# Paragraphs between a number and the command that says it.
NEAR = 2


def numbers_without_a_command(text):
    """Return the numbers of a page's prose that no block of it shows and beside which no command stands."""
    shown = "".join(match[0] for match in BLOCK.finditer(text))
    parts = re.split(r"\n\n+", BLOCK.sub(lambda match: f"```{match['kind']}\n```\n", text))
    alone = []
    for i, part in enumerate(parts):
        if not COMMAND.search("\n\n".join(parts[i : i + NEAR + 1])):
            alone += [number for number in NUMBER.findall(part) if number not in shown]
    return alone


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_number_has_the_command_that_says_it_beside_it(page):
    text = page.read_text(encoding="utf-8")
    written = re.search(r"^Written by `make \w+`; do not edit", text, re.MULTILINE)
    assert written or numbers_without_a_command(text) == []


def test_a_number_that_nothing_says_is_found():
    assert numbers_without_a_command("It is .995, or 12%, of 3,000.\n") == [".995", "12%", "3,000"]
    assert numbers_without_a_command("It is .995.\n\n```sh\nleadterms predict\n```\n") == []
    assert numbers_without_a_command("```text\ncosine .995\n```\n\nThe cosine is .995.\n") == []


def test_the_counts_of_claims_in_the_readme_are_those_of_the_report():
    lines = map(json.loads, (ROOT / "docs" / "report" / "results.jsonl").read_text("utf-8").splitlines())
    rows = [line for line in lines if line["kind"] == "claim"]
    (paper,) = (one for one in by_source(rows) if one.key == "paper")
    found = paper.found
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for told in (
        f"of the paper's {paper.total} statements in the ledger {found['holds']} hold, ",
        f" {found['refuted']} are refuted as they stand, {found[IMPLIED]} of these only implied by it, ",
        f" and {found['not_run']} need a run; ",
    ):
        assert told in readme
    assert found["holds"] + found["refuted"] + found["not_run"] == paper.total
    assert "about a third are refuted" in readme
    assert 0.3 < sum(row["verdict"] == "refuted" for row in rows) / len(rows) < 0.37


def test_the_picture_in_the_readme_is_small_and_drawn_by_a_command():
    picture = ROOT / "docs" / "report.png"
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size <= 200_000
    assert "drawn by `make picture`" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_warning_fails_the_build_of_the_site():
    """Which it does not with --quiet: what mkdocs does not say it does not count."""
    (build,) = re.findall(r"mkdocs build(.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert build.split() == ["--strict"]


def test_every_target_of_make_that_is_named_is_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {
        name for page in PAGES for name in re.findall(r"(?:^|`)make (\w+)", page.read_text(), re.MULTILINE)
    }
    assert named >= {"verify", "test", "docs"}
    assert [
        name
        for name in sorted(named)
        if not re.search(rf"^([a-z]+ )*{name}( [a-z]+)*:", makefile, re.MULTILINE)
    ] == []


# A file or folder of ours, as prose names it.
OURS = re.compile(
    r"`((?:theory|reference|gpu|properties|paper_checks|tests|benchmarks|examples|vectors|docs)/[\w./-]*)`"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    assert [name for name in OURS.findall(BLOCK.sub("", text)) if not (ROOT / name).exists()] == []
    for held in re.findall(r"\*Held by\*.*?(?:\n\n|\Z)", text, re.DOTALL):
        family = ""
        for name in re.findall(r"`(\w*\.[\w*]+)`", held):
            family = name.split(".")[0] or family
            wanted = f"{family}.{name.split('.')[1]}"
            assert any(fnmatchcase(check.id, wanted) for check in CHECKS), wanted


def test_an_excerpt_that_was_not_printed_is_found():
    assert missing_lines("b\n...\nd", "a\nb  \nc\nd\n") == []
    assert missing_lines("d\nb", "a\nb\nc\nd\n") == ["b"]
    assert missing_lines("b 2", "a\nb 1\n") == ["b 2"]
