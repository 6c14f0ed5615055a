"""A factor somewhere inside the model or its descent: a temperature, a stream added twice, half a rate.

No list holds every constant. But a factor c on the scores is a factor c on W and P, one on the values is one
on V, one on the logits is one on W_O. Where a layer leaves c h + A h V, the stream is c^l times that of the
right model with V/c in layer l; scores are quadratic in it, so that model has c^(2(l-1)) W, and c^L W_O. The
slipped model is the right one at other parameters: its answers follow for any c, its gradients are those of
the right model there times the same powers (the chain rule), and c can be solved for. Gauss-Newton steps
c <- c - <f', f> / <f', f'> lead to where f, what the model with c answers less what was answered, vanishes.
A factor that goes with a size of the case is told as that size. Descent may also have more than its steps,
momentum or a decay of the weights: its coefficient is solved for in the same way.
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
from properties.sizes import Power, powers

Parameters = Mapping[str, np.ndarray]
# What is multiplied, and by which power of the factor each parameter then is: a number in every layer, an
# increase from layer to layer, and a number for each layer that there is.
PLACES: dict[str, dict[str, tuple[int, int, int]]] = {
    "the scores of W are": {"W": (1, 0, 0)},
    "the scores, P included, are": {"W": (1, 0, 0), "P": (1, 0, 0)},
    "P is": {"P": (1, 0, 0)},
    "the values are": {"V": (1, 0, 0)},
    "the logits are": {"W_O": (1, 0, 0)},
    "the embeddings are": {"W": (2, 0, 0), "W_O": (1, 0, 0)},
    "the residual stream, which a layer adds to, is": {"V": (-1, 0, 0), "W": (0, 2, 0), "W_O": (0, 0, 1)},
    "what a layer leaves is": {"W": (0, 2, 0), "W_O": (0, 0, 1)},
}
# What is multiplied in descent, and the parameters that it moves.
RATES = {
    "the learning rate is": ("W_O", "V", "W", "P"),
    **{f"the learning rate of {name} is": (name,) for name in ("W_O", "V", "W", "P")},
}
# What a step may go along instead of the gradient g: u <- c u + g, or u <- c u + (1 - c) g, the latter from
# u = 0 or, as torch has it, from the first u = g, or c u + g with the first of these, or c theta + g. No c is
# negative, and of a momentum none is 1 or more: gradients that are added up are a slip of their own.
MOMENTUM, DAMPENED, DAMPENED_LATER, NESTEROV, DECAY = EXTRAS = (
    "there is momentum of",
    "there is dampened momentum of",
    "there is momentum, dampened from the second step on, of",
    "there is Nesterov's momentum of",
    "there is weight decay of",
)
ANSWERED = ("logits", "attention", "loss")
METHODS = (*ANSWERED, "gradients", "train")
MOST_STEPS = 16
NUDGE = 2.0**-20
# A whole number larger than this is none that a person would write under a root.
LARGEST = 4096


@dataclass(frozen=True)
class Factor:
    """A factor at one of PLACES or RATES, or of EXTRAS: a number or a power of a size of the case."""

    place: str
    size: float | Power

    @property
    def name(self) -> str:
        """What the slip is called."""
        size = self.size.text if isinstance(self.size, Power) else as_text(self.size)
        return f"{self.place} {size}" if self.place in EXTRAS else f"{self.place} multiplied by {size}"

    def make(self) -> Implementation:
        """Return the plain implementation with the factor in every method that it reaches."""
        training = rewritten(plain_training, [])
        vars(training)["gradients"] = self._moves if self.place in RATES else self._gradients
        methods: dict[str, Callable[..., Any]] = {"train": training.train}
        if self.place in PLACES:
            methods |= {name: partial(self._answer, getattr(plain_model, name)) for name in ANSWERED}
            methods |= {"gradients": self._gradients}
        elif isinstance(self.size, Power):
            methods = {"train": self._train}
        elif self.place in EXTRAS:
            methods = {"train": partial(self._stepped, self.size)}
        slipped = {name: quiet(method) for name, method in methods.items()}
        return Implementation("factor", {**plain().methods, **slipped})

    def _answer(self, method: Callable[..., Any], parameters: Parameters, tokens: np.ndarray) -> Any:
        return method(self._scaled(parameters, tokens), tokens)

    def _gradients(self, at: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
        return self._scaled(plain_training.gradients(self._scaled(at, tokens), tokens), tokens)

    def _scaled(self, by_group: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
        V, layers = len(by_group["W_O"]), len(by_group["P"])
        size = self.size.of(tokens, V, layers, 1) if isinstance(self.size, Power) else self.size
        powers_of = PLACES[self.place]
        return {
            name: value * _by_layer(size, powers_of.get(name, (0, 0, 0)), layers, value.shape)
            for name, value in by_group.items()
        }

    def _moves(self, at: Parameters, tokens: np.ndarray) -> dict[str, np.ndarray]:
        slope = plain_training.gradients(at, tokens)
        return {
            name: value * (self.size if name in RATES[self.place] else 1.0) for name, value in slope.items()
        }

    def _stepped(
        self, size: float, tokens: np.ndarray, vocab_size: int, layers: int, rate: float, steps: int
    ) -> Any:
        parameters = plain_training.start(vocab_size, tokens.shape[1] - 1, layers)
        way = {name: np.zeros_like(value) for name, value in parameters.items()}
        for step in range(steps):
            slope = plain_training.gradients(parameters, tokens)
            for name, before in parameters.items():
                kept = before if self.place == DECAY else way[name]
                dampened = self.place == DAMPENED or (self.place == DAMPENED_LATER and step)
                share = 1 - size if dampened else 1.0
                way[name] = size * kept + share * slope[name]
                along = size * way[name] + slope[name] if self.place == NESTEROV else way[name]
                parameters[name] = before - rate * along
        return parameters

    def _train(self, tokens: np.ndarray, vocab_size: int, layers: int, rate: float, steps: int) -> Any:
        assert isinstance(self.size, Power)
        known = Factor(self.place, self.size.of(tokens, vocab_size, layers, steps))
        return known.make().methods["train"](tokens, vocab_size, layers, rate, steps)


def _by_layer(size: float, power: tuple[int, int, int], layers: int, shape: tuple[int, ...]) -> np.ndarray:
    """Return what a parameter is multiplied by, an axis of layers before ones; W_O has no layers."""
    each, increase, whole = power
    exponents = each + whole * layers + increase * np.arange(shape[0] if increase else 1)
    return (np.float64(size) ** exponents).reshape(-1, *[1] * (len(shape) - 1))


def solved(place: str, rest: Callable[[Factor], np.ndarray], case: Any) -> Iterator[Factor]:
    """Yield the factor at which `rest` vanishes, as it comes and as the root, number or size that it is near.

    `rest` is a vector [n] of what is left unexplained. Nothing where the steps lead nowhere.
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
    if place in EXTRAS and (size < 0 or (size >= 1 - NUDGE and place != DECAY)):
        return
    for near in _near(size):
        yield Factor(place, near)
    for power in powers(case):
        if math.isclose(power.value(case), size, rel_tol=NUDGE):
            yield Factor(place, power)


def _near(size: float) -> Iterator[float]:
    """Yield the number that a person would write, or else the number itself."""
    sign, square = math.copysign(1.0, size), size * size
    if abs(size) < NUDGE:
        yield 0.0
        return
    if 1 <= round(square) <= LARGEST:
        yield sign * math.sqrt(round(square))
    if 1 <= round(1 / square) <= LARGEST:
        yield sign / math.sqrt(round(1 / square))
    yield size


def as_text(size: float) -> str:
    """Return a factor as a person would write it: -1, 1/2, 1/sqrt(8), 0.7."""
    sign, square = "-" if size < 0 else "", size * size
    for whole, form in ((square, "{}"), (1 / square if square else 0.0, "1/{}")):
        n = round(whole)
        if 1 <= n <= LARGEST and math.isclose(whole, n):
            root = math.isqrt(n)
            number = str(root) if root * root == n else f"sqrt({n})"
            return sign + (number if n == 1 else form.format(number))
    return f"{size:.6g}"
