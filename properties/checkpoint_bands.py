"""How far a trained weight may be from its leading and next-order terms: truncation, sampling, rounding.

All three are relative to the leading term's Frobenius norm. Derived here:

* truncation: the two terms leave a series that begins two orders above the leading one. Its size relative to
  the leading term is a property of the text and hardly of how much of it there is, so a reference descent at
  the same rate and for as many steps measures it, on the whole corpus where that is cheap and else on some of
  its sequences. While successive terms halve at least, twice that is a bound.
* sampling: where the statistics come from n of the N sequences trained on, they are off by what a bootstrap
  over sequences shows, less the part (1 - n/N) of the variance that a sample without replacement saves.
* rounding: the summed magnitudes of the statistic over its norm, times the roundoff of as many operations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from properties.leading_terms import GROUPS, directions, leading_directions
from properties.statistics_bounds import product, statistics_magnitudes
from properties.tolerances import DEVIATIONS, GEOMETRIC, likely_rounding
from reference.corpus import Corpus
from reference.descent import train
from reference.errors import InputError

# Floating-point operations of a descent that is run to measure truncation: some ten seconds.
BUDGET = 3e11
REPLICATES = 24
FEWEST_SEQUENCES = 8


@dataclass(frozen=True)
class Band:
    """The parts of the largest admissible relative error; `sequences` says how many measured truncation."""

    truncation: float
    sampling: float
    rounding: float
    sequences: int

    @property
    def total(self) -> float:
        """Their sum."""
        return self.truncation + self.sampling + self.rounding


def bands(
    corpus: Corpus, layers: int, rate: float, steps: int, *, dtype: str, trained_on: int | None, seed: int
) -> dict[str, list[Band]]:
    """Return the band of each group, one a layer (W_O has one).

    Raises:
        InputError: `trained_on` is less than the sequences of the corpus, or these are too few to resample.
    """
    part = part_for_descent(corpus, layers, steps)
    truncation = remainders(part, layers, rate, steps)
    sampling = sampling_errors(corpus, trained_on, seed)
    rounding = rounding_errors(corpus, steps, dtype)
    return {
        group: [
            Band(GEOMETRIC * remainder, sampling[group], rounding[group], part.sequences)
            for remainder in truncation[group]
        ]
        for group in GROUPS
    }


def remainders(corpus: Corpus, layers: int, rate: float, steps: int) -> dict[str, list[float]]:
    """Return, by layer, what both terms leave of a reference descent, over the leading norm."""
    terms = directions(corpus.tokens, corpus.vocab_size)
    with np.errstate(over="ignore", invalid="ignore"):
        trained = train(corpus.tokens, corpus.vocab_size, layers, rate, steps)
    found = {}
    for group in GROUPS:
        leading = terms.leading(group, rate, steps)
        size = float(np.linalg.norm(leading))
        rest = by_layer(group, trained[group]) - leading - terms.following(group, rate, steps)
        found[group] = [float(np.linalg.norm(one)) / size if size else math.inf for one in rest]
    return found


def by_layer(group: str, weight: np.ndarray) -> np.ndarray:
    """Return a group's weight with layers as its first axis: W_O [V, V] is one layer, [1, V, V]."""
    return weight[None] if group == "W_O" else weight


def part_for_descent(corpus: Corpus, layers: int, steps: int) -> Corpus:
    """Return the corpus, or as many of its sequences, evenly spread, as a descent is affordable for."""
    count = corpus.sequences
    while count > 1:
        part = _spread(corpus, count)
        # Per position: a dozen products with a [V, V] matrix a layer, forward and back.
        if 24 * count * part.length * part.vocab_size**2 * (layers + 1) * steps <= BUDGET:
            return part
        count = max(1, count // 2)
    return _spread(corpus, 1)


def _spread(corpus: Corpus, count: int) -> Corpus:
    if count == corpus.sequences:
        return corpus
    rows = corpus.tokens[np.linspace(0, corpus.sequences - 1, count).round().astype(int)]
    chosen = Corpus(rows, corpus.vocabulary, corpus.name)
    return chosen.slice(count, corpus.length)


def sampling_errors(corpus: Corpus, trained_on: int | None, seed: int) -> dict[str, float]:
    """Return the relative error of each leading term that comes of its statistics being a sample's.

    Raises:
        InputError: as `bands`.
    """
    n = corpus.sequences
    if trained_on is None or trained_on == n:
        return dict.fromkeys(GROUPS, 0.0)
    if trained_on < n:
        raise InputError(
            f"--statistics-sample {trained_on} is less than the {n} sequences of the corpus; give how many "
            "the model was trained on."
        )
    if n < FEWEST_SEQUENCES:
        raise InputError(
            f"A sample of {n} sequences says nothing about its own error; give {FEWEST_SEQUENCES}."
        )
    rng = np.random.default_rng(seed)
    whole = leading_directions(corpus.tokens, corpus.vocab_size)
    moved: dict[str, list[float]] = {group: [] for group in GROUPS}
    for _ in range(REPLICATES):
        resampled = leading_directions(corpus.tokens[rng.integers(n, size=n)], corpus.vocab_size)
        for group in GROUPS:
            size = float(np.linalg.norm(whole[group]))
            moved[group].append(
                float(np.linalg.norm(resampled[group] - whole[group])) / size if size else 0.0
            )
    left = math.sqrt(1 - n / trained_on)
    return {group: left * float(np.mean(m) + DEVIATIONS * np.std(m, ddof=1)) for group, m in moved.items()}


def rounding_errors(corpus: Corpus, steps: int, dtype: str) -> dict[str, float]:
    """Return the relative error of each weight that comes of rounding while it was trained in `dtype`."""
    sizes = statistics_magnitudes(corpus.tokens, corpus.vocab_size)
    B, Phi = sizes["B_bar"], sizes["Phi_bar"]
    transposed = type(B)(B.terms.T, B.operations)
    magnitudes = {
        "W_O": B,
        "V": product(Phi, transposed, transpose_first=True),
        "W": sizes["Q_bar"],
        "P": sizes["Delta_bar"],
    }
    leading = leading_directions(corpus.tokens, corpus.vocab_size)
    found = {}
    for group, magnitude in magnitudes.items():
        size = float(np.linalg.norm(leading[group]))
        worth = float(np.linalg.norm(magnitude.terms)) / size if size else math.inf
        found[group] = likely_rounding(magnitude.operations + steps, dtype) * worth
    return found
