"""One experiment by name: what it asks can be told without loading what it trains with."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paper_checks.experiments.result import Outcome
    from paper_checks.experiments.setting import Setting

PACKAGE = __name__.rpartition(".")[0]


@dataclass(frozen=True)
class Experiment:
    """A function of this package, loaded when called: training needs torch, and a list of names does not.

    Attributes:
        module: of this package.
        function: of that module; from a Setting to an Outcome.
    """

    module: str
    function: str

    @property
    def asks(self) -> str:
        """The first line of the function's docstring, read from its source.

        Raises:
            LookupError: the module has no such function.
        """
        source = files(PACKAGE).joinpath(f"{self.module}.py").read_text(encoding="utf-8")
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef) and node.name == self.function:
                return (ast.get_docstring(node) or "").partition("\n")[0]
        raise LookupError(f"{PACKAGE}.{self.module} has no function {self.function}")

    def __call__(self, setting: Setting) -> Outcome:
        """Run it."""
        run: Any = getattr(import_module(f"{PACKAGE}.{self.module}"), self.function)
        found: Outcome = run(setting)
        return found
