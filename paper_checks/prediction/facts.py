"""What the laws need of a corpus, counted once: then every setting costs next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from paper_checks.fastest import pair_sums_of, statistics_of
from properties.predictions.ablation import of_sequence
from properties.predictions.expansion import Directions, expansion
from properties.predictions.loss import LossNumbers, loss_numbers
from properties.predictions.random_groups import Dealt, deal
from properties.predictions.sampling import BigramNoise, bigram_noise, leading_directions
from reference.corpus import Corpus

# The terms beyond the leading ones are small corrections, and a few thousand sequences show their sizes.
SEQUENCES_FOR_CORRECTIONS = 2048

Told = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Facts:
    """Statistics of a corpus and what was made of them.

    Attributes:
        corpus: the corpus.
        statistics: the six of all its sequences.
        directions: of each group, to two orders beyond the leading one, from `corrections` sequences.
        corrections: how many.
        squares: |x|^2 of each group's leading direction, over all sequences.
        own: the parts of `squares` that the `evaluated` sequences have, one row each.
        loss: the numbers of the loss law.
        dealt: the noise of a sample of `sample` sequences, by random groups; None for too small a corpus.
        bigram: the closed forms of the same for B_bar.
        sample: the sample's size that both are for.
        evaluated: some sequences, drawn at random, to read effects and scores from.
    """

    corpus: Corpus
    statistics: Mapping[str, np.ndarray]
    directions: Mapping[str, Directions]
    corrections: int
    squares: Mapping[str, float]
    own: Float64[np.ndarray, "n groups"]
    loss: LossNumbers
    dealt: Dealt | None
    bigram: BigramNoise
    sample: int
    evaluated: Int64[np.ndarray, "n T_plus_1"]


def gather(corpus: Corpus, *, sample: int, groups: int, evaluated_on: int, seed: int, told: Told) -> Facts:
    """Count everything, with the compiled loops where numba is installed; the same numbers, to rounding.

    Raises:
        InputError: there are fewer than four groups.
    """
    tokens, V = corpus.tokens, corpus.vocab_size
    told("statistics of all sequences", 0, groups + 2)
    found = statistics_of(tokens, V)
    leading = leading_directions(tokens, found)
    order = np.random.default_rng(seed).permutation(len(tokens))

    def group_is_in(done: int, total: int) -> None:
        told("random groups of sequences", done, total + 2)

    dealt = None
    if len(tokens) >= groups:
        dealt = deal(
            tokens,
            V,
            leading,
            sample=sample,
            groups=groups,
            seed=seed,
            statistics=statistics_of,
            told=group_is_in,
        )
    told("terms beyond the leading ones", groups + 1, groups + 2)
    some, evaluated = tokens[order[:SEQUENCES_FOR_CORRECTIONS]], tokens[order[:evaluated_on]]
    frequency = np.bincount(tokens[:, :-1].ravel(), minlength=V) / tokens[:, 1:].size
    return Facts(
        corpus=corpus,
        statistics=found,
        directions=expansion(some, V, pair_sums_of()),
        corrections=len(some),
        squares={group: float((x * x).sum()) for group, x in leading.items()},
        own=np.array([of_sequence(found, sequence) for sequence in evaluated]),
        loss=loss_numbers(found["B_bar"], frequency, leading["V"]),
        dealt=dealt,
        bigram=bigram_noise(tokens, V, sample),
        sample=sample,
        evaluated=evaluated,
    )
