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


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['leadterms', '--help']\n"
        "from paper_checks.command_line import app\n"
        "print(sorted({'torch', 'sympy', 'hypothesis', 'numpy', 'flint', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


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
