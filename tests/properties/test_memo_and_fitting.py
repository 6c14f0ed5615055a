"""What is remembered of a corpus, and what a fit does not ask for again."""

import numpy as np
import pytest

from properties.check import NotAdmitted
from properties.fitting import COARSEST, RATES, Sized, fit, orders_of
from properties.memo import by_corpus, recently
from properties.tolerances import exponent


def test_a_large_corpus_is_counted_once_however_many_small_ones_come_between():
    asked = []
    remembered = by_corpus(lambda tokens, vocab_size: asked.append(tokens.size) or len(asked))
    large = np.zeros((9, 9), dtype=np.int64)
    first = remembered(large, 2)
    for size in range(2, 8):
        remembered(np.zeros((1, size), dtype=np.int64), 2)
    assert remembered(large, 2) == first
    assert asked.count(large.size) == 1
    assert remembered(large, 3) != first
    assert remembered(large.reshape(1, 81), 2) != first


def test_the_smallest_corpus_is_answered_too_when_it_is_the_newest():
    remembered = by_corpus(lambda tokens, vocab_size: tokens.size)
    sizes = range(9, 1, -1)
    assert [remembered(np.zeros((1, size), dtype=np.int64), 2) for size in sizes] == list(sizes)


def test_what_was_asked_longest_ago_is_forgotten_and_no_more():
    asked = []
    remembered = recently(lambda number: asked.append(number) or number)
    for number in [*range(13), *range(12, 0, -1), 0]:
        assert remembered(number) == number
    assert asked == [*range(13), 0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2), np.zeros(2, dtype=np.int64)),
        ({"W": np.ones(2)}, {"P": np.ones(2)}),
        ({"W": np.ones(2), "P": np.zeros(2)}, {"W": np.zeros(2), "P": np.ones(2)}),
    ],
    ids=["shape", "type", "name", "values"],
)
def test_arguments_that_differ_in_one_thing_are_told_apart(first, second):
    answers = iter(range(9))
    remembered = recently(lambda value: next(answers))
    assert [remembered(first), remembered(second), remembered(first)] == [0, 1, 0]


def test_a_fit_ends_where_rounding_drowns_any_layer():
    """A finer rate would only drown it deeper, and costs a training."""
    asked = []

    def measured(rate):
        asked.append(rate)
        return Sized(np.array([rate**2, 1.0]), np.array([0.0, 2.0]))

    with pytest.raises(NotAdmitted, match="above rounding"):
        fit(measured)
    assert len(asked) == RATES


def fitted_from(first_layer, second_layer):
    """The coarsest rate of the fit of two layers, each given as (size, noise) at a rate."""

    def measured(rate):
        (size, noise), (other, others_noise) = first_layer(rate), second_layer(rate)
        return Sized(np.array([size, other]), np.array([noise, others_noise]))

    return fit(measured).rates[0]


def clear(rate):
    return rate**2, 0.0


def test_one_rate_that_rounding_drowns_ends_a_fit():
    finest = COARSEST / 2 ** (RATES - 1)
    with pytest.raises(NotAdmitted, match="above rounding"):
        fitted_from(clear, lambda rate: (rate**2, 2.0 if rate == finest else 0.0))


def test_a_fit_is_refined_until_every_layer_is_in_its_regime():
    def bent(rate):
        return rate**2 * (3 if rate == COARSEST else 1), 0.0

    assert fitted_from(clear, clear) == COARSEST
    assert fitted_from(clear, bent) == fitted_from(bent, clear) == COARSEST / 2


def test_a_rate_at_which_one_layer_overflows_is_refined():
    def overflows(rate):
        return (np.inf, np.inf) if rate == COARSEST else clear(rate)

    assert fitted_from(clear, overflows) == fitted_from(overflows, clear) == COARSEST / 2


def test_an_order_is_as_uncertain_as_its_noisiest_rate():
    noises = (0.0, 0.0, 2.0**-14, 0.0)
    measured = [Sized(np.array([4.0**-i]), np.array([noise])) for i, noise in enumerate(noises)]
    (order,) = orders_of(measured)
    assert order.value == 2
    assert order.half_width == exponent([4.0**-i for i in range(RATES)], 4.0**2 * 2.0**-14).half_width > 0
