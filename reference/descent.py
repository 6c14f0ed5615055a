"""Full-batch gradient descent from zero at a constant rate: what the paper's Theorem 4.1 is about."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
from jaxtyping import Int64

from reference.corpus import check_tokens
from reference.errors import InputError
from reference.gradients import gradients
from reference.model import zero_parameters


def train(
    tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int, layers: int, rate: float, steps: int
) -> dict[str, np.ndarray]:
    """Return the parameters after `steps` full-batch steps from zero at learning rate `rate`.

    Raises:
        InputError: the tokens are no [N, T+1] array of numbers below `vocab_size`, or a number is negative.
    """
    check_tokens(tokens, vocab_size)
    for name, number in (("layers", layers), ("rate", rate), ("steps", steps)):
        if not number >= 0:
            raise InputError(f"The {name} of a descent is {number}; give 0 or more.")
    return next(islice(trajectory(tokens, vocab_size, layers, rate), steps, None))


def trajectory(
    tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int, layers: int, rate: float
) -> Iterator[dict[str, np.ndarray]]:
    """Yield the parameters after 0, 1, 2, ... full-batch steps from zero, without end."""
    parameters = zero_parameters(vocab_size, tokens.shape[1] - 1, layers)
    while True:
        yield parameters
        gradient = gradients(parameters, tokens)
        parameters = {name: parameters[name] - rate * gradient[name] for name in parameters}
