"""How strongly one circuit reads what another writes."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64


def composition_score(first: Float64[np.ndarray, "a b"], second: Float64[np.ndarray, "b c"]) -> float:
    """Return |first second| / (|first| |second|) in Frobenius norms, in 0..1; 0 where a factor is zero.

    1 when both have rank one and meet in the same direction; about 1/sqrt(b) for random matrices.

    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
    """
    size = np.linalg.norm(first) * np.linalg.norm(second)
    return float(np.linalg.norm(first @ second) / size) if size > 0 else 0.0
