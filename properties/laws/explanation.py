"""One layer is a sum over the tokens it reads, and at the leading terms each of them supplies G_bar (derived
here; toy-model, 4)."""

from __future__ import annotations

import numpy as np
from flint import fmpq, fmpq_mat

from properties.cases import MODELS, SMALL_CORPORA, CorpusCase, ModelCase
from properties.check import Check, Comparison, Outcome
from properties.laws.mathematics import equal
from properties.laws.statistics_exact import exact_by_corpus
from properties.rounded_model import forward, given
from properties.target import Target
from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference import explanation
from theory.statistics import leading_directions


def _one_layer(case: ModelCase) -> dict[str, np.ndarray]:
    return {group: value if group == "W_O" else value[:1] for group, value in case.parameters.items()}


def _sum_over_tokens(target: Target, case: ModelCase) -> Outcome:
    """At every position: the implementation's logits are the bigram row and the contributions, added up."""
    parameters = _one_layer(case)
    got = target.logits(parameters, case.tokens)
    V, T = case.vocab_size, case.tokens.shape[1] - 1
    for n, sequence in enumerate(case.tokens):
        own = forward(given(parameters, target.dtype), sequence).F.error
        for t in range(T):
            parts = explanation.explain(parameters, sequence[: t + 1])
            summed = np.abs(parts.current) + np.abs(parts.contributions).sum(axis=0)
            # Attention's own error is relative; a message is a sum of V products.
            demand = np.abs(parts.demand_by_token + parts.demand_by_distance).max()
            operations = V + 2 * T + 2 * ELEMENTARY_ULPS + 8 + int(np.ceil(4 * demand))
            bound = own[t] + rounding(summed + _message_sizes(parameters, sequence, t), operations, "float64")
            name = f"the logits at position {t} of sequence {n}"
            yield Comparison(name, got[n, t], parts.logits, bound)


def _message_sizes(parameters: dict[str, np.ndarray], sequence: np.ndarray, t: int) -> np.ndarray:
    """The absolute terms of the largest message."""
    sizes = np.abs(parameters["V"][0][sequence[: t + 1]]) @ np.abs(parameters["W_O"])
    return np.asarray(sizes.max(axis=0))


def _message(target: Target, case: CorpusCase) -> Outcome:
    """(Phi_bar^T B_bar^T) B_bar = G_bar^T, and row k of V holds <phi_k, B_bar[r]> in coordinate r."""
    statistics = exact_by_corpus(case.tokens, case.vocab_size)
    B, Phi, V = statistics["B_bar"], statistics["Phi_bar"], case.vocab_size
    value = leading_directions(statistics)["V"]
    yield equal("the message of the value term", value * B, statistics["G_bar"].transpose())
    yield equal("the value term by coordinates", value, _by_coordinates(B, Phi, V))


def _by_coordinates(B: fmpq_mat, Phi: fmpq_mat, V: int) -> fmpq_mat:
    def coordinate(k: int, r: int) -> fmpq:
        return sum((Phi[j, k] * B[r, j] for j in range(V)), fmpq(0))

    return fmpq_mat(V, V, [coordinate(k, r) for k in range(V) for r in range(V)])


CHECKS = (
    Check(
        id="explanation.sum",
        statement="One layer's logits are the current token's row and each token's message times attention.",
        source="paper, eq. 12; toy-model, 4.2",
        cases=MODELS,
        law=_sum_over_tokens,
        needs=("logits",),
        cost=4,
    ),
    Check(
        id="explanation.message",
        statement="The value term's message, decoded by B_bar, is the token's row of G_bar transposed.",
        source="toy-model, 4.1 and 4.2",
        cases=SMALL_CORPORA,
        law=_message,
        evidence="exact",
    ),
)
