"""How an implementation is named on a command line, and how it is found: `kind:what`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

from properties.command_target import TIMEOUT_SECONDS, CommandImplementation
from properties.namesakes import ROOMS, Namesakes
from properties.parameter_names import OWN, read_names
from properties.target import METHODS, Target
from reference.errors import InputError, meant

# Names for the implementations that come along; each is a `py:` target like any other.
BUILT_IN = {
    "reference": "reference.implementation:implementation",
    "gpu": "gpu.implementation:implementation",
    "gpu32": "gpu.implementation:implementation32",
    "compiled": "gpu.compiled_implementation:implementation",
}
FORMS = (
    "reference, gpu, gpu32, compiled, py:module:attribute, torch:module:factory[:NAMES.toml], "
    "cmd:PROGRAM ARGS or weights:FILE"
)
KINDS = ("py", "torch", "cmd", "weights")


def require_names(specs: Iterable[str]) -> None:
    """Refuse names of which one is no target's, before a program of another is started.

    Raises:
        InputError: a name has none of the forms; the arguments of a program that stand apart from it are one.
    """
    for before, spec in pairwise(["", *specs]):
        if spec in BUILT_IN or spec.partition(":")[0] in KINDS:
            continue
        if before.startswith("cmd:"):
            raise InputError(
                f"There is no target '{spec}'; if it belongs to {before}, quote both as one word: "
                f"'{before} {spec}'."
            )
        raise _none_of(spec)


def _none_of(spec: str) -> InputError:
    kind = spec.partition(":")[0]
    hint = meant(kind, [*BUILT_IN, *KINDS])
    if spec.endswith(".py") and Path(spec).is_file():
        hint = f" Of what {spec} defines, name one as py:{Path(spec).stem}:NAME, in its folder."
    return InputError(f"There is no target '{spec}'; give {FORMS}.{hint}")


def connect(spec: str, timeout: float = TIMEOUT_SECONDS) -> Target:
    """Return the target that `spec` names: one that comes along, a `py:`, `torch:` or `cmd:` target.

    A `py:` module is looked for in the current folder first. Its attribute may be a class or a function
    without arguments, which is then called. `torch:module:factory` names what builds an nn.Module from
    (vocab_size, length, layers); a third part names a mapping file (`properties.parameter_names`). A `cmd:`
    program has `timeout` seconds for each answer; the target must be closed.

    Raises:
        InputError: there is no such target, it cannot be imported or started, or it has no method of the
            protocol.
    """
    if spec in BUILT_IN:
        return Target(_attribute(spec, *BUILT_IN[spec].split(":")), name=spec)
    kind, _, rest = spec.partition(":")
    if kind == "cmd":
        return Target(CommandImplementation(rest, timeout), name=spec)
    if kind == "torch":
        return Target(_module(spec, rest), name=spec)
    if kind == "weights":
        raise InputError(
            f"{spec} has weights and no methods; leadterms verify {spec} --rate ETA --steps S judges it."
        )
    if kind != "py":
        raise _none_of(spec)
    module, _, attribute = rest.partition(":")
    if not module or not attribute:
        raise InputError(f"The target '{spec}' is incomplete; write py:module:attribute.")
    namesakes = Namesakes(Path.cwd())
    with namesakes.in_place():
        made = _instance(spec, _attribute(spec, module, attribute))
    target = Target(namesakes.among_its_own(made), name=spec)
    if not target.methods:
        raise InputError(
            f"{spec} has none of the methods of an implementation; give it some of {', '.join(METHODS)}."
        )
    return target


def _module(spec: str, rest: str) -> Any:
    module, _, tail = rest.partition(":")
    factory, _, names = tail.partition(":")
    if not module or not factory:
        raise InputError(f"The target '{spec}' is incomplete; write torch:module:factory or add :NAMES.toml.")
    sources = read_names(Path(names)) if names else OWN
    namesakes = Namesakes(Path.cwd())
    with namesakes.in_place():
        found = _attribute(spec, module, factory)
    # Only the gpu room imports torch; without it this tells how to install it.
    implementation = _attribute(spec, "gpu.module_target", "ModuleImplementation")
    return implementation(
        namesakes.calling(found),
        {group: (source.name, source.transpose) for group, source in sources.items()},
    )


def _attribute(spec: str, module: str, attribute: str) -> Any:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name in ("torch", "numba"):
            raise InputError(
                f"The target {spec} needs {error.name}; run: pip install 'leadterms[gpu]'."
            ) from None
        raise InputError(
            f"The target {spec} cannot be imported: {error}; {_what_to_do(module, error)}."
        ) from None
    except Exception as error:
        raise InputError(f"Importing {module} for {spec} raised {type(error).__name__}: {error}.") from None
    if not hasattr(loaded, attribute):
        hint = meant(attribute, dir(loaded))
        raise InputError(f"The module {module} has no attribute '{attribute}'.{hint}")
    return getattr(loaded, attribute)


def _what_to_do(module: str, error: ModuleNotFoundError) -> str:
    if module.endswith(".py") or "/" in module:
        return "name it as in an import, without .py, in its folder"
    folder = (error.name or "").partition(".")[0]
    if folder in ROOMS and Path(folder).is_dir():
        return f"leadterms has a package {folder}, which comes first unless yours has an __init__.py"
    return "check the module's name"


def _instance(spec: str, found: Any) -> Any:
    is_factory = isinstance(found, type) or (callable(found) and not Target(found).methods)
    if not is_factory:
        return found
    try:
        return found()
    except Exception as error:
        raise InputError(
            f"Calling {spec} without arguments raised {type(error).__name__}: {error}."
        ) from None
