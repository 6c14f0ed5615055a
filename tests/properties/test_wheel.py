"""`pytest --pyargs properties` from the wheel alone: what is packed is enough, and is what is run."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from test_pytest_plugin import ENTRY, MINE

from properties.results import read_run

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.deep
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
TARGET = "py:mine:Transposed"


def done(command, folder, **environment):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "PYTHONPATH"))}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=folder, timeout=600, env={**kept, **environment}
    )


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that the wheel was installed to, without its dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    built = done([*PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", ".", "./source"], folder)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("leadterms-*.whl")
    put = done([*PIP, "install", "--no-deps", "--target", "site", wheel.name], folder)
    assert put.returncode == 0, put.stderr
    shutil.rmtree(folder / "source")
    return folder / "site"


@pytest.fixture
def project(tmp_path, installed):
    """A project that has only installed us; returns a function that runs Python in it."""
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "known.toml").write_text(
        "".join(map(ENTRY.format, ("statistics.B_bar", "statistics.reordered", "statistics.B_baz")))
    )

    def run(*arguments):
        return done([sys.executable, *arguments], tmp_path, PYTHONPATH=str(installed), COLUMNS="80")

    run.folder = tmp_path
    return run


def test_it_is_the_wheel_that_is_run_and_every_file_of_the_packages_is_in_it(project, installed):
    where = project("-c", "import properties, paper_checks; print(properties.__file__)")
    assert where.stdout.startswith(str(installed)), where.stderr
    for package in ("theory", "reference", "gpu", "properties", "paper_checks"):
        kept = {path.relative_to(ROOT) for path in (ROOT / package).rglob("*") if path.is_file()}
        lost = {p for p in kept if "__pycache__" not in p.parts and not (installed / p).exists()}
        assert not lost


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "two workers"])
def test_an_implementation_is_held_to_the_laws(project, workers):
    ran = project(
        "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "properties", "--impl", TARGET,
        "-k", "B_bar or reordered or B_baz", "--leadterms-xfail", "known.toml",
        "--leadterms-json", "out.jsonl", "--junitxml", "out.xml", *workers,
    )  # fmt: skip
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f"leadterms: {TARGET}; profile quick, seed 0" in ran.stdout
    results = {result.check: result.result for result in read_run(project.folder / "out.jsonl").results}
    assert results["statistics.B_bar"] == "xfailed"
    assert results["statistics.reordered"] == "xpassed"
    assert results["statistics.B_baz"] == "errored"
    told = ran.stdout.split("= FAILURES =")[1].split("= short test summary")[0]
    assert "Did you mean statistics.B_bar?" in told
    assert "but was expected to fail: known" in told
    assert max(len(line) for line in told.splitlines() if line[:1] not in "_-=[") <= 80
    assert re.search(r"^1 xfailed, .*: py:mine:Transposed$|xfailed.*: py:mine:Transposed$", ran.stdout, re.M)
    cases = ElementTree.parse(project.folder / "out.xml").getroot().iter("testcase")
    properties = [{p.get("name"): p.get("value") for p in case.iter("property")} for case in cases]
    assert {p["leadterms_check"]: p["leadterms_result"] for p in properties} == results


def test_the_command_line_runs(project):
    ran = project("-m", "paper_checks", "verify", TARGET, "--check", "statistics.B_bar")
    assert ran.returncode == 1
    assert "It is transposed" in " ".join(ran.stdout.split())
