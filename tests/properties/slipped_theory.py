"""The whole of `theory`, and a module that uses it, with fragments of some files reading otherwise."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import theory

ROOM = Path(theory.__file__).parent

# A module of theory, what it says once, and what it says instead.
Slip = tuple[str, str, str]


class _Planted(importlib.machinery.SourceFileLoader):
    """Loads the file with the slip, and leaves no bytecode of it."""

    slips: list[Slip]

    def get_code(self, fullname: str) -> types.CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        for _, right, wrong in self.slips:
            assert source.count(right) == 1, f"{right!r} is {source.count(right)} times in {fullname}"
            source = source.replace(right, wrong)
        return compile(source, self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, slips: tuple[Slip, ...]) -> None:
        self.slips = slips

    def find_spec(self, fullname, path, target=None):
        here = [slip for slip in self.slips if f"theory.{slip[0]}" == fullname]
        if not here:
            return None
        place = str(ROOM.parent.joinpath(*fullname.split(".")).with_suffix(".py"))
        loader = _Planted(fullname, place)
        loader.slips = here
        return importlib.util.spec_from_file_location(fullname, place, loader=loader)


@contextmanager
def slipped_theory(using: str, *slips: Slip) -> Iterator[types.ModuleType]:
    """Yield the module `using` as it is when `theory` has the slips; all is as before afterwards."""
    kept = {n: m for n, m in sys.modules.items() if n == using or n.split(".")[0] == "theory"}
    finder = _Finder(slips)
    for name in kept:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    parent, _, leaf = using.rpartition(".")
    try:
        yield importlib.import_module(using)
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n == using or n.split(".")[0] == "theory"]:
            del sys.modules[name]
        sys.modules.update(kept)
        # Importing also set the attributes of the packages.
        if using in kept and parent:
            setattr(sys.modules[parent], leaf, kept[using])
