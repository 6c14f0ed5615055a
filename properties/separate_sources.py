"""What two parts of the project have in common, read off their sources: imports and functions.

Two results that agree say something only if they were reached apart. A slip can be common to both through a
module that both import, or through a function that was copied.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOMS = frozenset({"theory", "reference", "gpu", "properties", "paper_checks"})

# A body of fewer nodes than this is the same wherever the same is meant: `return a.T`, say.
FEWEST_NODES = 40


def reached(*names: str) -> set[str]:
    """Return the modules of ours that importing these brings in, they and their packages with them."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [*_packages(name), *_imported(name)]
    return found


def modules(package: str) -> list[str]:
    """Return the names of all modules of a package."""
    root = _source(package).parent
    names = []
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def functions(names: list[str]) -> dict[str, str]:
    """Return, by what it does, where each function is defined: bodies without docstrings, of some length."""
    found = {}
    for name in names:
        for node in ast.walk(_tree(name)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if sum(1 for statement in body for _ in ast.walk(statement)) >= FEWEST_NODES:
                    found["\n".join(map(ast.dump, body))] = f"{name}.{node.name}"
    return found


def _imported(module: str) -> Iterator[str]:
    for node in ast.walk(_tree(module)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # `from package import module` names a module too.
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in ROOMS and _exists(name))


def _packages(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


@cache
def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its parent is a module, and it a name in there
        return False


def _source(module: str) -> Path:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"there is no module {module}")
    return Path(spec.origin)


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(_source(module).read_text(encoding="utf-8"))
