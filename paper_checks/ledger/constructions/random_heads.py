"""Heads of an untrained layer, drawn as a usual initialisation draws them."""

from __future__ import annotations

from functools import cache

import numpy as np

from reference.attention_metrics import head_profile
from reference.model import causal_softmax

HEADS = 48


@cache
def random_profiles(
    seed: int, length: int, texts: int, width: int, head_width: int, spread: float
) -> dict[str, list[float]]:
    """Return each measure of HEADS random heads, averaged over `texts` texts of `length` positions.

    A text is `length` random vectors of mean 0 and mean square 1, as a layer normalisation leaves them; query
    and key weights are Gaussian with standard deviation `spread`.
    """
    random = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(HEADS):
        queries, keys = random.normal(0, spread, (2, width, head_width))
        profiles = []
        for _ in range(texts):
            x = random.normal(size=(length, width))
            x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
            scores = (x @ queries) @ (x @ keys).T / np.sqrt(head_width)
            profiles.append(head_profile(causal_softmax(scores)))
        for name in profiles[0]:
            found.setdefault(name, []).append(float(np.mean([profile[name] for profile in profiles])))
    return found
