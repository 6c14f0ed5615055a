"""The rooms import each other along the arrows of docs/design.md only, and nothing heavy at start-up."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "theory": set(),
    "reference": set(),
    "gpu": {"reference"},
    "properties": {"theory", "reference"},
    "paper_checks": {"theory", "reference", "gpu", "properties"},
}


def imported_modules(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            modules.add(node.module or "")
    return modules


def files(room: str) -> list[Path]:
    found = sorted((ROOT / room).rglob("*.py"))
    assert found, f"{room} is empty"
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_its_arrows_allow(room):
    for path in files(room):
        rooms = {module.split(".")[0] for module in imported_modules(path)} & set(MAY_IMPORT)
        assert rooms <= MAY_IMPORT[room] | {room}, f"{path.relative_to(ROOT)} imports {rooms}"


@pytest.mark.parametrize("room", ["theory", "reference", "properties", "paper_checks"])
def test_torch_is_imported_by_gpu_only(room):
    allowed = {ROOT / "paper_checks" / "provenance.py"}  # asks for the device's name
    for path in set(files(room)) - allowed:
        assert not any(module.split(".")[0] == "torch" for module in imported_modules(path)), path


HEAVY = {
    "torch",
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
# Seconds of CPU time: others who use the machine do not count.
MOST_SECONDS = 0.3


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
    code = "import atexit; atexit.register(lambda: print(time.process_time()))\napp(['--help'])"
    seconds = [float(started(code).splitlines()[-1]) for _ in range(5)]
    assert min(seconds) <= MOST_SECONDS, seconds


def test_every_public_function_says_what_it_does():
    undocumented = []
    for room in MAY_IMPORT:
        for path in files(room):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                is_public = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_"
                if is_public and not ast.get_docstring(node):
                    undocumented.append(f"{path.relative_to(ROOT)}:{node.name}")
    assert undocumented == []


def test_every_module_says_what_it_is():
    bare = [
        path.relative_to(ROOT)
        for room in MAY_IMPORT
        for path in files(room)
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert bare == []
