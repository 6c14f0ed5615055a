"""Attention times rows, without the products that the causal mask makes zero.

    F[t] = direct[t] + sum over k <= t and paths p of A[t, k, p] rows[k, p]

Positions are cut into blocks, and a block of rows t is multiplied with what lies before its end: with four
blocks, 5/8 of the full product, forward and back. Rows come by position and then by path, so that what lies
before a position lies together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

BLOCKS = 4


def causal_product(
    direct: Float[Tensor, "n T V"], A: Float[Tensor, "n T T paths"], rows: Float[Tensor, "n T_paths V"]
) -> Float[Tensor, "n T V"]:
    """Return direct + A rows, A zero for k > t; gradients of A are right for k <= t only."""
    product: Tensor = _CausalProduct.apply(direct, A, rows)  # type: ignore[no-untyped-call]
    return product


class _CausalProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, direct: Tensor, A: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(A, rows)
        m = A.shape[-1]
        product = torch.empty_like(direct)
        for begin, end in _blocks(A.shape[1]):
            weights = A[:, begin:end, :end].flatten(2)  # [n, block, end m]
            torch.baddbmm(direct[:, begin:end], weights, rows[:, : end * m], out=product[:, begin:end])
        return product

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        A, rows = ctx.saved_tensors
        m = A.shape[-1]
        into_A, into_rows = torch.zeros_like(A), torch.empty_like(rows)
        for begin, end in _blocks(A.shape[1]):
            seen = G[:, begin:end] @ rows[:, : end * m].mT  # [n, block, end m]
            into_A[:, begin:end, :end] = seen.unflatten(2, (end, m))
            looking = A[:, begin:, begin:end].flatten(2)  # [n, T - begin, block m]
            torch.bmm(looking.mT, G[:, begin:], out=into_rows[:, begin * m : end * m])
        return G, into_A, into_rows


def _blocks(length: int) -> Iterator[tuple[int, int]]:
    size = -(-length // BLOCKS)
    for begin in range(0, length, size):
        yield begin, min(length, begin + size)
