"""Intervals cover what they should, and corrections hold the error that they promise."""

import numpy as np
import pytest
from scipy import stats

from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference.encoded_text import END, UNKNOWN, consecutive_windows, encode, random_windows
from reference.errors import InputError
from reference.resampling import (
    LEVEL,
    benjamini_hochberg,
    holm,
    over_models,
    over_sequences,
    two_sided_p,
)
from reference.tokenizers import whitespace

CLOSE = gamma(1000, unit_roundoff("float64"))


def test_an_interval_covers_the_mean_as_often_as_it_says():
    trials, n = 300, 60
    values = np.random.default_rng(0).exponential(1.0, (n, trials))
    found = over_sequences(values, seed=0)
    covered = ((found.low <= 1) & (found.high >= 1)).mean()
    # Skewed values cost a percentile interval a little of its level; chance does the rest.
    assert abs(covered - LEVEL) <= DEVIATIONS * np.sqrt(LEVEL * (1 - LEVEL) / trials) + 1 / np.sqrt(n) / 4
    assert np.abs(found.value - values.mean(axis=0)).max() <= CLOSE


def test_models_that_differ_widen_the_interval():
    rng = np.random.default_rng(1)
    alike = rng.normal(0, 1, (4, 50))
    apart = alike + 5 * np.arange(4)[:, None]
    narrow, wide = (over_models(values) for values in (alike, apart))
    assert wide.high - wide.low > 5 * (narrow.high - narrow.low)
    one = over_models(alike[:1])
    single = over_sequences(alike[0], seed=0)
    assert abs((one.high - one.low) / (single.high - single.low) - 1) < 1 / DEVIATIONS
    assert one.value == single.value
    with pytest.raises(InputError, match="two sequences"):
        over_sequences(np.zeros((1, 2)), seed=0)


def test_an_interval_over_models_by_hand():
    """Means of models 1 and 3, of sequences 1/2, 3/2 and 4; variances 2 over 2, and 13/4 over 3."""
    found = over_models(np.array([[0.0, 1.0, 2.0], [1.0, 2.0, 6.0]]))
    models, sequences = 2 / 2, 13 / 4 / 3
    error = np.sqrt(models + sequences)
    freedom = (models + sequences) ** 2 / (models**2 / 1 + sequences**2 / 2)
    assert found.value == pytest.approx(2)
    assert found.high - found.value == pytest.approx(error * stats.t.ppf(0.975, freedom))
    assert found.value - found.low == pytest.approx(found.high - found.value)


@pytest.mark.parametrize("M", [2, 3, 5])
@pytest.mark.parametrize("spread", [(1.0, 0.0, 0.1), (0.3, 1.0, 0.3), (0.0, 1.0, 1.0)])
def test_an_interval_over_few_models_covers_as_often_as_it_says(M, spread):
    """Models, sequences and both at once add something of their own, the true mean is 0.

    The interval may be wider than it needs to be and not narrower. Drawing models again, as one does with
    sequences, covers half of the time with two models and three quarters of it with three.
    """
    rng, n, trials = np.random.default_rng(M), 20, 1000
    of_models, of_sequences, of_both = (
        scale * rng.normal(size=shape)
        for scale, shape in zip(spread, ((M, 1, trials), (1, n, trials), (M, n, trials)), strict=True)
    )
    found = over_models(of_models + of_sequences + of_both)
    covered = ((found.low <= 0) & (found.high >= 0)).mean()
    slack = DEVIATIONS * np.sqrt(LEVEL * (1 - LEVEL) / trials)
    assert covered >= LEVEL - slack
    if spread[0] == 1.0:
        assert covered <= LEVEL + slack  # models alone: it is exactly Student's
        means = (of_models + of_both).mean(axis=1)
        between = ((means.min(axis=0) <= 0) & (means.max(axis=0) >= 0)).mean()
        assert between <= 1 - 2 ** (1 - M) + slack


def test_p_values_are_those_of_the_t_test():
    values = np.random.default_rng(2).normal(0.3, 1, (20, 5))
    assert np.abs(two_sided_p(values) - stats.ttest_1samp(values, 0).pvalue).max() <= CLOSE
    assert two_sided_p(np.zeros((3, 1))).tolist() == [1.0]
    assert two_sided_p(np.ones((3, 1))).tolist() == [0.0]


def test_holm_by_hand():
    assert holm(np.array([0.04, 0.01, 0.03])).tolist() == [0.06, 0.03, 0.06]
    assert holm(np.array([0.5, 0.9])).tolist() == [1.0, 1.0]


def test_corrections_hold_what_they_promise_where_nothing_is_there():
    """Twenty true nulls, a thousand times: most have a false finding; corrected, one in twenty."""
    trials, nulls = 1000, 20
    p = np.random.default_rng(3).random((trials, nulls))
    any_found = {
        name: np.mean([(correct(row) < 0.05).any() for row in p])
        for name, correct in {"none": lambda row: row, "holm": holm, "bh": benjamini_hochberg}.items()
    }
    slack = DEVIATIONS * np.sqrt(0.05 * 0.95 / trials)
    assert any_found["none"] > 0.5
    assert any_found["holm"] <= 0.05 + slack
    assert any_found["bh"] <= 0.05 + slack


def test_text_is_split_by_document_and_rare_words_are_unknown():
    documents = [f"a b {'c' if i % 2 else 'a'} w{i}" for i in range(10)]
    text = encode(documents, whitespace, vocab_size=5, test_share=0.3, seed=0)
    assert text.vocabulary[:2] == (UNKNOWN, END)
    assert set(text.vocabulary[2:]) == {"a", "b", "c"}
    assert (len(text.train), len(text.test)) == (35, 15)
    assert (text.train == 1).sum() == 7
    assert text.text([1, 0]) == [END, UNKNOWN]
    assert text.is_mark.tolist() == [False, True, False, False, False]
    again = encode(documents, whitespace, vocab_size=5, test_share=0.3, seed=0)
    assert (again.train == text.train).all()
    with pytest.raises(InputError, match="has 1 documents, and one of them"):
        encode(["a"], whitespace, vocab_size=5, test_share=0.3, seed=0)
    with pytest.raises(InputError, match="leave nothing to learn"):
        encode(documents, whitespace, vocab_size=5, test_share=1.0, seed=0)


def test_words_of_test_documents_alone_are_unknown():
    """Were they in the vocabulary, what is tested on would have been looked at."""
    text = encode([f"a w{i} w{i}" for i in range(10)], whitespace, vocab_size=99, test_share=0.3, seed=0)
    own = {*text.vocabulary} - {UNKNOWN, END, "a"}
    assert len(own) == 7
    assert text.text(text.test.tolist()) == ["a", UNKNOWN, UNKNOWN, END] * 3
    assert UNKNOWN not in text.text(text.train.tolist())


def test_windows_are_pieces_of_the_stream():
    stream = np.arange(50)
    windows = random_windows(np.random.default_rng(0), stream, 200, 6)
    assert (np.diff(windows, axis=1) == 1).all()
    assert {windows.min(), windows.max()} == {0, 49}
    assert consecutive_windows(stream, 3, 6)[:, 0].tolist() == [0, 7, 14]
    assert len(consecutive_windows(stream, 99, 6)) == 7
    with pytest.raises(InputError, match="no window of 51"):
        consecutive_windows(stream, 1, 50)
