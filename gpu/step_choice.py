"""Which of two exact ways to a gradient is cheaper: dense products, or tables of paths.

Both are counted in multiply-adds, a backward pass as twice its forward pass:

    dense:  3 N (2 L + 1) T V^2
    paths:  3 V^3 (2^L - 1 + sum over l < L of 4^l - 1)                 the tables, once a step
            + 3 N PICKING [(2^L - 1) T^2 V + T^3 sum over l < L of (4^l + 2^(l+1))]

as if no token came twice in a sequence; where tokens do, paths cost less than that.
At V = 3,000, T = 200 paths pay from a batch of 6 on with one layer, 20 with two and 66 with three.
With four or more the tables take more memory than they are worth.
"""

from __future__ import annotations

from jaxtyping import Int64
from torch import Tensor

from gpu.gradients import loss_and_gradients
from gpu.model import Transformer
from gpu.paths import path_loss_and_gradients

MOST_LAYERS = 3
# Picking rows and cells, and adding them back, takes about as long as the products with them.
PICKING = 2


def dense_work(N: int, T: int, V: int, layers: int) -> int:
    """Return the multiply-adds of a dense step."""
    products = 2 * layers + 1
    return 3 * N * products * T * V**2


def path_work(N: int, T: int, V: int, layers: int) -> int:
    """Return the multiply-adds of a step by paths, with what picking costs."""
    nonempty = (1 << layers) - 1
    tables = nonempty + sum((1 << 2 * layer) - 1 for layer in range(layers))
    small = sum((1 << 2 * layer) + (2 << layer) for layer in range(layers))
    return 3 * V**3 * tables + 3 * N * PICKING * (nonempty * T**2 * V + small * T**3)


def paths_pay(N: int, T: int, V: int, layers: int) -> bool:
    """Return whether a step by paths is the cheaper one."""
    return 1 <= layers <= MOST_LAYERS and path_work(N, T, V, layers) < dense_work(N, T, V, layers)


def cheapest_loss_and_gradients(
    model: Transformer, tokens: Int64[Tensor, "N T_plus_1"]
) -> tuple[float, dict[str, Tensor]]:
    """Return the mean cross-entropy, and the gradients by name, by the way that costs less."""
    layers, T = model.P.shape
    if paths_pay(len(tokens), T, len(model.W_O), layers):
        return path_loss_and_gradients(model, tokens)
    return loss_and_gradients(model, tokens)
