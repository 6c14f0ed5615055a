"""Plant a slip in a module's source: the checks must notice."""

import importlib.util
import types


def broken(module_name: str, right: str, wrong: str) -> types.ModuleType:
    """Return a copy of the module in which `right`, which occurs exactly once, reads `wrong`."""
    spec = importlib.util.find_spec(module_name)
    assert spec is not None
    assert spec.origin is not None
    with open(spec.origin, encoding="utf-8") as file:
        source = file.read()
    assert source.count(right) == 1, f"{module_name} holds {right!r} {source.count(right)} times"
    copy = types.ModuleType(module_name)
    copy.__file__ = spec.origin
    exec(compile(source.replace(right, wrong), f"<broken {module_name}>", "exec"), copy.__dict__)
    return copy


class With:
    """An implementation with the methods given, and no others."""

    def __init__(self, name: str, dtype: str = "float64", **methods) -> None:
        self.name, self.dtype = name, dtype
        for method, function in methods.items():
            setattr(self, method, function)
