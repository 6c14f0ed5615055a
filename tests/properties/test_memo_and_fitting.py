"""What is remembered of a corpus, and what a fit does not ask for again."""

import numpy as np
import pytest

from properties.check import NotAdmitted
from properties.fitting import RATES, Sized, fit
from properties.memo import by_corpus


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


def test_a_fit_ends_where_rounding_drowns_any_layer():
    """A finer rate would only drown it deeper, and costs a training."""
    asked = []

    def measured(rate):
        asked.append(rate)
        return Sized(np.array([rate**2, 1.0]), np.array([0.0, 2.0]))

    with pytest.raises(NotAdmitted, match="above rounding"):
        fit(measured)
    assert len(asked) == RATES
