"""Numbering tokens as they are met, by pieces that are remembered, is the same as counting them."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference import tokenized
from reference.tokenized import tokenize
from reference.tokenizers import BY_PIECE, characters, whitespace, words

# White space of all kinds, marks, a final sigma's neighbours, letters that change when composed or lowered.
AWKWARD = st.text(
    "ab'\u2019 \t\n\u00a0\u2003\u3000\u0301\u0331\u03a3\u03c3\u03c2.İée\u0327床3_\u200d", max_size=30
)


def plainly(documents, tokens_of):
    """Count, rank with ties in the order of code points, and number, one document at a time."""
    found = [tokens_of(document) for document in documents]
    frequency = Counter(token for tokens in found for token in tokens)
    ranked = sorted(frequency, key=lambda token: (-frequency[token], token))
    number = {word: i for i, word in enumerate(ranked)}
    return [[number[token] for token in tokens] for tokens in found], tuple(ranked)


@given(st.lists(AWKWARD, min_size=1, max_size=5), st.sampled_from([words, whitespace, characters]))
def test_ranks_are_those_of_counting(documents, tokens_of):
    expected, ranked = plainly(documents, tokens_of)
    if not ranked:
        return
    found = tokenize(documents, tokens_of, "text")
    assert found.words == ranked
    assert [part.tolist() for part in np.split(found.ranks, found.ends[:-1])] == expected


@given(AWKWARD, st.sampled_from(sorted(BY_PIECE, key=lambda tokens_of: tokens_of.__name__)))
def test_the_tokens_of_a_text_are_those_of_its_pieces(text, tokens_of):
    assert [token for piece in text.split() for token in tokens_of(piece)] == tokens_of(text)


def test_a_full_memory_of_pieces_changes_nothing(monkeypatch):
    documents = ["a b c a, b", "c d a b."]
    expected = tokenize(documents, words, "text")
    monkeypatch.setattr(tokenized, "MOST_PIECES", 1)
    found = tokenize(documents, words, "text")
    assert found.words == expected.words
    np.testing.assert_array_equal(found.ranks, expected.ranks)


def test_ranks_take_the_smallest_type_that_holds_them():
    few, many = (tokenize([" ".join(map(str, range(n)))], whitespace, "text") for n in (256, 257))
    assert (few.ranks.dtype, many.ranks.dtype) == (np.uint8, np.uint16)
    assert few.ranks.max() == 255
    assert many.ranks.max() == 256
