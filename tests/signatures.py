"""What a signature says is enforced: shapes by jaxtyping, plain types by beartype alone.

jaxtyping's wrapper binds each call's arguments to hold the sizes of axes together. A function without an
array in its signature has no axes, and most calls are of such: without the wrapper they take a tenth. One
with arrays is held to its signature once for each kind of arguments, their types and shapes, which is all
that a signature speaks of: holding it at every call took a third of the time of the tests.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import islice
from types import FunctionType
from typing import Any, get_args, get_type_hints

import jaxtyping
from beartype import beartype
from jaxtyping import AbstractArray, install_import_hook, jaxtyped


def names_shapes(hint: Any) -> bool:
    """Return whether an annotation has an array's shape in it."""
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        return True
    return any(names_shapes(part) for part in get_args(hint))


def enforced(function: Any = None, *, typechecker: Any) -> Any:
    """Return a function or class that refuses what its signature does not admit; for jaxtyping's hook."""
    if function is None:
        return lambda given: enforced(given, typechecker=typechecker)
    if isinstance(function, FunctionType) and not _has_shapes(function):
        return beartype(function)
    held = jaxtyped(function, typechecker=typechecker)
    return once_for_each_kind(held, function) if isinstance(function, FunctionType) else held


def once_for_each_kind(held: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls `held`, and the function itself where a call with such arguments was right."""
    right = set()

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        kind = kind_of((arguments, named))
        if kind in right:
            return function(*arguments, **named)
        result = held(*arguments, **named)
        right.add(kind)
        return result

    return called


# A list of more has parts of one kind.
PARTS = 16


def kind_of(value: Any) -> Any:
    """Return the types and shapes of what is given, its parts too."""
    if isinstance(value, Mapping):
        return type(value), tuple((key, kind_of(part)) for key, part in value.items())
    if isinstance(value, list | tuple):
        return type(value), len(value), tuple(map(kind_of, islice(value, PARTS)))
    shape = getattr(value, "shape", None)
    return type(value) if shape is None else (type(value), value.dtype, tuple(shape))


def _has_shapes(function: Callable[..., Any]) -> bool:
    try:
        hints = get_type_hints(function)
    except Exception:  # a name that is there for type checkers alone, or a shape that jaxtyping cannot read
        return True
    return any(map(names_shapes, hints.values()))


def enforce(modules: list[str]) -> None:
    """Enforce the signatures of modules that are yet to be imported."""
    jaxtyping.jaxtyped = enforced
    install_import_hook(modules, "beartype.beartype")
