"""A sentence read by the one-layer model of the leading terms: parts of its logits, and that they add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from paper_checks.fastest import statistics_of
from properties.predictions.sampling import leading_directions
from properties.rounded import NothingKnown
from properties.rounded_model import forward, given
from properties.tolerances import ELEMENTARY_ULPS, rounding
from reference.corpus import Corpus
from reference.errors import InputError
from reference.explanation import Explanation, explain


@dataclass(frozen=True)
class Read:
    """A sentence as the model reads it.

    Attributes:
        words: its tokens, up to the one after which is predicted.
        parts: the logits after the last one, taken apart.
        logits: [V], the same from the model's own forward pass.
        bound: [V], how far rounding may part the two.
        amounts: s eta, C(s,2) eta^2 and c_s eta^4.
    """

    words: tuple[str, ...]
    parts: Explanation
    logits: np.ndarray
    bound: np.ndarray
    amounts: dict[str, float]

    @property
    def adds_up(self) -> bool:
        """Whether every logit is the sum of its parts, within rounding."""
        return bool((np.abs(self.parts.logits - self.logits) <= self.bound).all())


def read(corpus: Corpus, words: Sequence[str], rate: float, steps: int) -> Read:
    """Return how the model of the corpus's leading terms after `steps` steps predicts what follows the words.

    Raises:
        InputError: a word is not in the vocabulary, there are none or more than positions, or the terms are
            so large that rounding hides the parts.
    """
    if not words:
        raise InputError(
            "The sentence has no words; give one that ends where the next word is to be predicted."
        )
    if len(words) > corpus.length:
        raise InputError(
            f"The sentence has {len(words)} tokens; give 1 to {corpus.length}, or raise --length."
        )
    tokens = np.array([corpus.number(word) for word in words], dtype=np.int64)
    parameters, amounts = leading_parameters(corpus, rate, steps)
    parts = explain(parameters, tokens)
    hidden = InputError(
        f"After {steps:,} steps at rate {rate:g} the leading terms are so large that rounding hides the "
        "parts of the logits; give fewer steps or a smaller --rate."
    )
    try:
        # The forward pass wants a target after the last token, and looks at it no further.
        passed = forward(given(_of_positions(parameters, len(tokens)), "float64"), np.append(tokens, 0)).F
    except NothingKnown:
        raise hidden from None
    bound = passed.error[-1] + _own(parts, parameters, tokens)
    # Without a digit of the largest logit any parts would add up to it.
    if not bound.max() <= np.abs(passed.value[-1]).max():
        raise hidden
    return Read(tuple(words), parts, passed.value[-1], bound, amounts)


def leading_parameters(
    corpus: Corpus, rate: float, steps: int
) -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """Return the leading terms of a one-layer model after some steps, and their amounts by group."""
    from theory.orders import leading_orders
    from theory.step_coefficients import step_coefficients

    orders, coefficients = leading_orders(1), step_coefficients(steps)
    amounts = {group: float(coefficients[group]) * rate**order for group, order in orders.items()}
    directions = leading_directions(corpus.tokens, statistics_of(corpus.tokens, corpus.vocab_size))
    terms = {group: amounts[group] * direction for group, direction in directions.items()}
    return {g: term if g == "W_O" else np.ascontiguousarray(term)[None] for g, term in terms.items()}, amounts


def _of_positions(parameters: dict[str, np.ndarray], n: int) -> dict[str, np.ndarray]:
    return {**parameters, "P": parameters["P"][:, :n]}


def _own(
    parts: Explanation, parameters: dict[str, np.ndarray], tokens: Int64[np.ndarray, " n"]
) -> np.ndarray:
    """The rounding of the parts and of their sum: messages of V products, n of them, an exp each."""
    sizes = np.abs(parameters["V"][0][tokens]) @ np.abs(parameters["W_O"])
    demand = np.abs(parts.demand_by_token + parts.demand_by_distance).max()
    operations = len(parts.current) + 2 * len(tokens) + 2 * ELEMENTARY_ULPS + 8 + int(np.ceil(4 * demand))
    return np.asarray(rounding(np.abs(parts.current) + sizes.max(axis=0), operations, "float64"))
