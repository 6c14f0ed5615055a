"""Somebody's torch module as an implementation under test: built by a factory, called for its logits.

The factory takes (vocab_size, length, layers) and gives an nn.Module that answers logits [N, T, V] for tokens
[N, T]. Its parameters must be the four of the theory, under any names. The loss, its gradients and descent
follow by autograd.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from gpu.boundary import GROUPS, float_type, parameter_tensors, to_numpy
from gpu.precision import full_precision
from gpu.threads import threads_for
from gpu.tokens import whole_numbers
from reference.errors import InputError, meant

LAYER = "{layer}"
Places = Mapping[str, tuple[str, bool]]


class ModuleImplementation:
    """The protocol's model methods for modules that `factory` builds.

    Args:
        factory: called with (vocab_size, length, layers). Its attribute `dtype`, "float64" by default, is the
            type that its modules are held to.
        places: for each group the name of its parameter, with {layer} in it where each layer has its own,
            and whether it is transposed.

    Raises:
        InputError: a small module cannot be built, has other parameters, or answers no logits.
    """

    def __init__(self, factory: Callable[[int, int, int], Any], places: Places) -> None:
        if isinstance(factory, nn.Module):
            raise InputError(
                "A module has one size, and the laws are tried on many; name its class, or a function of "
                "(vocab_size, length, layers) that builds it."
            )
        self._factory, self._places = factory, places
        self.name = getattr(factory, "__name__", "module")
        self.dtype = str(getattr(factory, "dtype", "float64"))
        self._dtype = float_type(self.dtype)
        self._smoke(vocab_size=4, length=3, layers=2)

    def logits(self, parameters: Mapping[str, Any], tokens: Any) -> np.ndarray:
        """Return the logits [N, T, V]."""
        module, numbers = self._loaded(parameters, tokens)
        with full_precision(), threads_for(numbers, len(parameters["W_O"])), torch.no_grad():
            return to_numpy(_logits(module, numbers))

    def loss(self, parameters: Mapping[str, Any], tokens: Any) -> float:
        """Return the mean cross-entropy in nats a token."""
        module, numbers = self._loaded(parameters, tokens)
        with full_precision(), threads_for(numbers, len(parameters["W_O"])), torch.no_grad():
            return float(_loss(module, numbers))

    def gradients(self, parameters: Mapping[str, Any], tokens: Any) -> dict[str, np.ndarray]:
        """Return dLoss/dparameter by group, of the shapes of the parameters."""
        module, numbers = self._loaded(parameters, tokens)
        with full_precision(), threads_for(numbers, len(parameters["W_O"])):
            _descend(module, numbers, rate=0.0)
        slopes = {
            name: torch.zeros_like(value) if value.grad is None else value.grad
            for name, value in module.named_parameters()
        }
        return self._gathered(slopes, len(parameters["V"]))

    def train(
        self, tokens: Any, vocab_size: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        """Return the parameters after full-batch descent from zero.

        Raises:
            InputError: there is no layer, or the rate or the number of steps is negative.
        """
        if layers < 1 or rate < 0 or steps < 0:
            raise InputError(f"There is no descent of {layers} layers and {steps} steps at the rate {rate}.")
        numbers = torch.tensor(whole_numbers(tokens, vocab_size))
        module = self._built(vocab_size, numbers.shape[1] - 1, layers)
        with torch.no_grad():
            for value in module.parameters():
                value.zero_()
        with full_precision(), threads_for(numbers, vocab_size):
            for _ in range(steps):
                _descend(module, numbers, rate)
        return self._gathered(dict(module.named_parameters()), layers)

    def _smoke(self, vocab_size: int, length: int, layers: int) -> None:
        try:
            module = self._built(vocab_size, length, layers)
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"{self.name}({vocab_size}, {length}, {layers}) raised {type(error).__name__}: {error}; "
                "it must build a module from (vocab_size, length, layers)."
            ) from None
        square = (vocab_size, vocab_size)
        shapes = {"W_O": square, "V": (layers, *square), "W": (layers, *square), "P": (layers, length)}
        values = {name: value.detach() for name, value in module.named_parameters()}
        for group, found in self._gathered(values, layers).items():
            if found.shape != shapes[group]:
                raise InputError(
                    f"{group} of {self.name}({vocab_size}, {length}, {layers}) has shape "
                    f"{list(found.shape)}, not {list(shapes[group])}; check its name and its axes."
                )
        tokens = torch.arange(length + 1).remainder(vocab_size).repeat(2, 1)
        try:
            with torch.no_grad():
                answer = module(tokens[:, :-1])
        except Exception as error:
            raise InputError(
                f"Calling {self.name} with tokens [2, {length}] raised {type(error).__name__}: {error}."
            ) from None
        shape = (2, length, vocab_size)
        if not isinstance(answer, Tensor) or tuple(answer.shape) != shape:
            told = list(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
            raise InputError(
                f"{self.name} answered {told} for tokens [2, {length}]; answer logits {list(shape)}."
            )

    def _built(self, vocab_size: int, length: int, layers: int) -> nn.Module:
        """Return a fresh module whose parameters are exactly those named."""
        module = self._factory(vocab_size, length, layers)
        if not isinstance(module, nn.Module):
            raise InputError(f"{self.name} built a {type(module).__name__}; it must build a torch.nn.Module.")
        module = module.to(self._dtype)
        present = [name for name, _ in module.named_parameters()]
        expected = [name for group in GROUPS for name in self._names(group, layers)]
        for name in expected:
            if name not in present:
                raise InputError(
                    f"{self.name} has no parameter '{name}' (it has {', '.join(present) or 'none'}); "
                    f"name it in a mapping file: torch:module:factory:NAMES.toml.{meant(name, present)}"
                )
        for name in present:
            if name not in expected:
                raise InputError(
                    f"{self.name} has a parameter '{name}' that is none of {', '.join(GROUPS)}; the theory "
                    "has no other: make it a buffer, or leave it out."
                )
        return module

    def _loaded(self, parameters: Mapping[str, Any], tokens: Any) -> tuple[nn.Module, Tensor]:
        tensors = parameter_tensors(parameters, self._dtype, torch.device("cpu"))
        numbers = torch.tensor(whole_numbers(tokens, len(tensors["W_O"])))
        layers = len(tensors["V"])
        module = self._built(len(tensors["W_O"]), numbers.shape[1] - 1, layers)
        places = dict(module.named_parameters())
        with torch.no_grad():
            for group in GROUPS:
                value = tensors[group].mT if self._places[group][1] else tensors[group]
                names = self._names(group, layers)
                parts = value.unbind() if LAYER in self._places[group][0] else [value]
                for name, part in zip(names, parts, strict=True):
                    _copy(part, places[name], f"{group} for {name}")
        return module, numbers

    def _names(self, group: str, layers: int) -> list[str]:
        name = self._places[group][0]
        return [name.replace(LAYER, str(layer)) for layer in range(layers)] if LAYER in name else [name]

    def _gathered(self, values: Mapping[str, Tensor], layers: int) -> dict[str, np.ndarray]:
        found = {}
        for group in GROUPS:
            name, transposed = self._places[group]
            parts = [values[part] for part in self._names(group, layers)]
            whole = torch.stack(parts) if LAYER in name else parts[0]
            found[group] = to_numpy(whole.mT if transposed else whole)
        return found


def _copy(value: Tensor, place: Tensor, what: str) -> None:
    """Copy what has the shape of its place; torch alone would stretch a shorter one."""
    if value.shape != place.shape:
        raise InputError(f"{what} has the shape {list(value.shape)}; it must be {list(place.shape)}.")
    place.copy_(value)


def _logits(module: nn.Module, tokens: Tensor) -> Tensor:
    answer: Tensor = module(tokens[:, :-1])
    return answer


def _loss(module: nn.Module, tokens: Tensor) -> Tensor:
    return functional.cross_entropy(_logits(module, tokens).flatten(0, 1), tokens[:, 1:].flatten())


def _descend(module: nn.Module, tokens: Tensor, rate: float) -> None:
    """Leave the gradients of the loss in the module, and move it one step downhill."""
    module.zero_grad()
    _loss(module, tokens).backward()  # type: ignore[no-untyped-call]
    with torch.no_grad():
        for value in module.parameters():
            if value.grad is not None:
                value.sub_(value.grad, alpha=rate)
