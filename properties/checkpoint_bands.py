"""How far a trained weight may be from its leading and next-order terms: truncation, sampling, rounding.

All three are relative to the leading term's Frobenius norm. Derived here:

* truncation: the two terms leave a series that begins two orders above the leading one. What it begins with
  is known from the corpus's statistics (`properties.predictions.expansion`), but for what V divides there: a
  next order of the next order, as large as its square, and the softmax's own next order, which is the next
  order times a logit. While successive terms shrink by a ratio r, 1 / (1 - r) times the sum of their sizes
  is a bound. All weights follow W_O and V, so r is theirs: a half at least, twice what either's own terms two
  orders beyond are, and the largest logit, in which the softmax is a series. Twice, because later ratios are
  larger than the first. With many layers and what is left to explain constant, w' = e^u and u' = L w e^u for
  w = W_O, u = L V: then u = L w^2 / 2, and w is the inverse of an error function. The ratios of u's series
  are x^2 / 3 and more, up to 2 x^2 / pi with x^2 = L s^2 eta^2: 6 / pi < 2 times the first. No descent
  enters: if the theory were wrong, a model that is trained as it says would be off by more.
* sampling: where the statistics come from n of the N sequences trained on, they are off by what a bootstrap
  over sequences shows, less the part (1 - n/N) of the variance that a sample without replacement saves.
* rounding: the summed magnitudes of the statistic over its norm, times the roundoff of as many operations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from properties.leading_terms import leading_directions
from properties.predictions.expansion import GROUPS, Directions, amounts
from properties.statistics_bounds import product, statistics_magnitudes
from properties.tolerances import DEVIATIONS, GEOMETRIC, likely_rounding
from reference.corpus import Corpus
from reference.errors import InputError

REPLICATES = 24
FEWEST_SEQUENCES = 8


@dataclass(frozen=True)
class Band:
    """The parts of the largest admissible relative error."""

    truncation: float
    sampling: float
    rounding: float

    @property
    def total(self) -> float:
        """Their sum."""
        return self.truncation + self.sampling + self.rounding


def bands(
    corpus: Corpus,
    terms: Mapping[str, Directions],
    layers: int,
    rate: float,
    steps: int,
    *,
    dtype: str,
    trained_on: int | None,
    seed: int,
) -> dict[str, list[Band]]:
    """Return the band of each group, one a layer (W_O has one); `terms` are the corpus's.

    Raises:
        InputError: `trained_on` is less than the sequences of the corpus, or these are too few to resample.
    """
    sampling = sampling_errors(corpus, trained_on, seed)
    rounding = rounding_errors(corpus, terms, steps, dtype)
    return {
        group: [
            Band(truncation(group, terms, rate, steps, layer, layers), sampling[group], rounding[group])
            for layer in range(1 if group == "W_O" else layers)
        ]
        for group in GROUPS
    }


def truncation(
    group: str, terms: Mapping[str, Directions], rate: float, steps: int, layer: int, layers: int
) -> float:
    """Return what both terms may leave out of a weight, over the leading norm.

    It is nan where the leading norm is 0, and infinite where the terms do not shrink.
    """
    next_order, beyond = _orders(group, terms, rate, steps, layer, layers)
    logit = rate * steps * float(np.abs(terms["W_O"].leading).max())
    _, of_readout = _orders("W_O", terms, rate, steps, 0, layers)
    of_values = max(_orders("V", terms, rate, steps, each, layers)[1] for each in range(layers))
    # A weight that has not moved yet passes nothing on.
    ratio = max(GEOMETRIC * np.nanmax([of_readout, of_values, 0.0]), logit)
    if ratio >= 1:
        return math.nan if math.isnan(beyond) else math.inf
    return max(GEOMETRIC, 1 / (1 - ratio)) * (beyond + next_order * (next_order + logit))


def _orders(
    group: str, terms: Mapping[str, Directions], rate: float, steps: int, layer: int, layers: int
) -> tuple[float, float]:
    """Return the sizes of a weight's next order and the one after, over the leading norm; nan if it is 0."""
    own = terms[group]
    sizes = np.abs(amounts(group, rate, steps, layer, layers)) * np.sqrt(np.diagonal(own.gram))
    leading, following, second = np.split(sizes, [1, 1 + len(own.following)])
    if leading[0] == 0:
        return math.nan, math.nan
    return float(following.sum() / leading[0]), float(second.sum() / leading[0])


def known_terms(
    group: str, terms: Directions, rate: float, steps: int, layer: int, layers: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the leading and the next-order term of a layer's weight, each [V, V], or [T] for P."""
    c = amounts(group, rate, steps, layer, layers)
    following = sum(b * n for b, n in zip(c[1 : 1 + len(terms.following)], terms.following, strict=True))
    return c[0] * terms.leading, np.asarray(following)


def by_layer(group: str, weight: np.ndarray) -> np.ndarray:
    """Return a group's weight with layers as its first axis: W_O [V, V] is one layer, [1, V, V]."""
    return weight[None] if group == "W_O" else weight


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


def rounding_errors(
    corpus: Corpus, terms: Mapping[str, Directions], steps: int, dtype: str
) -> dict[str, float]:
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
    found = {}
    for group, magnitude in magnitudes.items():
        size = float(np.linalg.norm(terms[group].leading))
        worth = float(np.linalg.norm(magnitude.terms)) / size if size else math.inf
        found[group] = likely_rounding(magnitude.operations + steps, dtype) * worth
    return found
