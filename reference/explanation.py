"""The logits of a one-layer model, taken apart: what the current token says, and what each earlier one adds.

With h = X + A X V and F = h W_O the logits at position t are

    F[t] = W_O[x_t] + sum over k <= t of A[t, k] (V W_O)[x_k],

a supply for each token read, the message (V W_O)[x_k] over the next words, times the attention that the
demand x_t W x_k + P[t-k] wins it. At the leading terms W_O is s eta B_bar and V is C(s,2) eta^2 Phi_bar^T
B_bar^T, so the message is a multiple of Phi_bar^T Sigma_B = G_bar^T (paper, eq. 12; toy-model, 4.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.errors import InputError
from reference.model import Parameters, by_distance, causal_softmax


@dataclass(frozen=True)
class Explanation:
    """The logits [V] at the last of n tokens, by their parts.

    Attributes:
        current: [V], W_O[x_t]: what the current token alone predicts.
        messages: [n, V], what each token read supplies.
        demand_by_token: [n], x_t W x_k.
        demand_by_distance: [n], P[t-k].
        attention: [n], the softmax of both demands.
    """

    current: Float64[np.ndarray, " V"]
    messages: Float64[np.ndarray, "n V"]
    demand_by_token: Float64[np.ndarray, " n"]
    demand_by_distance: Float64[np.ndarray, " n"]
    attention: Float64[np.ndarray, " n"]

    @property
    def contributions(self) -> Float64[np.ndarray, "n V"]:
        """What each token adds to each logit: attention times message."""
        return self.attention[:, None] * self.messages

    @property
    def logits(self) -> Float64[np.ndarray, " V"]:
        """The sum of all parts."""
        return self.current + self.contributions.sum(axis=0)


def explain(parameters: Parameters, tokens: Int64[np.ndarray, " n"]) -> Explanation:
    """Take the logits after the last token apart, for a model of one layer.

    `parameters` are W_O [V, V], V and W [1, V, V], P [1, T] with T >= n.

    Raises:
        InputError: the model has not one layer, or there are no tokens or more than its positions.
    """
    layers, T = parameters["P"].shape
    if layers != 1:
        raise InputError(f"Only a model of one layer is a sum over its tokens; this one has {layers}.")
    if not 1 <= len(tokens) <= T:
        raise InputError(f"A text of {len(tokens)} tokens does not fit; give 1 to {T} tokens.")
    n, last = len(tokens), tokens[-1]
    by_token = parameters["W"][0][last, tokens]
    distances = by_distance(parameters["P"][0][:n])[-1]
    return Explanation(
        current=parameters["W_O"][last],
        messages=parameters["V"][0][tokens] @ parameters["W_O"],
        demand_by_token=by_token,
        demand_by_distance=distances,
        attention=causal_softmax(np.tile(by_token + distances, (n, 1)))[-1],
    )
