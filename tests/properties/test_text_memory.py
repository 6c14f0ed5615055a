"""A check that takes a text takes one of many words: nothing it makes is indexed by three of them."""

import tracemalloc

import numpy as np
import pytest

from properties.catalogue import CHECKS
from properties.mutants.mutant import plain
from properties.target import Target
from reference.corpus import Corpus

V = 120
ON_TEXT = [check for check in CHECKS if check.cases.of_corpus is not None]
# About as many distinct words as fit, so that what is kept by pair of words seen is large too.
TEXT = Corpus(
    tokens=np.random.default_rng(0).integers(0, V, (4, 11)), vocabulary=tuple(map(str, range(V))), name="text"
)


@pytest.mark.parametrize("check", ON_TEXT, ids=lambda check: check.id)
def test_a_check_on_a_text_holds_no_array_over_three_words(check):
    case = check.cases.of_corpus(TEXT)
    tracemalloc.start()
    try:
        for _ in check.law(Target(plain()), case):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * V**3 / 2
