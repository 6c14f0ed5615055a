"""A constant factor somewhere inside the model: a temperature, values that are added twice, a score's scale.

No list holds every constant. But a factor c on the scores is a factor c on W and P, one on the values is one
on V, one on the logits is one on W_O: the slipped model is the right one at other parameters. So its answers
follow for any c, its gradients are c times those of the right model there (the chain rule), and c can be
solved for. Gauss-Newton steps c <- c - <f', f> / <f', f'> lead to where f, what the model with c answers less
what was answered, vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from properties.mutants import plain_model, plain_training
from properties.mutants.mutant import Implementation, plain, quiet, rewritten

Parameters = Mapping[str, np.ndarray]
# What is multiplied, and the parameters whose multiplication that is.
PLACES = {
    "the scores of W": ("W",),
    "the scores, P included,": ("W", "P"),
    "P": ("P",),
    "the values": ("V",),
    "the logits": ("W_O",),
}
VERBS = {"P": "is"}
ANSWERED = ("logits", "attention", "loss")
METHODS = (*ANSWERED, "gradients", "train")
MOST_STEPS = 16
NUDGE = 2.0**-20


@dataclass(frozen=True)
class Factor:
    """A factor at one of PLACES."""

    place: str
    size: float

    @property
    def name(self) -> str:
        """What the slip is called."""
        return f"{self.place} {VERBS.get(self.place, 'are')} multiplied by {as_text(self.size)}"

    def make(self) -> Implementation:
        """Return the plain implementation with the factor in every method of the model."""
        training = rewritten(plain_training, [])
        vars(training)["gradients"] = self._gradients
        methods: dict[str, Callable[..., Any]] = {
            name: partial(self._answer, getattr(plain_model, name)) for name in ANSWERED
        }
        methods |= {"gradients": self._gradients, "train": training.train}
        slipped = {name: quiet(method) for name, method in methods.items()}
        return Implementation("factor", {**plain().methods, **slipped})

    def _answer(self, method: Callable[..., Any], parameters: Parameters, tokens: np.ndarray) -> Any:
        return method(self._scaled(parameters), tokens)

    def _gradients(self, at: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
        return self._scaled(plain_training.gradients(self._scaled(at), tokens))

    def _scaled(self, by_group: Parameters) -> dict[str, np.ndarray]:
        groups = PLACES[self.place]
        return {name: value * (self.size if name in groups else 1.0) for name, value in by_group.items()}


def solved(place: str, rest: Callable[[Factor], np.ndarray]) -> Iterator[Factor]:
    """Yield the factor at which `rest` vanishes, as it comes and as the root or the whole number it is near.

    Nothing where the steps lead nowhere.
    """
    size = 1.0
    for _ in range(MOST_STEPS):
        here = rest(Factor(place, size))
        slope = (rest(Factor(place, size + NUDGE)) - here) / NUDGE
        square = float(slope @ slope)
        step = float(slope @ here) / square if square else math.nan
        if not math.isfinite(step):
            return
        size -= step
        if abs(step) <= NUDGE * NUDGE * abs(size):
            break
    for near in _near(size):
        yield Factor(place, near)


def _near(size: float) -> Iterator[float]:
    """Yield numbers that a person would write, and the number itself."""
    sign, square = math.copysign(1.0, size), size * size
    if round(square):
        yield sign * math.sqrt(round(square))
    if square and round(1 / square):
        yield sign / math.sqrt(round(1 / square))
    yield size


def as_text(size: float) -> str:
    """Return a factor as a person would write it: -1, 1/2, 1/sqrt(8), 0.7."""
    sign, square = "-" if size < 0 else "", size * size
    for whole, form in ((square, "{}"), (1 / square if square else 0.0, "1/{}")):
        n = round(whole)
        if n and math.isclose(whole, n):
            root = math.isqrt(n)
            number = str(root) if root * root == n else f"sqrt({n})"
            return sign + (number if n == 1 else form.format(number))
    return f"{size:.6g}"
