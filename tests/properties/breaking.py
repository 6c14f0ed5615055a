"""Plant a slip in a module's source: the checks must notice."""

import importlib
import types


def broken(module_name: str, right: str, wrong: str) -> types.ModuleType:
    """Return a copy of the module in which `right`, which occurs exactly once, reads `wrong`."""
    # Imported first: dataclasses look their module up by name.
    origin = importlib.import_module(module_name).__file__
    assert origin is not None
    with open(origin, encoding="utf-8") as file:
        source = file.read()
    assert source.count(right) == 1, f"{module_name} holds {right!r} {source.count(right)} times"
    copy = types.ModuleType(module_name)
    copy.__file__ = origin
    exec(compile(source.replace(right, wrong), f"<broken {module_name}>", "exec"), copy.__dict__)
    return copy


class With:
    """An implementation with the methods given, and no others."""

    def __init__(self, name: str, dtype: str = "float64", **methods) -> None:
        self.name, self.dtype = name, dtype
        for method, function in methods.items():
            setattr(self, method, function)
