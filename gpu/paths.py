"""The loss and its gradients by expanding the residual stream into paths: exact, cheaper in large batches.

A path is an increasing tuple of layers p = (l_1, ..., l_m). With A_p = A_(l_m) ... A_(l_1) and
V_p = V_(l_1) ... V_(l_m), both the identity for the empty path,

    h_l           = sum over p of A_p X V_p
    h_l W h_l^T   = sum over p, q of A_p [X (V_p W V_q^T) X^T] A_q^T
    h_L W_O       = sum over p of A_p [X (V_p W_O)]

Products of weights are tables [V, V], made once a step; a sequence picks rows or cells of them by its U
distinct tokens, X = Z (their rows) (`gpu.distinct`). What is left for each sequence are products of [T, U] or
[T, T] with [U, U] or [U, V], instead of [T, V] with [V, V]; they take A_p Z [T, U] for A_p.

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
from gpu.distinct import Distinct
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
    """Products of weights. What one token, or one pair of tokens, picks from several lies together.

    Attributes:
        direct: [V, V], W_O itself.
        rows: [V, 2^L - 1, V], the tables V_p W_O of the paths but the empty one, in the order of `paths`.
        cells: for each layer l, the 4^l tables V_p W_l V_q^T as [V V, 4^l]; q runs fastest.
    """

    direct: Float[Tensor, "V V"]
    rows: Float[Tensor, "V paths V"]
    cells: list[Tensor]

    @classmethod
    def of(cls, model: Transformer) -> Tables:
        """Multiply the weights of a model."""
        V = list(model.V.unbind())
        direct, *rest = _before(model.W_O, V, len(V))
        cells = [
            torch.stack([table for left in _before(W, V, layer) for table in _after(left, V, layer)], dim=-1)
            for layer, W in enumerate(model.W.unbind())
        ]
        rows = torch.stack(rest, dim=1) if rest else direct[:, None][:, :0]
        return cls(direct, rows, [tables.flatten(0, 1) for tables in cells])

    @property
    def all(self) -> list[Tensor]:
        """The three kinds in one list, tables [V, V]."""
        return [self.direct, self.rows, *self.cells]


def path_loss_and_gradients(
    model: Transformer, tokens: Int64[Tensor, "N T_plus_1"]
) -> tuple[float, dict[str, Tensor]]:
    """Return the mean cross-entropy and the gradients by name, like `gpu.gradients.loss_and_gradients`."""
    with torch.enable_grad():
        tables = Tables.of(model).all
    into = [torch.zeros_like(table) for table in tables]
    P_gradient, loss = torch.zeros_like(model.P), 0.0
    layers, T = model.P.shape
    run = sequences_at_once(layers, T, len(model.W_O), model.P.device.type)
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
    distinct = Distinct.of(x)
    pairs = distinct.tokens[:, :, None] * len(model.W_O) + distinct.tokens[:, None, :]  # [n, U, U]
    places = [x, distinct.tokens, *(pairs for _ in tables[2:])]
    picked = [
        table.detach().index_select(0, at.flatten()).view(*at.shape, *table.shape[1:]).requires_grad_()
        for table, at in zip(tables, places, strict=True)
    ]
    P = model.P.detach().requires_grad_()
    with torch.enable_grad():
        F = path_logits(picked[0], picked[1], picked[2:], P, distinct)
        loss = functional.cross_entropy(F.flatten(0, 1), y.flatten()) * share
    *found, P_found = torch.autograd.grad(loss, [*picked, P], materialize_grads=True)
    for table, at, gradient in zip(into, places, found, strict=True):
        table.index_add_(0, at.flatten(), gradient.flatten(0, at.dim() - 1))
    P_gradient += P_found
    return float(loss.detach())


def path_logits(
    direct: Float[Tensor, "n T V"],
    rows: Float[Tensor, "n U paths V"],
    cells: list[Tensor],
    P: Float[Tensor, "L T"],
    distinct: Distinct,
) -> Float[Tensor, "n T V"]:
    """Return the logits from what the tokens pick.

    Args:
        direct: X W_O.
        rows: rows of V_p W_O for all paths but the empty one, by distinct token and then by path.
        cells: for each layer, the cells of V_p W_l V_q^T by pair of distinct tokens, [n, U, U, 4^l].
        P: scores by distance.
        distinct: the tokens that they are picked by.
    """
    A_Z = distinct.Z(P.dtype)  # of all paths, [n, T, 2^l U]
    for layer, (P_l, picked) in enumerate(zip(P.unbind(), cells, strict=True)):
        blocks = picked.view(*picked.shape[:3], 2**layer, 2**layer).permute(0, 3, 1, 4, 2)  # [n, p, U, q, U]
        blocks = blocks.flatten(3).flatten(1, 2)
        A_l = causal_softmax(by_distance(P_l) + A_Z @ blocks @ A_Z.mT)
        A_Z = torch.cat([A_Z, A_l @ A_Z], dim=-1)
    if rows.shape[2] == 0:
        return direct
    by_path = A_Z.view(*direct.shape[:2], -1, rows.shape[1])[:, :, 1:]  # [n, T, paths, U]
    return causal_product(direct, by_path.mT.contiguous(), rows.flatten(1, 2), distinct.seen)


def sequences_at_once(layers: int, T: int, V: int, kind: str) -> int:
    """Return how many sequences one backward pass may hold on a cpu or cuda, at least one."""
    entries = (2 * 2**layers + 4) * T * V + 4 * 4**layers * T * T
    return max(1, ENTRIES_AT_ONCE[kind] // int(max(1, entries)))


def _before(table: Float[Tensor, "V V"], V: list[Tensor], layers: int) -> list[Tensor]:
    """Return V_p table for all paths p through the first `layers` layers."""
    found: dict[Path, Tensor] = {}
    for path in paths(layers):
        found[path] = table if not path else V[path[0]] @ found[path[1:]]
    return list(found.values())


def _after(table: Float[Tensor, "V V"], V: list[Tensor], layers: int) -> list[Tensor]:
    """Return table V_p^T for all paths p through the first `layers` layers."""
    found: dict[Path, Tensor] = {}
    for path in paths(layers):
        found[path] = table if not path else found[path[1:]] @ V[path[0]].mT
    return list(found.values())
