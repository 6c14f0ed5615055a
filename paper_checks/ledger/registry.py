"""The ledger's own computations: functions of a claim and a setting; each names what it decides."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding
from paper_checks.ledger.setting import Setting

Decision = Callable[[Claim, Setting], Finding]


@dataclass(frozen=True)
class Computation:
    """A decision with its id, `module.function`, and the claims that it decides.

    `tried` says on which cases, where these stand for all; it is "" where the decision is of the very
    numbers, words or maps that the claim states.
    """

    id: str
    claims: tuple[str, ...]
    decide: Decision
    tried: str = ""


_COMPUTATIONS: dict[str, Computation] = {}


def decides(*claims: str, tried: str = "") -> Callable[[Decision], Decision]:
    """Register a function as the computation that decides these claims, on what cases if on any."""

    def register(function: Decision) -> Decision:
        name = f"{function.__module__.rsplit('.', 1)[1]}.{function.__name__}"
        if name in _COMPUTATIONS:
            raise ValueError(f"two computations are called {name}")
        _COMPUTATIONS[name] = Computation(name, claims, function, tried)
        return function

    return register


@cache
def computations() -> dict[str, Computation]:
    """Return every computation by its id, those of all modules in `decisions`."""
    from paper_checks.ledger import decisions

    for module in pkgutil.iter_modules(decisions.__path__):
        importlib.import_module(f"{decisions.__name__}.{module.name}")
    return dict(_COMPUTATIONS)
