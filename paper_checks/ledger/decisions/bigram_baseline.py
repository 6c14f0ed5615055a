"""The cross-entropy of a pure bigram model on a text, the baseline that a trained model is held against."""

from __future__ import annotations

import math

import numpy as np

from paper_checks.ledger.claim import Claim
from paper_checks.ledger.finding import Finding, by_readings
from paper_checks.ledger.printed import exact, shown
from paper_checks.ledger.registry import decides
from paper_checks.ledger.setting import Setting
from reference.corpus import Corpus

COUNTED, OF = 9, 10


def pair_counts(corpus: Corpus, sequences: slice) -> np.ndarray:
    """Return int64 [V current, V next], how often each pair of neighbours occurs in some sequences."""
    tokens, V = corpus.tokens[sequences], corpus.vocab_size
    return np.bincount((tokens[:, :-1] * V + tokens[:, 1:]).ravel(), minlength=V * V).reshape(V, V)


def cross_entropy(counted: np.ndarray, predicted: np.ndarray, added: int) -> float:
    """Return nats a pair: of `predicted` pairs [V, V] under the shares in `counted` plus `added`."""
    smoothed = counted + added
    at = predicted > 0
    shares = (smoothed / np.maximum(smoothed.sum(axis=1, keepdims=True), 1))[at]
    return float(-(predicted[at] * np.log(shares)).sum() / predicted.sum())


@decides("bigram-ce-567")
def bigram_cross_entropy(claim: Claim, setting: Setting) -> Finding:
    """Count pairs in the text that is given; the chapter's own selection of poems is not published."""
    corpus = setting.given_text()
    split = corpus.sequences * COUNTED // OF
    first, rest = pair_counts(corpus, slice(split)), pair_counts(corpus, slice(split, None))
    characters = int(exact(claim.given["characters"]))
    return by_readings(
        claim,
        {
            f"pairs counted in {COUNTED} of {OF} parts, one added to each, and the last part predicted": {
                "bigram": cross_entropy(first, rest, added=1)
            },
            "the text's own pairs, the least that any bigram model can have on it": {
                "bigram": cross_entropy(first + rest, first + rest, added=0)
            },
        },
        evidence="measured",
        derivation=(
            f"On {corpus.name}, {corpus.vocab_size:,} different tokens. The chapter also calls "
            f"{claim.given['uniform_elsewhere']} the loss of uniform guessing; over its {characters:,} "
            f"characters that is {shown(math.log(characters), 2)}."
        ),
    )
