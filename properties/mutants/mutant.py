"""A wrong implementation: a right one in which one fragment of one method's source reads otherwise."""

from __future__ import annotations

import ast
import inspect
import types
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from properties.mutants import plain_heads, plain_metrics, plain_model, plain_statistics, plain_training

MODULES = {
    "statistics": plain_statistics,
    "logits": plain_model,
    "attention": plain_model,
    "loss": plain_model,
    "gradients": plain_training,
    "train": plain_training,
    "remove_projection": plain_metrics,
    "head_profile": plain_metrics,
    "induction_score": plain_metrics,
    "sequence_induction_score": plain_metrics,
    "composition_score": plain_metrics,
    "multi_head_output": plain_heads,
    "probe_split": plain_heads,
}


@dataclass(frozen=True)
class Mutant:
    """One slip in one method of the plain implementation.

    Attributes:
        id: permanent; begins with what goes wrong.
        method: the method of the protocol that answers wrongly. Every other one stays right.
        slip: what is wrong, a clause that goes on after "it is right but for one slip:".
        function: the function of the method's module that holds the slip.
        right: what its source says, once.
        wrong: what it says instead.
        caught_by: the ids of the checks that must turn red; of an equivalent mutant, those that must not.
        kind: the name of the slip where others make it too, one of `properties.slips.KINDS`.
    """

    id: str
    method: str
    slip: str
    function: str
    right: str
    wrong: str
    caught_by: tuple[str, ...]
    kind: str | None = None

    @property
    def name(self) -> str:
        """What the slip is called in a failure: its kind, or the slip itself."""
        return self.kind or self.slip

    @property
    def sentence(self) -> str:
        """The slip as a sentence."""
        return f"{self.slip[0].upper()}{self.slip[1:]}."


@dataclass(frozen=True)
class Implementation:
    """An implementation under test with the methods given by name, and no others."""

    name: str
    methods: dict[str, Callable[..., Any]]
    dtype: str = "float64"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        try:
            return self.__dict__["methods"][name]
        except KeyError:
            raise AttributeError(name) from None


def plain() -> Implementation:
    """Return the right implementation, without any slip."""
    return Implementation("plain", {method: getattr(module, method) for method, module in MODULES.items()})


def implementation(mutant: Mutant) -> Implementation:
    """Return the plain implementation with the mutant's slip in its method."""
    slipped = getattr(
        planted(MODULES[mutant.method], mutant.function, mutant.right, mutant.wrong), mutant.method
    )
    return Implementation(f"mutant:{mutant.id}", {**plain().methods, mutant.method: quiet(slipped)})


def planted(module: types.ModuleType, function: str | None, right: str, wrong: str) -> types.ModuleType:
    """Return a copy of a module in which `right` reads `wrong`, once, in one function or anywhere.

    Raises:
        ValueError: `right` does not occur exactly once.
    """
    return rewritten(module, [(function, right, wrong)])


def rewritten(module: types.ModuleType, edits: Iterable[tuple[str | None, str, str]]) -> types.ModuleType:
    """Return a copy of a module with every edit, (function, right, wrong), made as by `planted`.

    Raises:
        ValueError: a `right` does not occur exactly once, or an edit before it has changed it.
    """
    source = inspect.getsource(module)
    now: dict[str, str] = {}
    for function, right, wrong in edits:
        where = source if function is None else _function_source(module, function)
        if {where.count(right), now.get(where, where).count(right)} != {1}:
            raise ValueError(f"{module.__name__} holds {right!r} {where.count(right)} times, not once")
        now[where] = now.get(where, where).replace(right, wrong)
    for where, changed in now.items():
        source = source.replace(where, changed)
    copy = types.ModuleType(module.__name__)
    copy.__file__ = module.__file__
    exec(_compiled(module.__name__, source), copy.__dict__)
    return copy


@cache
def _compiled(name: str, source: str) -> types.CodeType:
    return compile(source, f"<{name} with a slip>", "exec")


@cache
def _function_source(module: types.ModuleType, function: str) -> str:
    source = inspect.getsource(module)
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_source_segment(source, node) or ""
    raise ValueError(f"{module.__name__} has no function {function}")


def quiet(method: Callable[..., Any]) -> Callable[..., Any]:
    """Silence what NumPy says of a division by zero: a slip's nonsense is for the checks to tell."""

    def silenced(*arguments: Any) -> Any:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return method(*arguments)

    return silenced
