"""Attention times rows, without the products that the causal mask makes zero.

    F[t] = direct[t] + sum over the tokens u seen up to t and paths p of A[t, u, p] rows[u, p]

Positions are cut into blocks, and a block of rows t is multiplied with what is seen before its end: with four
blocks and as many new tokens in each, 5/8 of the full product, forward and back. Rows come by token and then
by path, so that what is seen before a position lies together.
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
    direct: Float[Tensor, "n T V"],
    A: Float[Tensor, "n T U paths"],
    rows: Float[Tensor, "n U_paths V"],
    seen: list[int],
) -> Float[Tensor, "n T V"]:
    """Return direct + A rows.

    Args:
        direct: what is added.
        A: zero where a token comes after the position; its gradients are right elsewhere only.
        rows: by token and then by path.
        seen: T + 1 numbers, how many tokens come in the first t positions, from 0 to U.
    """
    product: Tensor = _CausalProduct.apply(direct, A, rows, seen)  # type: ignore[no-untyped-call]
    return product


class _CausalProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, direct: Tensor, A: Tensor, rows: Tensor, seen: list[int]) -> Tensor:
        ctx.save_for_backward(A, rows)
        ctx.seen = seen
        m = A.shape[-1]
        product = torch.empty_like(direct)
        for begin, end in _blocks(A.shape[1]):
            weights = A[:, begin:end, : seen[end]].flatten(2)  # [n, block, seen m]
            torch.baddbmm(direct[:, begin:end], weights, rows[:, : seen[end] * m], out=product[:, begin:end])
        return product

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, G: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        A, rows = ctx.saved_tensors
        seen, m = ctx.seen, A.shape[-1]
        into_A, into_rows = torch.zeros_like(A), torch.empty_like(rows)
        for begin, end in _blocks(A.shape[1]):
            back = G[:, begin:end] @ rows[:, : seen[end] * m].mT  # [n, block, seen m]
            into_A[:, begin:end, : seen[end]] = back.unflatten(2, (seen[end], m))
            looking = A[:, begin:, seen[begin] : seen[end]].flatten(2)  # [n, T - begin, new m]
            torch.bmm(looking.mT, G[:, begin:], out=into_rows[:, seen[begin] * m : seen[end] * m])
        return G, into_A, into_rows, None


def _blocks(length: int) -> Iterator[tuple[int, int]]:
    size = -(-length // BLOCKS)
    for begin in range(0, length, size):
        yield begin, min(length, begin + size)
