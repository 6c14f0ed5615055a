"""What the band of a checkpoint is made of, by hand."""

import math

import numpy as np
import pytest

from properties.checkpoint_bands import (
    FEWEST_SEQUENCES,
    REPLICATES,
    Band,
    bands,
    by_layer,
    known_terms,
    rounding_errors,
    sampling_errors,
    truncation,
)
from properties.leading_terms import leading_directions
from properties.predictions.expansion import GROUPS, Directions, expansion
from properties.statistics_bounds import statistics_magnitudes
from properties.tolerances import DEVIATIONS, WIDEST_BAND, likely_rounding, rounding
from reference.corpus import Corpus
from reference.descent import train
from reference.errors import InputError
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


def by_hand(leading, following, second):
    """Directions of one number each, so that a size is a number times its amount."""
    leading, *others = (np.array([float(x)]) for x in (leading, *following, *second))
    return Directions(leading, others[: len(following)], others[len(following) :])


def shrinking(of_readout=0, below=0, above=0, logit=1 / 64):
    """Terms of which P's next order is 1/8, the one after 1/16, of 3 layers after four steps at the rate 1.

    The amounts are then, of W_O 4, 6 and 12; of V 6, (4, 14) and (3, 11 for each layer below, 11 for each
    above); and of P 11, (13, 17, 31) and (9, ...). What W_O and V have two orders beyond, over the leading
    one, is `of_readout`, and `below` in V's last layer, `above` in its first.
    """
    return {
        "W_O": by_hand(-logit / 4, [0], [of_readout * logit / 12]),
        "V": by_hand(-1 / 6, [0, 0], [0, below / 22, -above / 22]),
        "P": by_hand(1 / 11, [-1 / (8 * 13), 0, 0], [1 / (16 * 9), 0, 0, 0, 0, 0]),
    }


@pytest.mark.parametrize(
    ("terms", "growth"),
    [
        ({}, 2),
        ({"of_readout": 1 / 8}, 2),
        ({"of_readout": 3 / 8}, 4),
        ({"below": 3 / 8}, 4),
        ({"above": 3 / 8}, 4),
        ({"logit": 3 / 4}, 4),
        ({"of_readout": 3 / 8, "below": 3 / 8, "above": 3 / 8, "logit": 3 / 4}, 4),
        ({"of_readout": 7 / 16, "below": 3 / 8, "above": 1 / 8, "logit": 3 / 4}, 8),
        ({"of_readout": 9 / 16}, math.inf),
        ({"below": 9 / 16}, math.inf),
        ({"above": 9 / 16}, math.inf),
        ({"logit": 1}, math.inf),
    ],
)
def test_the_slowest_of_what_all_weights_follow_bounds_what_is_left_out(terms, growth):
    """Terms that shrink by a ratio r add up to 1 / (1 - r): of 3/4 it is 4, and of less than a half 2."""
    logit = terms.get("logit", 1 / 64)
    expected = growth * (1 / 16 + 1 / 8 * (1 / 8 + logit))
    for layer in range(3):
        got = truncation("P", shrinking(**terms), 1.0, 4, layer, 3)
        assert got == pytest.approx(expected, rel=rounding(1.0, 64, "float64"), abs=0)


def test_a_weight_that_has_not_moved_has_no_truncation_and_passes_nothing_on():
    """After one step V and P are zero still: where the logits are small as well, W_O is known."""
    terms = shrinking(of_readout=9 / 16, below=9 / 16)
    assert truncation("W_O", terms, 1.0, 1, 0, 3) == 0
    assert math.isnan(truncation("P", terms, 1.0, 1, 0, 3))
    large = shrinking(logit=4)
    assert truncation("W_O", large, 1.0, 1, 0, 3) == math.inf
    assert math.isnan(truncation("P", large, 1.0, 1, 0, 3))


def test_the_error_of_sampling_is_that_of_the_shares_drawn():
    """With two kinds of sequences B_bar is p of one and 1 - p of the other, p being the share drawn."""
    n, V = FEWEST_SEQUENCES, 3
    kinds = np.array([[0, 1, 2, 0], [1, 1, 0, 2]])
    tokens = np.repeat(kinds, n // 2, axis=0)
    first, second = (leading_directions(one[None], V)["W_O"] for one in kinds)
    apart = np.linalg.norm(first - second) / np.linalg.norm((first + second) / 2)
    rng = np.random.default_rng(5)
    shares = [(rng.integers(n, size=n) < n // 2).mean() for _ in range(REPLICATES)]
    errors = [abs(share - 1 / 2) * apart for share in shares]
    mean = math.fsum(errors) / REPLICATES
    spread = math.sqrt(math.fsum((error - mean) ** 2 for error in errors) / (REPLICATES - 1))
    expected = math.sqrt(1 - 1 / 4) * (mean + DEVIATIONS * spread)
    found = sampling_errors(Corpus(tokens, tuple("abc"), "two kinds"), 4 * n, seed=5)
    assert found["W_O"] == pytest.approx(expected, rel=rounding(1.0, tokens.size * V**2, "float64"), abs=0)


def test_what_was_trained_on_whole_has_no_error_of_sampling_and_less_than_it_is_refused():
    """However few the sequences; and one fewer than there are is already too few to have trained on."""
    few = Corpus(np.array([[0, 1, 2, 0], [1, 1, 0, 2], [2, 0, 1, 1]]), tuple("abc"), "few")
    assert few.sequences < FEWEST_SEQUENCES
    for trained_on in (None, few.sequences):
        assert sampling_errors(few, trained_on, seed=0) == dict.fromkeys(GROUPS, 0.0)
    with pytest.raises(InputError, match="is less than the 3 sequences"):
        sampling_errors(few, few.sequences - 1, seed=0)


def test_a_corpus_of_one_word_has_nothing_to_sample_and_nothing_that_rounding_is_small_beside():
    tokens = np.zeros((FEWEST_SEQUENCES, 3), dtype=np.int64)
    only = Corpus(tokens, ("a",), "one word")
    assert sampling_errors(only, 2 * only.sequences, seed=0) == dict.fromkeys(GROUPS, 0.0)
    found = rounding_errors(only, expansion(tokens, 1), 3, "float64")
    assert found == dict.fromkeys(GROUPS, math.inf)


def test_each_layer_of_each_weight_gets_the_parts_that_are_its_own():
    tokens = np.random.default_rng(0).integers(4, size=(FEWEST_SEQUENCES, 5))
    drawn = Corpus(tokens, tuple("abcd"), "drawn")
    terms = expansion(tokens, 4)
    found = bands(drawn, terms, 2, 0.1, 4, dtype="float32", trained_on=100, seed=3)
    sampling, rounded = sampling_errors(drawn, 100, 3), rounding_errors(drawn, terms, 4, "float32")
    assert {group: len(of_layers) for group, of_layers in found.items()} == {"W_O": 1, "V": 2, "W": 2, "P": 2}
    for group, of_layers in found.items():
        for layer, band in enumerate(of_layers):
            left_out = truncation(group, terms, 0.1, 4, layer, 2)
            assert band == Band(left_out, sampling[group], rounded[group])
            assert band.total == left_out + sampling[group] + rounded[group]
    parts = [(band.truncation, band.sampling) for of_layers in found.values() for band in of_layers]
    assert len(set(parts)) == len(parts)
