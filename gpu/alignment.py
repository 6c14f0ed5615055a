"""How far weights are along their leading terms, and how far the layers are from each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from gpu.model import Transformer


def leading_terms(statistics: Mapping[str, np.ndarray], model: Transformer) -> dict[str, Tensor]:
    """Return the directions of W_O, V, W and P that the theory names, on the model's device.

    They are B_bar, Phi_bar^T B_bar^T and Q_bar [V, V], and Delta_bar [T] (paper, Theorem 4.1).
    """
    named = {
        "W_O": statistics["B_bar"],
        "V": statistics["Phi_bar"].T @ statistics["B_bar"].T,
        "W": statistics["Q_bar"],
        "P": statistics["Delta_bar"],
    }
    device = model.W_O.device
    return {group: torch.tensor(direction, device=device) for group, direction in named.items()}


@torch.no_grad()
def alignments(model: Transformer, leading: Mapping[str, Tensor]) -> dict[str, list[float | None]]:
    """Return the cosine of each weight with those leading terms, by group and layer; None at length zero."""
    return {
        group: [cosine(value, leading[group]) for value in ([weights] if group == "W_O" else weights)]
        for group, weights in model.named_parameters()
    }


@torch.no_grad()
def spreads(model: Transformer) -> dict[str, float | None]:
    """Return by group the largest distance of a layer from the mean of all, over the length of that mean.

    None where the mean has no length.
    """
    found: dict[str, float | None] = {}
    for group, weights in model.named_parameters():
        if group != "W_O" and len(weights):
            mean = weights.double().mean(dim=0)
            size = float(torch.linalg.vector_norm(mean))
            far = max(float(torch.linalg.vector_norm(layer.double() - mean)) for layer in weights)
            found[group] = far / size if size > 0 else None
    return found


def cosine(first: Float[Tensor, "*shape"], second: Float[Tensor, "*shape"]) -> float | None:
    """Return the cosine in the Frobenius inner product, summed in float64; None at length zero."""
    one, other = first.double(), second.double()
    size = float(torch.linalg.vector_norm(one)) * float(torch.linalg.vector_norm(other))
    return float((one * other).sum()) / size if size > 0 else None
