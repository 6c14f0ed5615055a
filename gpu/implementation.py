"""The torch implementation under test: the methods of the protocol, NumPy arrays in and out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from gpu.attention_metrics import head_profile, induction_score, sequence_induction_score
from gpu.boundary import (
    float_type,
    parameter_tensors,
    real_tensor,
    to_numpy,
    token_tensor,
    usable_device,
)
from gpu.composition import composition_score
from gpu.descent import train
from gpu.gradients import gradients
from gpu.interventions import remove_projection
from gpu.model import Transformer
from gpu.multi_head import multi_head_output
from gpu.precision import full_precision
from gpu.statistics import statistics
from gpu.threads import threads_for, threads_worth
from reference.errors import InputError


class Gpu:
    """The protocol in torch.

    Args:
        dtype: "float64" or "float32", the numbers of the model and of every result. Statistics are always
            summed in float64.
        device: "cpu", "cuda" or "cuda:NUMBER".

    Raises:
        InputError: there is no such type or device.
    """

    def __init__(self, dtype: str = "float64", device: str = "cpu") -> None:
        self.dtype = dtype
        self.device = device
        self.name = "gpu" if dtype == "float64" else "gpu32"
        self._dtype = float_type(dtype)
        self._device = usable_device(device)

    def statistics(self, tokens: Any, vocab_size: int) -> dict[str, np.ndarray]:
        """Return the six statistics by name.

        Raises:
            InputError: the tokens are no [N, T+1] array of whole numbers below `vocab_size`.
        """
        found = statistics(token_tensor(tokens, vocab_size, self._device), vocab_size)
        return {name: to_numpy(value.to(self._dtype)) for name, value in found.items()}

    def logits(self, parameters: Mapping[str, Any], tokens: Any) -> np.ndarray:
        """Return the logits [N, T, V]; raises InputError as `gradients` does."""
        model, numbers = self._model(parameters, tokens)
        with full_precision(), threads_for(numbers, len(model.W_O)), torch.no_grad():
            return to_numpy(model(numbers[:, :-1]))

    def attention(self, parameters: Mapping[str, Any], tokens: Any) -> np.ndarray:
        """Return the attention maps [L, N, T, T]; raises InputError as `gradients` does."""
        model, numbers = self._model(parameters, tokens)
        N, T = numbers.shape[0], numbers.shape[1] - 1
        with full_precision(), threads_for(numbers, len(model.W_O)), torch.no_grad():
            maps = model.run(numbers[:, :-1]).A
        return np.array([to_numpy(A) for A in maps], dtype=self.dtype).reshape(len(maps), N, T, T)

    def loss(self, parameters: Mapping[str, Any], tokens: Any) -> float:
        """Return the mean cross-entropy in nats a token; raises InputError as `gradients` does."""
        model, numbers = self._model(parameters, tokens)
        with full_precision(), threads_for(numbers, len(model.W_O)), torch.no_grad():
            return float(model.loss(numbers))

    def gradients(self, parameters: Mapping[str, Any], tokens: Any) -> dict[str, np.ndarray]:
        """Return dLoss/dparameter by name.

        Raises:
            InputError: the parameters do not fit together, or the tokens do not fit them.
        """
        model, numbers = self._model(parameters, tokens)
        with full_precision(), threads_for(numbers, len(model.W_O)):
            found = gradients(model, numbers)
        return {group: to_numpy(value) for group, value in found.items()}

    def train(
        self, tokens: Any, vocab_size: int, layers: int, rate: float, steps: int
    ) -> dict[str, np.ndarray]:
        """Return the parameters after full-batch descent from zero.

        Raises:
            InputError: the tokens are no [N, T+1] array of whole numbers below `vocab_size`, or `layers`,
                `steps` or `rate` is negative.
        """
        for what, number in (("layers", layers), ("steps", steps)):
            if number < 0:
                raise InputError(f"A model cannot be trained with {number} {what}; give 0 or more.")
        if not rate >= 0:
            raise InputError(f"A model cannot be trained at a rate of {rate}; give 0 or more.")
        numbers = token_tensor(tokens, vocab_size, self._device)
        with full_precision(), threads_for(numbers, vocab_size):
            model = train(numbers, vocab_size, layers, rate, steps, self._dtype)
        return {group: to_numpy(value) for group, value in model.named_parameters()}

    def remove_projection(self, weight: Any, direction: Any) -> np.ndarray:
        """Return the weight without its part along the direction, of one shape.

        Raises:
            InputError: their shapes differ.
        """
        W, D = self._real(weight), self._real(direction)
        if W.shape != D.shape:
            raise InputError(
                f"The weight has shape {list(W.shape)} and the direction {list(D.shape)}; give equal shapes."
            )
        return to_numpy(remove_projection(W, D))

    def head_profile(self, attention: Any) -> dict[str, float]:
        """Return the profile by name of one [T, T] map.

        Raises:
            InputError: it is not square.
        """
        return {name: float(value) for name, value in head_profile(self._map(attention)).items()}

    def induction_score(self, attention: Any, period: int) -> float:
        """Return the score of one [T, T] map.

        Raises:
            InputError: it is no square or the period does not fit.
        """
        return float(induction_score(self._map(attention), period))

    def sequence_induction_score(self, attention: Any, tokens: Any) -> float:
        """Return the score of one [T, T] map on tokens [T].

        Raises:
            InputError: the map is no square of as many rows as there are tokens, or no token recurs.
        """
        rows = self._map(attention)
        numbers = torch.tensor(np.asarray(tokens), dtype=torch.int64, device=self._device)
        if numbers.shape != rows.shape[:1]:
            raise InputError(
                f"A map of {len(rows)} rows cannot be scored on tokens of shape {list(numbers.shape)}; "
                "give one token a row."
            )
        return float(sequence_induction_score(rows[None], numbers[None])[0])

    def composition_score(self, first: Any, second: Any) -> float:
        """Return the score of two matrices.

        Raises:
            InputError: they cannot be multiplied.
        """
        left, right = self._real(first), self._real(second)
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[0]:
            raise InputError(
                f"Arrays of shape {list(left.shape)} and {list(right.shape)} have no product; "
                "give matrices [a, b] and [b, c]."
            )
        with full_precision():
            return float(composition_score(left, right))

    def multi_head_output(self, weights: Mapping[str, Any], stream: Any, ablated: Any) -> np.ndarray:
        """Return the output [N, T, d] of a layer without the heads numbered in `ablated`.

        Raises:
            InputError: a weight is missing, their shapes do not fit together, or there is no such head.
        """
        tensors = {name: self._real(value) for name, value in weights.items()}
        numbers = self._real(stream)
        size = sum(value.numel() for value in tensors.values())
        with full_precision(), threads_worth(numbers.numel() * size):
            return to_numpy(multi_head_output(tensors, numbers, [int(head) for head in ablated]))

    def _model(self, parameters: Mapping[str, Any], tokens: Any) -> tuple[Transformer, torch.Tensor]:
        tensors = parameter_tensors(parameters, self._dtype, self._device)
        numbers = token_tensor(tokens, len(tensors["W_O"]), self._device)
        length = tensors["P"].shape[1]
        if numbers.shape[1] - 1 != length:
            raise InputError(
                f"P has {length} distances and the sequences {numbers.shape[1] - 1} positions; "
                f"give sequences of {length + 1} tokens."
            )
        return Transformer(tensors), numbers

    def _real(self, array: Any) -> torch.Tensor:
        return real_tensor(array, self._dtype, self._device)

    def _map(self, attention: Any) -> torch.Tensor:
        tensor = self._real(attention)
        if tensor.ndim != 2 or tensor.shape[0] != tensor.shape[1] or not len(tensor):
            raise InputError(
                f"An attention map of shape {list(tensor.shape)} is no square; give [T, T], T >= 1."
            )
        return tensor


_best_device = "cuda" if torch.cuda.is_available() else "cpu"
implementation = Gpu("float64", _best_device)
implementation32 = Gpu("float32", _best_device)
