"""Values as JSON has them: nan and infinity become null."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def finite(value: Any) -> Any:
    """Return a value of mappings, sequences and numbers with None for every number that JSON has not."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, np.generic):
        return finite(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
