"""What the band of a checkpoint is made of, by hand."""

import math

import numpy as np
import pytest

from properties.checkpoint_bands import rounding_errors, sampling_errors
from properties.predictions.expansion import GROUPS, expansion
from properties.statistics_bounds import statistics_magnitudes
from properties.tolerances import likely_rounding, rounding
from reference.sequences import build_corpus
from reference.stories import stories
from reference.tokenizers import words


@pytest.fixture(scope="module")
def corpus():
    return build_corpus(stories(60, seed=0), words, length=20)


def test_a_sample_without_replacement_saves_its_share_of_the_variance(corpus):
    n = corpus.sequences
    half, fourth = (sampling_errors(corpus, times * n, seed=0) for times in (2, 4))
    for group in GROUPS:
        assert half[group] == pytest.approx(
            fourth[group] * math.sqrt((1 - 1 / 2) / (1 - 1 / 4)), rel=rounding(1.0, 8, "float64"), abs=0
        )


@pytest.mark.parametrize("steps", [1, 10**6])
def test_the_rounding_of_each_weight_is_that_of_its_own_sums_and_steps(corpus, steps):
    sizes = statistics_magnitudes(corpus.tokens, corpus.vocab_size)
    terms = expansion(corpus.tokens, corpus.vocab_size)
    B, Phi = sizes["B_bar"], sizes["Phi_bar"]
    summed = {
        "W_O": (B.terms, B.operations),
        "V": (Phi.terms.T @ B.terms.T, B.operations + Phi.operations + corpus.vocab_size),
        "W": (sizes["Q_bar"].terms, sizes["Q_bar"].operations),
        "P": (sizes["Delta_bar"].terms, sizes["Delta_bar"].operations),
    }
    found = rounding_errors(corpus, terms, steps, "float32")
    for group, (magnitude, operations) in summed.items():
        worth = np.linalg.norm(magnitude) / np.linalg.norm(terms[group].leading)
        expected = likely_rounding(operations + steps, "float32") * worth
        assert found[group] == pytest.approx(
            expected, rel=rounding(1.0, corpus.vocab_size**2, "float64"), abs=0
        )
