"""Gradient descent of the whole model as truncated power series in eta, over any exact coefficients.

One step adds rate * (minus the gradient) * eta to every parameter, so the coefficient of eta^k after a step
needs the coefficient of eta^(k-1) of the gradient before it and no later one: with each group kept to its own
order, descent is exact arithmetic on finitely many matrices. The rate of a step is a rational multiple of
eta, and the gradient of a step is any weighted sum over sequences, which covers changing rates, batches,
momentum and a start that is not zero. Derived here; the gradient is that of Lemma D.8
(`theory.model_series`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from flint import fmpq

from theory.matrix import M, add_all
from theory.model_series import ParameterSeries, descent_direction
from theory.one_hot import OneSequence
from theory.power_series import Series, truncated

_ONE, _NONE = fmpq(1), fmpq(0)

Coefficients = list[M | None]
"""The coefficients of eta^0, eta^1, ... of one matrix; None is zero."""


@dataclass(frozen=True)
class Truncated(Generic[M]):
    """Parameters kept to finitely many orders: W_O[order]; V, W, P[layer][order]."""

    W_O: Coefficients[M]
    V: list[Coefficients[M]]
    W: list[Coefficients[M]]
    P: list[Coefficients[M]]

    def groups(self) -> list[tuple[str, Coefficients[M]]]:
        """(group, coefficients) of every parameter in a fixed order: W_O, then V, W, P layer by layer."""
        rest = [(name, c) for name, layers in (("V", self.V), ("W", self.W), ("P", self.P)) for c in layers]
        return [("W_O", self.W_O), *rest]

    def as_series(self) -> ParameterSeries[M]:
        """The same parameters as series that refuse to be asked beyond what is known."""
        return ParameterSeries(
            truncated(self.W_O),
            tuple(map(truncated, self.V)),
            tuple(map(truncated, self.W)),
            tuple(map(truncated, self.P)),
        )


@dataclass(frozen=True)
class Step(Generic[M]):
    """One update: the rate as a multiple of eta, and the share w_i / T of each sequence in the gradient.

    A share may be a rational or a polynomial; a sequence left out of the mapping (by index) is not in the
    batch.
    """

    shares: Mapping[int, Any]
    rate: fmpq = _ONE


def zero_start(layers: int, orders: Mapping[str, int]) -> Truncated[Any]:
    """All parameters zero, each group kept to the order in `orders`.

    Raises:
        ValueError: layers < 1.
    """
    if layers < 1:
        raise ValueError(f"layers must be 1 or more, not {layers}")

    def zeros(group: str) -> list[None]:
        return [None] * (orders[group] + 1)

    each = range(layers)
    return Truncated(
        list(zeros("W_O")),
        [list(zeros("V")) for _ in each],
        [list(zeros("W")) for _ in each],
        [list(zeros("P")) for _ in each],
    )


def run(
    sequences: Sequence[OneSequence[M]],
    start: Truncated[M],
    steps: Iterable[Step[M]],
    momentum: fmpq = _NONE,
) -> list[Truncated[M]]:
    """The parameters before the first step, after it, after the second, ...: a list one longer than `steps`.

    With momentum m the update is u <- m u + gradient, parameter <- parameter - rate eta u.

    Raises:
        LookupError: a group is kept to too low an order for what another needs.
    """
    history = [start]
    velocity: list[Coefficients[M]] | None = None
    for step in steps:
        push = average_direction(sequences, history[-1], step)
        velocity = push if velocity is None or not momentum else _with_momentum(velocity, push, momentum)
        history.append(_moved(history[-1], velocity, step.rate))
    return history


def average_direction(
    sequences: Sequence[OneSequence[M]], at: Truncated[M], step: Step[M]
) -> list[Coefficients[M]]:
    """Minus the gradient of the batch's loss, for each parameter in the order of `Truncated.groups`.

    Kept to one order less than the parameter, which is all that an update can use.
    """
    here = at.as_series()
    kept = [len(coefficients) - 1 for _, coefficients in at.groups()]
    total: list[Coefficients[M]] = [[None] * orders for orders in kept]
    for i, share in step.shares.items():
        # One sequence at a time: the intermediate series of a sequence are large and needed once.
        series = _in_order(descent_direction(here, sequences[i]))
        total = [
            [add_all((old, _scaled(one[k], share))) for k, old in enumerate(coefficients)]
            for coefficients, one in zip(total, series, strict=True)
        ]
    return total


def _in_order(p: ParameterSeries[M]) -> list[Series[M]]:
    return [p.W_O, *p.V, *p.W, *p.P]


def _scaled(a: M | None, factor: Any) -> M | None:
    return None if a is None else a * factor


def _with_momentum(
    old: list[Coefficients[M]], push: list[Coefficients[M]], momentum: fmpq
) -> list[Coefficients[M]]:
    return [
        [add_all((_scaled(u, momentum), g)) for u, g in zip(us, gs, strict=True)]
        for us, gs in zip(old, push, strict=True)
    ]


def _moved(at: Truncated[M], velocity: list[Coefficients[M]], rate: fmpq) -> Truncated[M]:
    """Every parameter plus rate eta velocity: the velocity's coefficients enter one order higher."""
    moved = [
        [c if k == 0 else add_all((c, _scaled(u[k - 1], rate))) or None for k, c in enumerate(kept)]
        for (_, kept), u in zip(at.groups(), velocity, strict=True)
    ]
    L = len(at.V)
    return Truncated(moved[0], moved[1 : L + 1], moved[L + 1 : 2 * L + 1], moved[2 * L + 1 :])
