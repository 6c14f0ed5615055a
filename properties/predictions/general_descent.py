"""The leading terms under batches that change from step to step: `theory.laws.general_descent` in float64.

Plain descent at one rate. Step q has a batch with its own statistics B_q, Phi_q, and before step r

    W_O = eta sum_{q<r} B_q,    V = eta^2 sum_{p<r} Phi_p^T [sum_{q<p} B_q]^T,
    W   = eta^4 sum_{p<r} E_p[U W_O(p)^T V(p)^T],    P the same by distance,

E_p the evidence read on batch p. For one constant batch these are the leading terms of Theorem 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Int64

from properties.predictions.bigram import Bigram
from properties.predictions.expansion import PairSums, centred
from reference import pair_sums
from reference.statistics import uniform_attention


def leading_terms_of_batches(
    batches: Iterable[Int64[np.ndarray, "n T_plus_1"]],
    vocab_size: int,
    length: int,
    rate: float,
    sums: PairSums = pair_sums,
) -> dict[str, np.ndarray]:
    """Return the leading terms of W_O, V, W [V, V] and P [T] after a step on each batch, in any layer."""
    V, T = vocab_size, length
    held = {"W_O": np.zeros((V, V)), "V": np.zeros((V, V)), "W": np.zeros((V, V)), "P": np.zeros(T)}
    A0 = uniform_attention(T)
    for tokens in batches:
        B = Bigram.of(tokens, V).dense()
        Phi = centred(sums.shares(tokens, V, A0, "next"))
        # The message of a context word is its row of V W_O; its columns by target sum to zero.
        by_tokens, by_distance = sums.evidence(tokens, held["W_O"].T @ held["V"].T, "next")
        gained = {"W_O": B, "V": Phi.T @ held["W_O"].T, "W": by_tokens, "P": by_distance}
        held = {group: held[group] + rate * gained[group] for group in held}
    return held
