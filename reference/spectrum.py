"""The principal components of a set of vectors: how much of their variance lies in how many directions.

Source: circuits-notes (spectra).
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64

from reference.errors import InputError


def explained(rows: Float64[np.ndarray, "n d"]) -> Float64[np.ndarray, " k"]:
    """Return the share of variance along each principal component, the largest first; min(n-1, d) of them.

    Zero where rows do not vary. Of n independent Gaussian rows the largest is about (1 + sqrt(d/n))^2 / d
    (Marchenko and Pastur), not 1/d: a spectrum falls by chance too.

    Raises:
        InputError: there are fewer than two rows.
    """
    if len(rows) < 2:
        raise InputError("A spectrum needs two rows or more.")
    singular = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False)[: min(len(rows) - 1, rows.shape[1])]
    total = (singular**2).sum()
    return singular**2 / total if total > 0 else np.zeros_like(singular)


def directions_for(rows: Float64[np.ndarray, "n d"], share: float) -> int:
    """Return how many components hold `share` of the variance; 0 where rows do not vary."""
    shares = explained(rows)
    return int((np.cumsum(shares) < share).sum() + 1) if shares.any() else 0
