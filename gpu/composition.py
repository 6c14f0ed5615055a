"""How strongly one circuit reads what another writes."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from gpu.frobenius import unit


def composition_score(first: Float[Tensor, "a b"], second: Float[Tensor, "b c"]) -> float:
    """Return |first second| / (|first| |second|) in Frobenius norms, in 0..1; 0 where a factor is zero.

    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
    """
    return float(torch.linalg.matrix_norm(unit(first) @ unit(second)))
