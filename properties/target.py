"""An implementation under test, called through the protocol and never trusted or changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from properties.answers import Answer, ImplementationError, Refused, numbers, one_line, place, require, shaped
from properties.memo import by_corpus, recently
from properties.tolerances import UNIT_ROUNDOFF
from reference.errors import InputError

__all__ = ["AXES", "METHODS", "ImplementationError", "Incapable", "Target", "require"]

METHODS = (
    "statistics",
    "logits",
    "attention",
    "loss",
    "gradients",
    "train",
    "remove_projection",
    "head_profile",
    "induction_score",
    "sequence_induction_score",
    "composition_score",
    "multi_head_output",
    "probe_split",
)

# The axes that each statistic has in this project; an implementation may declare another orientation.
AXES = {
    "B_bar": ("current", "next"),
    "Phi_bar": ("target", "context"),
    "Sigma_B": ("next", "next"),
    "G_bar": ("target", "context"),
    "Q_bar": ("query", "key"),
}

# Parameters over more words are large, and only looked at once.
REMEMBERED_WORDS = 100

PROFILE = ("entropy", "diagonal", "previous", "distance")


class Incapable(Exception):
    """The implementation does not offer what a law needs, and need not."""


class Target:
    """Calls an implementation's methods with copies of the inputs, and hands back NumPy arrays.

    Args:
        implementation: any object with some of METHODS; `name`, `dtype` and `orientation` are optional.
        name: how it was named by the caller.

    Raises:
        InputError: it declares a `dtype` that is not admitted, or an `orientation` that is no mapping.
    """

    def __init__(self, implementation: Any, name: str | None = None) -> None:
        self.implementation = implementation
        self.name = name or str(getattr(implementation, "name", type(implementation).__name__))
        self.dtype = str(getattr(implementation, "dtype", "float64"))
        self.orientation: Mapping[str, str] = getattr(implementation, "orientation", {})
        if self.dtype not in UNIT_ROUNDOFF:
            raise InputError(f"{self.name} declares dtype '{self.dtype}'; it must be float64 or float32.")
        if not isinstance(self.orientation, Mapping):
            raise InputError(f"{self.name} declares an orientation that is no mapping by statistic.")
        self._statistics = by_corpus(self._asked_statistics)
        self._trained = recently(self._asked_to_train)

    @property
    def methods(self) -> frozenset[str]:
        """The methods of the protocol that the implementation has."""
        return frozenset(name for name in METHODS if callable(getattr(self.implementation, name, None)))

    def statistics(self, tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
        """Return the statistics of tokens [N, T+1] that it answers, in this project's orientation.

        What else it answers is left out: no law speaks of it. The answer is remembered, so that a large
        corpus is counted once for all laws.

        Raises:
            Incapable: the implementation answers none of them.
        """
        answer = self._statistics(tokens, vocab_size)
        known = {name: answer[name] for name in (*AXES, "Delta_bar") if name in answer}
        return known or {"B_bar": self.statistic("B_bar", tokens, vocab_size)}

    def statistic(self, name: str, tokens: np.ndarray, vocab_size: int) -> np.ndarray:
        """Return one statistic: [V, V], Delta_bar [T].

        Raises:
            Incapable: the implementation does not answer it.
        """
        answer = self._statistics(tokens, vocab_size)
        if name not in answer:
            raise Incapable(f"statistics answers no '{name}' (it has {', '.join(sorted(answer)) or 'none'})")
        return answer[name]

    def gradients(self, parameters: Mapping[str, np.ndarray], tokens: np.ndarray) -> dict[str, np.ndarray]:
        """Return the gradients dLoss/dparameter by name, on tokens [N, T+1]."""
        shapes = {name: value.shape for name, value in parameters.items()}
        return self._mapping("gradients", shapes, _copied(parameters), tokens.copy())

    def train(
        self, tokens: np.ndarray, vocab_size: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        """Return the parameters after full-batch descent from zero on tokens [N, T+1].

        The latest small answers are remembered: the laws of each weight look at the same descents.
        """
        ask = self._trained if vocab_size <= REMEMBERED_WORDS else self._asked_to_train
        return ask(tokens, vocab_size, layers, rate, steps)

    def _asked_to_train(
        self, tokens: np.ndarray, vocab_size: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        square = (layers, vocab_size, vocab_size)
        shapes = {"W_O": square[1:], "V": square, "W": square, "P": (layers, tokens.shape[1] - 1)}
        return self._mapping("train", shapes, tokens.copy(), vocab_size, layers, rate, steps)

    def logits(self, parameters: Mapping[str, np.ndarray], tokens: np.ndarray) -> np.ndarray:
        """Return [N, T, V]."""
        N, T = tokens.shape[0], tokens.shape[1] - 1
        return self._array("logits", (N, T, len(parameters["W_O"])), _copied(parameters), tokens.copy())

    def attention(self, parameters: Mapping[str, np.ndarray], tokens: np.ndarray) -> np.ndarray:
        """Return [L, N, T, T]."""
        N, T = tokens.shape[0], tokens.shape[1] - 1
        return self._array("attention", (len(parameters["V"]), N, T, T), _copied(parameters), tokens.copy())

    def loss(self, parameters: Mapping[str, np.ndarray], tokens: np.ndarray) -> np.ndarray:
        """Return the loss on tokens [N, T+1] as an array without axes, in nats a token."""
        return self._array("loss", (), _copied(parameters), tokens.copy())

    def remove_projection(self, weight: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """Return the weight without its part along the direction, of the same shape."""
        return self._array("remove_projection", weight.shape, weight.copy(), direction.copy())

    def head_profile(self, attention: np.ndarray) -> dict[str, np.ndarray]:
        """Return the profile of one [T, T] map by name."""
        return self._mapping("head_profile", dict.fromkeys(PROFILE, ()), attention.copy())

    def induction_score(self, attention: np.ndarray, period: int) -> np.ndarray:
        """Return the score of one [T, T] map."""
        return self._array("induction_score", (), attention.copy(), period)

    def sequence_induction_score(self, attention: np.ndarray, tokens: np.ndarray) -> np.ndarray:
        """Return the score of one [T, T] map on tokens [T]."""
        return self._array("sequence_induction_score", (), attention.copy(), tokens.copy())

    def composition_score(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the score of two matrices [a, b] and [b, c] as an array without axes."""
        return self._array("composition_score", (), first.copy(), second.copy())

    def multi_head_output(
        self, weights: Mapping[str, np.ndarray], stream: np.ndarray, ablated: tuple[int, ...]
    ) -> np.ndarray:
        """Return [N, T, d], the output of a layer of attention without some heads."""
        return self._array("multi_head_output", stream.shape, _copied(weights), stream.copy(), list(ablated))

    def probe_split(self, sequences: np.ndarray, share: float, seed: int) -> np.ndarray:
        """Return [rows] of 0 and 1: which are for testing. Booleans are taken for 0 and 1."""
        answer = _sides(self._call("probe_split", sequences.copy(), share, seed))
        return shaped(numbers(answer, "probe_split"), "probe_split", sequences.shape)

    def ask(self, method: str, *arguments: Any) -> dict[str, np.ndarray] | np.ndarray:
        """Return an answer of any shape to arguments as they are, which may be wrong on purpose.

        Raises:
            ImplementationError: the implementation refused, or answered something that is no numbers.
        """
        answer = self._call(method, *arguments)
        if not isinstance(answer, Mapping):
            return numbers(_sides(answer) if method == "probe_split" else answer, method)
        found = {str(name): numbers(value, f"{method}['{name}']") for name, value in answer.items()}
        return (
            {name: self._oriented(name, v) for name, v in found.items()} if method == "statistics" else found
        )

    def close(self) -> None:
        """Let go of what the implementation holds, such as a running program."""
        close = getattr(self.implementation, "close_connection", None)
        if callable(close):
            close()

    def _asked_statistics(self, tokens: np.ndarray, vocab_size: int) -> dict[str, np.ndarray]:
        shapes = {**dict.fromkeys(AXES, (vocab_size, vocab_size)), "Delta_bar": (tokens.shape[1] - 1,)}
        answer = self._mapping("statistics", shapes, tokens.copy(), vocab_size)
        return {name: self._oriented(name, value) for name, value in answer.items()}

    def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return getattr(self.implementation, method)(*arguments)
        except ImplementationError:
            # A connector has already said in a sentence what went wrong.
            raise
        except (Exception, SystemExit) as error:  # a target that exits must not end the run as a success
            what = ": ".join(part for part in (type(error).__name__, one_line(error)) if part)
            raise Refused(f"{method} raised {what}{place(error)}") from error

    def _array(self, method: str, shape: tuple[int, ...], *arguments: Any) -> np.ndarray:
        return shaped(numbers(self._call(method, *arguments), method), method, shape)

    def _mapping(
        self, method: str, shapes: Mapping[str, tuple[int, ...]], *arguments: Any
    ) -> dict[str, np.ndarray]:
        answer = self._call(method, *arguments)
        if not isinstance(answer, Mapping):
            told = "None, as where a return is missing" if answer is None else f"a {type(answer).__name__}"
            raise ImplementationError(f"{method} answered {told}, not a mapping by name")
        found = {str(name): numbers(value, f"{method}['{name}']") for name, value in answer.items()}
        for name in (name for name in shapes if name in found):
            shaped(found[name], f"{method}['{name}']", shapes[name])
        return Answer(found, method)

    def _oriented(self, name: str, value: np.ndarray) -> np.ndarray:
        axes = tuple(self.orientation.get(name, ",".join(AXES.get(name, ()))).replace(" ", "").split(","))
        if name not in AXES or axes == AXES[name]:
            return value
        if axes == AXES[name][::-1]:
            return value.T
        raise ImplementationError(
            f"orientation['{name}'] is '{','.join(axes)}'; it must name {' and '.join(AXES[name])}"
        )


def _sides(answer: Any) -> Any:
    """Return truth values as 0 and 1: only of a split are they an answer; elsewhere they are a slip."""
    if isinstance(answer, np.ndarray) and answer.dtype == bool:
        return answer.astype(np.float64)
    if isinstance(answer, list) and all(isinstance(side, bool) for side in answer):
        return [int(side) for side in answer]
    return answer


def _copied(parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: value.copy() for name, value in parameters.items()}
