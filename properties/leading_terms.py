"""What each weight is proportional to at its leading order, in float64, for a corpus of any size."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64

from reference.statistics import attention_evidence, bigram, context, interchangeability


def leading_directions(tokens: Int64[np.ndarray, "N T_plus_1"], vocab_size: int) -> dict[str, np.ndarray]:
    """Return what each weight is proportional to at its leading order: [V, V], P [T] (paper, Thm. 4.1)."""
    B, Phi = bigram(tokens, vocab_size), context(tokens, vocab_size)
    Q, Delta = attention_evidence(tokens, interchangeability(B) @ Phi)
    return {"W_O": B, "V": Phi.T @ B.T, "W": Q, "P": Delta}
