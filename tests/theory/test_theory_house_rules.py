"""The rules of this room, read off its sources: no floats, SymPy where it is needed."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import theory
from properties.independence import imports_of

ROOM = Path(theory.__file__).parent
SOURCES = sorted(ROOM.rglob("*.py"))
INEXACT = {"float", "complex"}


def module(path: Path) -> str:
    parts = path.relative_to(ROOM.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_imports_no_floating_point_library(path: Path) -> None:
    assert imports_of({path.name: path.read_text()}, ["numpy", "scipy", "torch"]) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_contains_no_floats(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex)), node.lineno
        assert not (isinstance(node, ast.Name) and node.id in INEXACT), node.lineno


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_files_hold_one_idea(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 320


def test_flint_only_modules_start_without_sympy() -> None:
    light = [module(p) for p in SOURCES if not re.search("^import sympy", p.read_text(), re.MULTILINE)]
    assert {"theory.statistics", "theory.step_coefficients", "theory.certificates"} <= set(light)
    script = (
        "import importlib, sys\n"
        f"for name in {light!r}: importlib.import_module(name)\n"
        "sys.exit('sympy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOM.parent, check=False).returncode == 0
