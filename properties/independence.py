"""Whether two rooms are independent derivations: neither imports nor repeats the other's code."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

Sources = Mapping[str, str]
"""A file's name to its text."""

# Fewer nodes than this are a formula that anyone would write, a transpose say.
FEWEST_NODES = 40


def sources_of(package: str) -> dict[str, str]:
    """Return the sources of a package or module that is installed here."""
    where = Path(importlib.import_module(package).__file__ or "")
    files = sorted(where.parent.rglob("*.py")) if where.name == "__init__.py" else [where]
    return {
        f"{package}/{file.relative_to(where.parent).as_posix()}": file.read_text(encoding="utf-8")
        for file in files
    }


def imports_of(sources: Sources, rooms: Iterable[str]) -> list[str]:
    """Return "file:line imports room.module" wherever one of `rooms` is imported, by name at run time too."""
    forbidden, found = set(rooms), []
    for name, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            found += [
                f"{name}:{getattr(node, 'lineno', 0)} imports {module}"
                for module in _imported(node)
                if module.split(".")[0] in forbidden
            ]
    return found


def _imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or ""
    elif isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in ("import_module", "__import__"):
            yield from (str(given.value) for given in node.args if isinstance(given, ast.Constant))


def shared_functions(first: Sources, second: Sources) -> list[str]:
    """Return "file: function = file: function" for each two functions that do the same to the letter.

    Their names, docstrings and annotations do not count, nor does what is too short to be anyone's own.
    """
    known = dict(_functions(second))
    return [f"{where} = {known[body]}" for body, where in _functions(first) if body in known]


def _functions(sources: Sources) -> Iterator[tuple[str, str]]:
    for name, text in sources.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if sum(1 for part in body for _ in ast.walk(part)) >= FEWEST_NODES:
                    arguments = ",".join(argument.arg for argument in node.args.args)
                    yield f"({arguments}) {[ast.dump(part) for part in body]}", f"{name}: {node.name}"
