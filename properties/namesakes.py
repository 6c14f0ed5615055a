"""Modules beside a target that are called as this project's are: a `gpu.py` of theirs, a folder `reference/`.

In one process a name stands for one module. Where the folder of a target has a name of ours, the target is
imported and called with its own modules in place and ours put aside, so that what it imports in the midst of
a call is its own too.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from properties.target import METHODS

ROOMS = ("theory", "reference", "gpu", "properties", "paper_checks")
_HOME = Path(__file__).resolve().parents[1]


class Namesakes:
    """The modules of a folder, which can be imported from now on, where none of them hides ours.

    Attributes:
        names: the names of ours that the folder has too; its modules are then found in their place only.
            A folder without an `__init__.py` is none: the package of that name comes first wherever it lies.
    """

    def __init__(self, folder: Path) -> None:
        for room in ROOMS:  # what is loaded is found again, whatever comes first on the path
            importlib.import_module(room)
        self.folder = str(folder)
        self.names = frozenset(room for room in ROOMS if folder.resolve() != _HOME and _has(folder, room))
        self._theirs: dict[str, ModuleType] = {}
        # Processes that are started from here look for ours where this one looks.
        if not self.names and self.folder not in sys.path:
            sys.path.insert(0, self.folder)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let the modules of the folder stand for their names, before all others; ours do again after."""
        ours = _taken(self.names)
        sys.modules.update(self._theirs)
        sys.path.insert(0, self.folder)
        try:
            yield
        finally:
            sys.path.remove(self.folder)
            self._theirs = _taken(self.names)
            sys.modules.update(ours)

    def calling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that calls this one with the modules of the folder in place."""

        @wraps(function)
        def called(*arguments: Any, **named: Any) -> Any:
            with self.in_place():
                return function(*arguments, **named)

        return called

    def among_its_own(self, implementation: Any) -> Any:
        """Return the implementation, whose methods run with the modules of the folder in place."""
        return _AmongItsOwn(implementation, self) if self.names else implementation


class _AmongItsOwn:
    def __init__(self, implementation: Any, namesakes: Namesakes) -> None:
        self._implementation = implementation
        self._namesakes = namesakes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._implementation, name)
        return self._namesakes.calling(found) if name in METHODS and callable(found) else found


def _has(folder: Path, name: str) -> bool:
    return (folder / f"{name}.py").is_file() or (folder / name / "__init__.py").is_file()


def _taken(names: frozenset[str]) -> dict[str, ModuleType]:
    """Return the loaded modules of these names and all in them, which are no longer found."""
    found = [name for name in sys.modules if name.partition(".")[0] in names]
    return {name: sys.modules.pop(name) for name in found}
