"""Each weight's alignment with its leading term beside what knows less: gathered for a corpus."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from paper_checks.carried import Carried, carried
from paper_checks.corpus_controls import OtherCorpus
from paper_checks.fastest import statistics_of
from properties.predictions.sampling import leading_directions
from reference.alignment import (
    REMOVED,
    AlignmentReport,
    Singular,
    alignment_report,
    cosine,
    singular_directions,
    spectrum,
)
from reference.corpus import Corpus, shuffled
from reference.errors import InputError

GROUPS = ("W_O", "V", "W", "P")
# A cosine that a sample keeps, or where it stops.
LEVEL = 0.99
SHUFFLED, OTHER = "tokens shuffled", "another corpus"

Told = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Nulls:
    """The alignment of each weight, W_O, V 0, V 1, ..., or of samples alone where there are no weights.

    Attributes:
        reports: by weight.
        sample: sequences in each sample.
        samples: how many samples.
        seed: of their order, and of the shuffled tokens.
        other: how another corpus's words were matched.
        kept: of each weight with directions, how many can go until a sample's cosine is below `LEVEL`.
        carried: of W_O, V and W, which directions of the leading term hold neighbours; none of few words.
    """

    reports: dict[str, AlignmentReport]
    sample: int
    samples: int
    seed: int
    other: str
    kept: dict[str, int | None]
    carried: dict[str, Carried]


def gather(
    corpus: Corpus,
    weights: Mapping[str, np.ndarray] | None,
    other: OtherCorpus,
    *,
    sample: int,
    samples: int,
    seed: int,
    told: Told,
) -> Nulls:
    """Compare weights W_O [V, V], V and W [L, V, V], P [L, T] with the leading terms of a corpus.

    Without weights the leading terms stand for what training on all of the corpus gives. Samples are random
    groups of `sample` sequences, or as many as there are for `samples` groups.

    Raises:
        InputError: there are fewer sequences than samples, or no samples.
    """
    tokens, V, N = corpus.tokens, corpus.vocab_size, corpus.sequences
    if not 1 <= samples <= N:
        raise InputError(f"--samples is {samples}; give 1 to {N:,}, as many as there are sequences.")
    size, steps = min(sample, N // samples), samples + 3
    order = np.random.default_rng(seed).permutation(N)

    def leading_of(part: np.ndarray, what: str, done: int) -> dict[str, np.ndarray]:
        told(what, done, steps)
        return leading_directions(part, statistics_of(part, V))

    leading = leading_of(tokens, "statistics of all sequences", 0)
    singular = {g: singular_directions(leading[g], max(REMOVED)) for g in GROUPS if leading[g].ndim == 2}
    controls = {
        SHUFFLED: leading_of(shuffled(tokens, seed), SHUFFLED, 1),
        OTHER: leading_of(other.tokens, OTHER, 2),
    }
    of_samples: dict[str, list[tuple[float, ...]]] = {group: [] for group in GROUPS}
    for n in range(samples):
        part = tokens[order[n * size : (n + 1) * size]]
        for group, one in leading_of(part, "samples", n + 3).items():
            of_samples[group].append(_spectrum(one, leading[group], singular.get(group)))
    reports = {}
    for name, group, weight in _named(weights or leading, weights is not None):
        nulls = {c: one[group] for c, one in controls.items() if one[group].shape == leading[group].shape}
        report = alignment_report(weight, leading[group], controls=nulls, singular=singular.get(group))
        reports[name] = _with_samples(report, of_samples[group])
    kept = {name: last_kept(report) for name, report in reports.items() if report.removed}
    return Nulls(reports, size, samples, seed, other.told, kept, carried(corpus, leading, singular, seed))


def _named(weights: Mapping[str, np.ndarray], by_layer: bool) -> list[tuple[str, str, np.ndarray]]:
    """Return (name, group, weight) of each weight; the leading terms have no layers."""
    found = []
    for group in GROUPS:
        if group == "W_O" or not by_layer:
            found.append((group, group, weights[group]))
        else:
            found += [(f"{group} {layer}", group, one) for layer, one in enumerate(weights[group])]
    return found


def _spectrum(one: np.ndarray, leading: np.ndarray, singular: Singular | None) -> tuple[float, ...]:
    if singular is None:
        return (cosine(one, leading),)
    return spectrum(one, leading, singular, [k for k in REMOVED if k < min(leading.shape)])


def _with_samples(report: AlignmentReport, samples: list[tuple[float, ...]]) -> AlignmentReport:
    return AlignmentReport(
        report.cosine,
        report.best_rank_one,
        report.controls,
        report.removed,
        report.left_over,
        report.spectrum,
        tuple(samples),
    )


def last_kept(report: AlignmentReport, level: float = LEVEL) -> int | None:
    """Return how many directions can go, in the steps of the ladder, until a sample's mean cosine is below.

    None where it is from the start, or undefined.
    """
    kept = None
    for k, of_each in zip(report.removed, zip(*report.samples, strict=True), strict=True):
        if not interval(of_each)[0] >= level:
            break
        kept = k
    return kept


def interval(values: tuple[float, ...]) -> tuple[float, float, float]:
    """Return the mean of the samples' cosines, the least and the largest; nan where one is undefined."""
    if not values or not all(map(math.isfinite, values)):
        return (math.nan, math.nan, math.nan)
    return (float(np.mean(values)), min(values), max(values))
