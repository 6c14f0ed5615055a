"""The rooms import each other along the arrows of docs/design.md only, and nothing heavy at start-up."""

import re
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

from benchmarks.whole_verify import COMMAND, LEAST, MOST_OVER_LEAST, whole_process
from properties.independence import imports_of
from properties.namesakes import ROOMS

ROOT = Path(__file__).resolve().parent.parent
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|", re.MULTILINE)


def arrows() -> dict[str, set[str]]:
    """Return what each room may import, as the first table of the design has it."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    may: dict[str, set[str]] = {}
    for room, imports in ROW.findall(text[text.index("| room |") : text.index("## Notation")]):
        allowed = set(may) if imports == "all of these" else set(re.findall(r"`(\w+)`", imports))
        assert allowed <= set(may), f"{room} may import what stands below it: {imports}"
        assert allowed or imports == "nothing of ours"
        may[room] = allowed
    return may


ARROWS = arrows()


def files(room: str) -> list[Path]:
    found = sorted((ROOT / room).rglob("*.py"))
    assert found, f"{room} is empty"
    return found


def against_the_arrows(room: str, sources: dict[str, str]) -> list[str]:
    return imports_of(sources, set(ARROWS) - ARROWS[room] - {room})


def test_the_design_names_every_room():
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert {*packages, *ROOMS, "examples", "tests"} == set(ARROWS)


@pytest.mark.parametrize("room", ARROWS)
def test_a_room_imports_only_what_its_arrows_allow(room):
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files(room)}
    assert against_the_arrows(room, sources) == []
    # A relative import would not say which room it is from.
    assert [name for name, text in sources.items() if re.search(r"^\s*from \.", text, re.MULTILINE)] == []


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("theory", "import reference.model"),
        ("reference", "from theory.corpus import check_corpus"),
        ("gpu", "def f():\n    from properties import catalogue"),
        ("properties", "importlib.import_module('gpu.compiled')"),
        ("paper_checks", "from benchmarks import running"),
        ("examples", "import properties"),
    ],
)
def test_an_import_against_the_arrows_is_found(room, line):
    (found,) = against_the_arrows(room, {"a.py": line})
    assert found.startswith("a.py:")


@pytest.mark.parametrize("room", ARROWS)
def test_no_file_is_so_long_that_it_holds_two_ideas(room):
    """CONTRIBUTING.md asks for 300 lines or so; a table of cases may be longer, but not by more."""
    assert [path for path in files(room) if len(path.read_text(encoding="utf-8").splitlines()) > 400] == []


@pytest.mark.parametrize("room", ["theory", "reference", "properties", "paper_checks"])
def test_torch_and_its_kernels_are_imported_by_gpu_only(room):
    # This one asks for the device's name.
    allowed = {"paper_checks/provenance.py"}
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in files(room)}
    assert {found.split(":")[0] for found in imports_of(sources, ["torch", "triton"])} <= allowed


HEAVY = {
    "torch",
    "triton",
    "numba",
    "sympy",
    "flint",
    "hypothesis",
    "numpy",
    "scipy",
    "matplotlib",
    "transformers",
    "pyarrow",
}


def started(code: str) -> str:
    """What a new process prints that runs `code` with the command line as `app`."""
    code = f"import sys, time\nfrom paper_checks.command_line import app\n{code}"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout


def test_the_help_of_no_command_imports_anything_heavy():
    printed = started(
        "import contextlib, io, typer\n"
        "for name in ['', *typer.main.get_command(app).commands]:\n"
        "    with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):\n"
        "        app([*filter(None, [name]), '--help'])\n"
        "    assert 'Usage' in told.getvalue(), name\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    assert printed.strip() == "[]"


def test_what_tries_a_check_imports_only_what_every_check_needs():
    """Parts of SciPy, which take as long as Hypothesis, are imported where they are called."""
    seldom = {"scipy.special", "scipy.sparse", "scipy.stats", "sympy", "torch", "numba"}
    printed = started(
        "from properties.catalogue import CHECKS\n"
        "import properties.runner\n"
        f"print(sorted({seldom!r} & set(sys.modules)))"
    )
    assert printed.strip() == "[]"


def test_what_predicts_a_run_draws_no_cases():
    printed = started(
        "import paper_checks.prediction.comparison, paper_checks.prediction.forecast, properties.checkpoint\n"
        "print('hypothesis' in sys.modules)"
    )
    assert printed.strip() == "False"


def test_the_names_of_experiments_need_no_torch():
    printed = started(
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()) as told, contextlib.suppress(SystemExit):\n"
        "    app(['experiments', '--list'])\n"
        "assert 'heads.structure' in told.getvalue()\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)))"
    )
    assert printed.strip() == "[]"


def test_the_help_is_there_at_once():
    """Next to the help of the least command line, in processor time and in turn: machines differ.

    Both of a pair share what else the machine does then; one quick moment of one of them decides nothing.
    """
    taken = [[whole_process([*command, "--help"])[1] for command in (COMMAND, LEAST)] for _ in range(5)]
    assert median(ours / least for ours, least in taken) <= MOST_OVER_LEAST, taken
