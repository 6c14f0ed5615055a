"""Plant a slip in a module's source: the checks must notice."""

import importlib
import types

from properties.mutants.mutant import planted


def broken(module_name: str, right: str, wrong: str) -> types.ModuleType:
    """Return a copy of the module in which `right`, which occurs exactly once, reads `wrong`."""
    # Imported first: dataclasses look their module up by name.
    return planted(importlib.import_module(module_name), None, right, wrong)


class With:
    """An implementation with the methods given, and no others."""

    def __init__(self, name: str, dtype: str = "float64", **methods) -> None:
        self.name, self.dtype = name, dtype
        for method, function in methods.items():
            setattr(self, method, function)
