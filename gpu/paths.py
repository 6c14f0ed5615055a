"""The loss and its gradients by expanding the residual stream into paths: exact, cheaper in large batches.

A path is an increasing tuple of layers p = (l_1, ..., l_m). With A_p = A_(l_m) ... A_(l_1) and
V_p = V_(l_1) ... V_(l_m), both the identity for the empty path,

    h_l           = sum over p of A_p X V_p
    h_l W h_l^T   = sum over p, q of A_p [X (V_p W V_q^T) X^T] A_q^T
    h_L W_O       = sum over p of A_p [X (V_p W_O)]

Products of weights are tables [V, V], made once a step; X picks their rows or cells by token. What is left
for each sequence are products of [T, T] with [T, T] or [T, V], instead of [T, V] with [V, V].

The gradient goes the same way back: through the sequences to the picked rows and cells, by token into the
tables, and through the products of weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn import functional

from gpu.causal_product import causal_product
from gpu.model import Transformer, by_distance, causal_softmax

Path = tuple[int, ...]

# Entries of the picked rows, cells and logits that one backward pass keeps. A processor is fastest where
# they stay about its last cache; a GPU wants more work at a time.
ENTRIES_AT_ONCE = {"cpu": 1 << 24, "cuda": 1 << 28}


def paths(layers: int) -> list[Path]:
    """Return the 2^layers paths through the first `layers` layers, the empty one first.

    Each path is followed, at the distance 2^layer, by itself with that layer added.
    """
    found: list[Path] = [()]
    for layer in range(layers):
        found += [(*path, layer) for path in found]
    return found


@dataclass(frozen=True)
class Tables:
    """Products of weights; each holds several tables, and the tokens pick rows or cells of it.

    Attributes:
        direct: [V, V], W_O itself.
        rows: [(2^L - 1) V, V], the tables V_p W_O of the paths but the empty one, in the order of `paths`.
        cells: for each layer l, the 4^l tables V_p W_l V_q^T as [4^l V V]; q runs fastest.
    """

    direct: Float[Tensor, "V V"]
    rows: Float[Tensor, "paths_V V"]
    cells: list[Tensor]

    @classmethod
    def of(cls, model: Transformer) -> Tables:
        """Multiply the weights of a model."""
        V = list(model.V.unbind())
        direct, *rest = _before(model.W_O, V, len(V))
        cells = [
            torch.stack(
                [
                    table.mT
                    for left in _before(W, V, layer)  # V_p W_l
                    for table in _before(left.mT, V, layer)  # V_q (V_p W_l)^T
                ]
            ).flatten()
            for layer, W in enumerate(model.W.unbind())
        ]
        return cls(direct, torch.cat([direct[:0], *rest]), cells)

    @property
    def all(self) -> list[Tensor]:
        """The three kinds in one list."""
        return [self.direct, self.rows, *self.cells]


def path_loss_and_gradients(
    model: Transformer, tokens: Int64[Tensor, "N T_plus_1"]
) -> tuple[float, dict[str, Tensor]]:
    """Return the mean cross-entropy and dLoss/dparameter, like `gpu.gradients.loss_and_gradients`."""
    with torch.enable_grad():
        tables = Tables.of(model).all
    into = [torch.zeros_like(table) for table in tables]
    P_gradient, loss = torch.zeros_like(model.P), 0.0
    run = sequences_at_once(model)
    for start in range(0, len(tokens), run):
        part = tokens[start : start + run]
        loss += _add_part(model, tables, part, len(part) / len(tokens), into, P_gradient)
    weights = [model.W_O, model.V, model.W]
    found = torch.autograd.grad(tables, weights, into, materialize_grads=True)
    return loss, dict(zip(("W_O", "V", "W"), found, strict=True)) | {"P": P_gradient}


def _add_part(
    model: Transformer,
    tables: list[Tensor],
    tokens: Int64[Tensor, "n T_plus_1"],
    share: float,
    into: list[Tensor],
    P_gradient: Float[Tensor, "L T"],
) -> float:
    """Add the gradients of some sequences to those of the tables and of P; return their part of the loss."""
    x, y = tokens[:, :-1], tokens[:, 1:]
    places = _places(x, len(model.W_O), len(model.P))
    picked = [
        table.detach().index_select(0, at.flatten()).requires_grad_()
        for table, at in zip(tables, places, strict=True)
    ]
    P = model.P.detach().requires_grad_()
    with torch.enable_grad():
        F = path_logits(
            picked[0].view(*places[0].shape, len(model.W_O)),
            picked[1].view(*places[1].shape, len(model.W_O)),
            [blocks.view(at.shape) for blocks, at in zip(picked[2:], places[2:], strict=True)],
            P,
        )
        loss = functional.cross_entropy(F.flatten(0, 1), y.flatten()) * share
    *found, P_found = torch.autograd.grad(loss, [*picked, P], materialize_grads=True)
    for table, at, gradient in zip(into, places, found, strict=True):
        table.index_add_(0, at.flatten(), gradient)
    P_gradient += P_found
    return float(loss.detach())


def path_logits(
    direct: Float[Tensor, "n T V"],
    rows: Float[Tensor, "n T_paths V"],
    cells: list[Tensor],
    P: Float[Tensor, "L T"],
) -> Float[Tensor, "n T V"]:
    """Return the logits from what the tokens pick.

    Args:
        direct: X W_O.
        rows: X V_p W_O for all paths but the empty one, by position and then by path.
        cells: for each layer, the blocks X V_p W_l V_q^T X^T, p downwards and q across, [n, 2^l T, 2^l T].
        P: scores by distance.
    """
    A: list[Tensor] = []  # of all paths but the empty one
    identity = torch.eye(P.shape[1], dtype=P.dtype, device=P.device).expand(len(direct), -1, -1)
    for P_l, blocks in zip(P.unbind(), cells, strict=True):
        left = torch.cat([identity, *A], dim=-1)  # [n, T, 2^l T]
        scores = by_distance(P_l) + (left @ blocks @ left.mT if A else blocks)  # [n, T, T]
        A_l = causal_softmax(scores)
        A += [A_l, *(A_l @ A_p for A_p in A)]
    if not A:
        return direct
    return causal_product(direct, torch.stack(A, dim=-1), rows)


def sequences_at_once(model: Transformer) -> int:
    """Return how many sequences one backward pass may hold, at least one."""
    layers, T = model.P.shape
    V = len(model.W_O)
    entries = (2 * 2**layers + 4) * T * V + 4 * 4**layers * T * T
    return int(max(1, ENTRIES_AT_ONCE[model.P.device.type] // max(1, entries)))


def _before(table: Float[Tensor, "V V"], V: list[Tensor], layers: int) -> list[Tensor]:
    """Return V_p table for all paths p through the first `layers` layers."""
    found: dict[Path, Tensor] = {}
    for path in paths(layers):
        found[path] = table if not path else V[path[0]] @ found[path[1:]]
    return list(found.values())


def _places(x: Int64[Tensor, "n T"], vocab_size: int, layers: int) -> list[Tensor]:
    """Return where in each of `Tables.all` is what `path_logits` takes."""
    table = torch.arange(4**layers, device=x.device)
    rows = x[:, :, None] + vocab_size * table[: 2**layers - 1]  # [n, T, paths]
    cell = (x[:, :, None] * vocab_size + x[:, None, :])[:, None, :, None, :]
    pairs = (table[: 4**layer].view(2**layer, 1, 2**layer, 1) for layer in range(layers))
    blocks = (cell + vocab_size**2 * pair for pair in pairs)  # [n, p, T, q, T]
    return [x, rows.flatten(1), *(block.flatten(3).flatten(1, 2) for block in blocks)]
