"""How strongly one circuit reads what another writes, and how much content a circuit can carry."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from gpu.frobenius import unit


def composition_score(
    first: Float[Tensor, "*first a b"], second: Float[Tensor, "*second b c"]
) -> Float[Tensor, "*both"]:
    """Return |first second| / (|first| |second|) in Frobenius norms, in 0..1; 0 where a factor is zero.

    Leading axes broadcast. Chance is 1/sqrt(b), see `reference.composition`.

    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
    """
    score: Tensor = torch.linalg.matrix_norm(unit(first, axes=2) @ unit(second, axes=2))
    return score


def subspace_scores(
    sources: Mapping[str, Float[Tensor, "_ d"]], circuit: Float[Tensor, "*heads d c"]
) -> dict[str, Float[Tensor, "*heads"]]:
    """Return how strongly a circuit reads each source, by its name; what sources are, see the reference."""
    return {name: composition_score(rows, circuit) for name, rows in sources.items()}


def energy_rank(matrix: Float[Tensor, "*heads a b"], share: float) -> Int64[Tensor, "*heads"]:
    """Return how many of the largest squared singular values make up `share` of their sum."""
    energy = torch.linalg.svdvals(matrix).square()
    total = energy.sum(dim=-1, keepdim=True)
    rank: Tensor = (energy.cumsum(dim=-1) < share * total).sum(dim=-1) + (total[..., 0] > 0)
    return rank


def participation_ratio(matrix: Float[Tensor, "*heads a b"]) -> Float[Tensor, "*heads"]:
    """Return (sum s^2)^2 / sum s^4 of the singular values s; 0 for a matrix of zeros."""
    energy = torch.linalg.svdvals(unit(matrix, axes=2)).square()
    fourth = energy.square().sum(dim=-1)
    return torch.where(fourth > 0, energy.sum(dim=-1).square() / fourth, 0.0)
