"""What a signature says is enforced: shapes by jaxtyping, plain types by beartype alone.

jaxtyping's wrapper binds each call's arguments to hold the sizes of axes together. A function without an
array in its signature has no axes, and most calls are of such: without the wrapper they take a tenth.
"""

from collections.abc import Callable
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
    return jaxtyped(function, typechecker=typechecker)


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
