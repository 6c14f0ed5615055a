import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.corpus import Corpus, check_tokens
from reference.errors import InputError
from reference.sequences import build_corpus
from reference.stories import PLACES, stories
from reference.tokenizers import whitespace, words

DOCUMENTS = ["a b a b c", "b a", "a a a a b d", "a b b a z"]


def texts(corpus: Corpus) -> list[str]:
    return [" ".join(corpus.vocabulary[i] for i in row) for row in corpus.tokens]


def test_a_document_gives_its_first_tokens():
    corpus = build_corpus(DOCUMENTS, whitespace, length=3)
    assert texts(corpus) == ["a b a b", "a a a a", "a b b a"]
    assert corpus.counts["documents too short"] == 1


def test_the_vocabulary_is_ranked_with_ties_in_alphabetical_order():
    assert build_corpus(DOCUMENTS, whitespace, length=1).vocabulary == ("a", "b", "c", "d", "z")


def test_ties_do_not_depend_on_the_order_of_the_text():
    corpora = [build_corpus(documents, whitespace, length=1) for documents in (["b a c"], ["c b a"])]
    assert [corpus.vocabulary for corpus in corpora] == [("a", "b", "c")] * 2


def test_a_document_with_an_unknown_token_is_dropped_wherever_it_stands():
    corpus = build_corpus(DOCUMENTS, whitespace, vocab_size=2, length=1)
    assert texts(corpus) == ["b a"]
    assert corpus.counts == {
        "documents": 4,
        "documents without a token": 0,
        "documents with a token outside the vocabulary": 3,
        "documents too short": 0,
        "sequences": 1,
    }


def test_a_document_without_a_token_is_counted_by_itself():
    corpus = build_corpus(["a b", "", "b", " \n"], whitespace, length=1)
    assert corpus.counts == {
        "documents": 4,
        "documents without a token": 2,
        "documents with a token outside the vocabulary": 0,
        "documents too short": 1,
        "sequences": 1,
    }


def test_a_text_of_blanks_is_empty():
    with pytest.raises(InputError, match="text is empty: none of its 2 documents has a token"):
        build_corpus([" ", "\n"], whitespace, length=1)


def test_half_a_surrogate_pair_is_told():
    with pytest.raises(InputError, match="half of a surrogate pair"):
        build_corpus(["a \ud800 b"], words, length=1)


def test_a_stream_is_cut_into_windows_and_counts_what_it_left_out():
    corpus = build_corpus(DOCUMENTS, whitespace, vocab_size=2, length=3, layout="stream")
    assert texts(corpus) == ["a b a b", "b a a a", "a a b a"]
    assert corpus.counts == {
        "documents": 4,
        "tokens": 18,
        "tokens outside the vocabulary": 3,
        "tokens left after the last window": 3,
        "sequences": 3,
    }


@given(st.lists(st.text("ab c", max_size=12), min_size=1, max_size=6), st.integers(1, 5))
def test_a_stream_holds_the_tokens_in_their_order(documents, length):
    joined = [token for document in documents for token in document.split()]
    if len(joined) <= length:
        return
    corpus = build_corpus(documents, whitespace, length=length, layout="stream")
    kept = len(joined) // (length + 1) * (length + 1)
    assert [corpus.vocabulary[i] for i in corpus.tokens.ravel()] == joined[:kept]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"length": 0}, "--length is 0"),
        ({"length": -3}, "--length is -3"),
        ({"length": 3, "vocab_size": 0}, "--vocab is 0"),
        ({"length": 3, "vocab_size": 6}, "has 5 different tokens, fewer than --vocab 6"),
        ({"length": 30}, "gives no sequence"),
        ({"length": 300, "layout": "stream"}, "shorter than one window of 301"),
    ],
)
def test_what_cannot_give_a_corpus_is_told(options, told):
    with pytest.raises(InputError, match=told):
        build_corpus(DOCUMENTS, whitespace, **options)


def test_a_slice_renumbers_the_words_it_holds_and_keeps_their_text():
    corpus = build_corpus(stories(20, seed=1), words, length=12)
    part = corpus.slice(sequences=3, length=5)
    assert texts(part) == [" ".join(text.split(" ")[:6]) for text in texts(corpus)[:3]]
    assert part.vocab_size == len(np.unique(part.tokens))


def test_tokens_outside_the_vocabulary_are_pointed_at():
    with pytest.raises(InputError, match=r"Token 3 at \[1, 0\]"):
        check_tokens(np.array([[0, 1], [3, 1]]), 3)


def test_the_digest_tells_corpora_apart_and_is_stable():
    one = build_corpus(stories(5, seed=0), words, length=8)
    assert one.digest == build_corpus(stories(5, seed=0), words, length=8).digest
    assert one.digest != build_corpus(stories(5, seed=1), words, length=8).digest


def test_stories_show_what_the_theory_speaks_of():
    corpus = build_corpus(stories(400, seed=0), words, length=30)
    assert corpus.sequences >= 390
    from reference.statistics import statistics

    found = statistics(corpus.tokens, corpus.vocab_size)
    B, Phi, C = found["B_bar"], found["Phi_bar"], found["Sigma_B"]
    number = corpus.number
    for place, animals in PLACES.items():
        elsewhere = [a for other, some in PLACES.items() if other != place for a in some]
        for animal in animals:
            evidence = Phi[number(animal), number(place)]
            assert evidence > max(Phi[number(a), number(place)] for a in elsewhere)
    assert B[number("was"), number("sad")] > 0
    assert C[number("sad"), number("happy")] > C[number("sad"), number("pond")]
    assert C[number("red"), number("blue")] > C[number("red"), number("happy")]


def test_stories_are_the_same_for_a_seed_on_every_machine():
    assert stories(1, seed=0) == [
        "one day , there was a big garden . ben went to the garden . he was proud . in the garden he saw"
        " a small yellow snail . the bee had a yellow hat and he was sad . the robin was tired and he "
        "was too . the bee was tired and he was too . it was a good day ."
    ]
