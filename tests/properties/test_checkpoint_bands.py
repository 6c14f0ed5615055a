"""What the band of a checkpoint is made of, by hand."""

import math

import numpy as np
import pytest

from properties.checkpoint_bands import by_layer, known_terms, rounding_errors, sampling_errors, truncation
from properties.predictions.expansion import GROUPS, expansion
from properties.statistics_bounds import statistics_magnitudes
from properties.tolerances import WIDEST_BAND, likely_rounding, rounding
from reference.descent import train
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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("sequences", "length", "words"), [(1, 3, 3), (4, 6, 4), (12, 8, 8), (6, 20, 40)])
def test_what_the_terms_leave_out_is_within_the_truncation_that_the_statistics_tell(
    seed, sequences, length, words
):
    """An estimate, and so tried on drawn corpora, from the first steps to where nothing can be said."""
    tokens = np.random.default_rng(seed).zipf(1.5, (sequences, length + 1)) % words
    terms = expansion(tokens, words)
    for layers in (1, 3):
        for rate, steps in ((0.001, 2), (0.02, 3), (0.02, 4), (0.05, 12), (0.1, 30), (1.0, 5)):
            weights = train(tokens, words, layers, rate, steps)
            for group in GROUPS:
                for layer, weight in enumerate(by_layer(group, weights[group])):
                    leading, following = known_terms(group, terms[group], rate, steps, layer, layers)
                    band = truncation(group, terms, rate, steps, layer, layers)
                    if not band <= WIDEST_BAND:
                        continue
                    left, size = np.linalg.norm(weight - leading - following), np.linalg.norm(leading)
                    own = rounding(size, steps * tokens.size * words**2, "float64")
                    assert left <= band * size + own, (group, layer, rate, steps)


# Many words, of which a few sequences show a few: W_O, V or the logits leave their series at rates at which
# a weight's own two terms are still small.
FEW_OF_MANY = {
    "long": np.random.default_rng(0).integers(100, size=(1, 41)),
    "alternating": np.array([[0, 1] * 9, [1, 0] * 9]),
    "repetitive": np.random.default_rng(0).zipf(1.5, (2, 18)) % 100,
    "in order": np.arange(10) + np.array([[0], [30], [60]]),
}


@pytest.mark.parametrize(
    ("tokens", "layers", "rate", "steps", "group"),
    [
        ("long", 6, 5.9, 6, "W_O"),
        ("long", 3, 1.0, 30, "W_O"),
        ("repetitive", 1, 8.0, 3, "V"),
        ("alternating", 3, 1.3, 4, "W"),
        ("alternating", 3, 1.3, 4, "P"),
        ("in order", 6, 0.195, 60, "W_O"),
    ],
)
def test_a_weight_is_held_no_closer_than_those_that_move_it_are_known(tokens, layers, rate, steps, group):
    terms = expansion(FEW_OF_MANY[tokens], 100)
    weights = train(FEW_OF_MANY[tokens], 100, layers, rate, steps)
    for layer, weight in enumerate(by_layer(group, weights[group])):
        leading, following = known_terms(group, terms[group], rate, steps, layer, layers)
        left = np.linalg.norm(weight - leading - following)
        assert left <= truncation(group, terms, rate, steps, layer, layers) * np.linalg.norm(leading)
