"""Whether a training step fits into the memory there is, before any of it is asked for."""

from __future__ import annotations

import torch

from gpu import gradients, paths
from gpu.boundary import float_type
from gpu.step_choice import paths_pay
from gpu.training_settings import Settings
from reference.errors import InputError, counted
from reference.memory import physical_memory


def check_memory(settings: Settings, length: int, device: torch.device) -> None:
    """Refuse a training on sequences of T = `length` positions, of which a step is more than the memory.

    Raises:
        InputError: it is.
    """
    needed, there = step_bytes(settings, length, device.type), memory(device)
    if there is not None and needed > there:
        raise InputError(
            f"A step of {counted(settings.layers, 'layer')} of {counted(settings.vocab_size, 'word')} on "
            f"{counted(settings.batch, 'sequence')} of {counted(length, 'position')} needs at least "
            f"{needed / 2**30:,.1f} GiB, and there are {there / 2**30:,.1f}; give a smaller --vocab, "
            "--length or --batch, or fewer --layers."
        )


def step_bytes(settings: Settings, length: int, kind: str) -> int:
    """Return how many bytes a step on sequences of T = `length` positions holds at once at least.

    Counted is what must be there whatever the words are, on a `kind` of device, cpu or cuda; on a CPU a step
    was measured to take up to twice as much. E is the number of weights, N that of the sequences of a batch,
    n of those of a backward pass, and K of the tables that paths make, 2^L - 1 + sum over l < L of 4^l:

        all the time        2 E      the weights, and the sum of the gradients over a step's batches
          dense           + E        the sum over the backward passes
          by paths        + (2 K + 1) V^2      the tables, and the sums of their gradients and W_O's
        then either       + E        the gradients, after the last backward pass
        or, in the midst  + n (L T^2 + a T V + max(2 T^2, b T V))

    In the midst there are the attention of each layer and a arrays [n, T, V]: dense, the h before each layer,
    A h of all layers but the last one and h W of all but the first, so a = 3 L - 2; by paths the rows picked
    from W_O, a = 1. At the last softmax there are besides the scores with and without their mask. At the
    gradient of the logits there are it, the logarithms of the probabilities and their gradient, and dense the
    last h and A h, b = 5, by paths the logits, b = 4.

    All these are of the weights' type. The tokens are whole numbers, 8 N (T + 1) bytes, and in the midst each
    layer keeps the distance and the mask of its scores, 9 T^2 bytes.
    """
    L, V, T = settings.layers, settings.vocab_size, length
    size = torch.finfo(float_type(settings.dtype)).bits // 8
    weights = (1 + 2 * L) * V**2 + L * T
    if paths_pay(settings.batch, T, V, L):
        tables = (1 << L) - 1 + sum(1 << 2 * layer for layer in range(L))
        always, at_once = 2 * weights + (2 * tables + 1) * V**2, paths.sequences_at_once(L, T, V, kind)
        kept, last = 1, 4
    else:
        always, at_once = 3 * weights, gradients.sequences_at_once(L, T, V)
        kept, last = 3 * L - 2, 5
    scores = 2 * T**2 if L else 0
    activations = min(settings.batch, at_once) * (L * T**2 + kept * T * V + max(scores, last * T * V))
    passing = max(size * weights, size * activations + 9 * L * T**2)
    return size * always + passing + 8 * settings.batch * (T + 1)


def memory(device: torch.device) -> int | None:
    """Return the bytes of memory of a device; None where that cannot be asked for."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[1])
    return physical_memory()
