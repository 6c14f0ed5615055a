"""Token arrays: sequences or a stream, read in place, and what is refused."""

import tracemalloc

import numpy as np
import pytest

from reference.errors import InputError
from reference.token_arrays import read_token_array

ROWS = np.array([[0, 1, 2, 1], [3, 0, 0, 1], [1, 1, 2, 2]], dtype=np.uint16)


@pytest.fixture
def save(tmp_path):
    def saved(array, **options):
        np.save(tmp_path / "tokens.npy", array, **options)
        return tmp_path / "tokens.npy"

    return saved


def read(path, vocab_size=None, length=None, stream_length=2):
    return read_token_array(path, vocab_size=vocab_size, length=length, stream_length=stream_length)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, ">u4", np.uint64])
def test_sequences_are_taken_as_they_are(dtype, save):
    corpus = read(save(ROWS.astype(dtype)))
    np.testing.assert_array_equal(corpus.tokens, ROWS)
    assert (corpus.vocab_size, corpus.length) == (4, 3)
    assert corpus.vocabulary == ("0", "1", "2", "3")
    assert isinstance(corpus.tokens.base, np.memmap) or isinstance(corpus.tokens, np.memmap)


def test_columns_first_and_the_digest_do_not_depend_on_the_form(save):
    digests = {read(save(form)).digest for form in (ROWS, np.asfortranarray(ROWS), ROWS.astype(np.int32))}
    assert len(digests) == 1


def test_sequences_are_cut_and_those_with_other_tokens_left_out(save):
    corpus = read(save(ROWS), vocab_size=3, length=2)
    np.testing.assert_array_equal(corpus.tokens, ROWS[[0, 2], :3])
    assert corpus.counts == {
        "documents": 3,
        "documents with a token outside the vocabulary": 1,
        "sequences": 2,
    }


def test_a_sequence_is_left_out_for_another_token_wherever_that_stands(save):
    corpus = read(save(np.array([[0, 1, 0, 9], [1, 0, 1, 0]])), vocab_size=2, length=1)
    np.testing.assert_array_equal(corpus.tokens, [[1, 0]])


def test_a_negative_number_is_named_by_its_place(save, monkeypatch):
    monkeypatch.setattr("reference.token_arrays.TOKENS_AT_ONCE", 8)
    rows = np.zeros((9, 4), dtype=np.int64)
    rows[5, 2] = -1
    with pytest.raises(InputError, match=r"negative number at \[5\]"):
        read(save(rows))


def test_a_flat_array_is_a_stream(save):
    corpus = read(save(ROWS.ravel()), vocab_size=3, length=None)
    np.testing.assert_array_equal(corpus.tokens, [[0, 1, 2], [1, 0, 0], [1, 1, 1]])
    assert corpus.counts == {
        "tokens": 12,
        "tokens outside the vocabulary": 1,
        "tokens left after the last window": 2,
        "sequences": 3,
    }
    np.testing.assert_array_equal(read(save(ROWS.ravel()), length=5).tokens, ROWS.reshape(2, 6))


def test_parts_are_put_together(save, monkeypatch):
    monkeypatch.setattr("reference.token_arrays.TOKENS_AT_ONCE", 5)
    monkeypatch.setattr("reference.corpus.TOKENS_AT_ONCE", 5)
    test_sequences_are_cut_and_those_with_other_tokens_left_out(save)
    test_a_flat_array_is_a_stream(save)


@pytest.mark.parametrize(
    ("array", "options", "told"),
    [
        (ROWS.astype(float), {}, "holds float64 and no token numbers"),
        (ROWS.astype(bool), {}, "holds bool"),
        (ROWS.astype(object), {}, "cannot be read as an array"),
        (ROWS.astype(str), {}, "no token numbers"),
        (ROWS[None], {}, "has 3 axes"),
        (ROWS[:0], {}, "is empty"),
        (ROWS[:, :1], {}, "sequences of 1 tokens"),
        (ROWS, {"length": 4}, "too few for --length 4; give --length 3 or less"),
        (ROWS, {"length": 0}, "--length is 0"),
        (ROWS, {"vocab_size": 1}, "gives no sequence of 4 tokens below 1"),
        (ROWS.ravel(), {"length": 20}, "gives no sequence of 21 tokens"),
        (ROWS.astype(np.int64) - 1, {}, r"negative number at \[0\]"),
        (ROWS.astype(np.int64) << 40, {}, "give --vocab V"),
    ],
)
def test_what_is_no_token_array_is_told(array, options, told, save):
    with pytest.raises(InputError, match=told):
        read(save(array, allow_pickle=True), **options)


@pytest.mark.parametrize("cut", [0, 5, 100, 140])
def test_a_damaged_file_is_told(cut, save):
    path = save(ROWS)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match="cannot be read as an array"):
        read(path)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(InputError, match="no corpus file"):
        read(tmp_path / "none.npy")


def test_a_header_that_says_it_is_long_is_refused_before_room_is_made(tmp_path):
    path = tmp_path / "tokens.npy"
    path.write_bytes(b"\x93NUMPY\x02\0" + (2**31 - 1).to_bytes(4, "little") + b"{}")
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="header is to be 2,147,483,647 bytes long"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
