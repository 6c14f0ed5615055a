"""What a signature says is enforced: shapes by jaxtyping, plain types by beartype alone.

jaxtyping's wrapper binds each call's arguments to hold the sizes of axes together. A function without an
array in its signature has no axes, and most calls are of such: without the wrapper they take a tenth. One
with arrays is held to its signature once for each kind of arguments and answer, their types and shapes, which
is all that a signature speaks of: holding it at every call took a third of the time of the tests. A function
that is made inside another is held the first time that it is made: making it anew each time would cost more
than what it does.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from itertools import islice
from types import CodeType, FunctionType
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
    if isinstance(function, FunctionType) and "<locals>" in function.__qualname__ and _seen(function):
        return function
    if isinstance(function, FunctionType) and not _has_shapes(function):
        return beartype(function)
    if isinstance(function, FunctionType):
        return once_for_each_kind(function, typechecker)
    return jaxtyped(function, typechecker=typechecker)


def once_for_each_kind(function: Callable[..., Any], typechecker: Any) -> Callable[..., Any]:
    """Return the function, held to its signature where arguments or an answer are of a kind that is new.

    What changes nothing but the answer's kind, such as the values of an array, is held to as well: the answer
    that was given is put through the signature, and nothing is computed twice.
    """
    held = jaxtyped(function, typechecker=typechecker)
    answers: list[Any] = []

    @wraps(function)
    def answered(*arguments: Any, **named: Any) -> Any:
        return answers.pop()

    holds = jaxtyped(answered, typechecker=typechecker)
    right: dict[Any, set[Any]] = {}

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        kind = kind_of((arguments, named))
        if kind not in right:
            result = held(*arguments, **named)
            right[kind] = {kind_of(result)}
            return result
        result = function(*arguments, **named)
        if kind_of(result) not in right[kind]:
            answers.append(result)
            holds(*arguments, **named)
            right[kind].add(kind_of(result))
        return result

    return called


_SEEN: set[CodeType] = set()


def _seen(function: FunctionType) -> bool:
    """Return whether a function that is made inside another was made before: the first made is held."""
    seen = function.__code__ in _SEEN
    _SEEN.add(function.__code__)
    return seen


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
