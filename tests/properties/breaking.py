"""Plant a slip in a module's source: the checks must notice."""

import importlib
import inspect
import sys
import types

from properties.mutants.mutant import planted

OURS = ("theory.", "properties.")


def broken(module_name: str, right: str, wrong: str) -> types.ModuleType:
    """Return a copy of the module in which `right`, which occurs exactly once, reads `wrong`."""
    # Imported first: dataclasses look their module up by name.
    return planted(importlib.import_module(module_name), None, right, wrong)


def break_in_place(monkeypatch, module_name: str, right: str, wrong: str) -> None:
    """Plant the slip in the module that everybody has imported, until the test ends.

    Functions get the code of the slipped copy, dictionaries its values; other constants are replaced
    wherever they were imported to. What was remembered is forgotten, before and after.
    """
    module, copy = importlib.import_module(module_name), broken(module_name, right, wrong)
    forget()
    for name, new in vars(copy).items():
        old = vars(module).get(name)
        if name.startswith("__") or old is new:
            continue
        if isinstance(new, type):
            for method, function in vars(new).items():
                _take_code(monkeypatch, vars(old).get(method), function)
        elif isinstance(new, dict):
            for key, value in new.items():
                monkeypatch.setitem(old, key, value)
        elif not _take_code(monkeypatch, old, new):
            _replace(monkeypatch, old, new)


def _take_code(monkeypatch, old, new) -> bool:
    """Give a function, remembered or not, the code and the defaults of another; False when it is none."""
    old, new = (inspect.unwrap(getattr(one, "fget", None) or one) for one in (old, new))
    if not (isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType)):
        return False
    if old.__code__.co_freevars == new.__code__.co_freevars:
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            monkeypatch.setattr(old, part, getattr(new, part))
    return True


def _replace(monkeypatch, old, new) -> None:
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith(OURS):
            for name, value in list(vars(module).items()):
                if value is old:
                    monkeypatch.setattr(module, name, new)


def forget() -> None:
    """Empty every memory of the theory and of the checks."""
    for module in list(sys.modules.values()):
        if not getattr(module, "__name__", "").startswith(OURS):
            continue
        for value in list(vars(module).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()
            if isinstance(value, types.FunctionType) and "kept" in value.__code__.co_freevars:
                value.__closure__[value.__code__.co_freevars.index("kept")].cell_contents.clear()


class With:
    """An implementation with the methods given, and no others."""

    def __init__(self, name: str, dtype: str = "float64", **methods) -> None:
        self.name, self.dtype = name, dtype
        for method, function in methods.items():
            setattr(self, method, function)
