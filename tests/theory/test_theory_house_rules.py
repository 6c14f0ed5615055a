"""The rules of this room, held by reading its sources: no floats, nothing of ours imported, SymPy only where
needed.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import theory

ROOM = Path(theory.__file__).parent
SOURCES = sorted(ROOM.rglob("*.py"))
OURS = {"reference", "gpu", "properties", "paper_checks", "tests", "benchmarks"}
INEXACT = {"float", "complex"}


def imported(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_imports_nothing_of_ours_and_no_floating_point_library(path: Path) -> None:
    names = imported(ast.parse(path.read_text()))
    assert not names & (OURS | {"numpy", "scipy", "torch"})


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_contains_no_floats(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex)), node.lineno
        assert not (isinstance(node, ast.Name) and node.id in INEXACT), node.lineno


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_hold_one_idea(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 320


def test_flint_only_modules_start_without_sympy() -> None:
    light = [p.stem for p in SOURCES if "import sympy" not in p.read_text() and p.stem != "__init__"]
    assert "statistics" in light
    script = (
        "import importlib, sys\n"
        f"for name in {light!r}: importlib.import_module('theory.' + name)\n"
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOM.parent, check=False).returncode == 0
