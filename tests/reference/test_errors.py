"""Sentences for people: of any length of what they quote, with the name that may have been meant."""

import pytest

from reference.errors import KEPT_OF_BEGINNING, KEPT_OF_END, InputError, counted, meant, no_such_file


@pytest.mark.parametrize("length", [1, 100_000])
def test_a_sentence_keeps_its_beginning_and_its_end_whatever_it_quotes(length):
    told = str(InputError(f"The file names '{'1' * length}', which is no weight; name another."))
    assert told.startswith("The file names '1")
    assert told.endswith("which is no weight; name another.")
    assert len(told) <= KEPT_OF_BEGINNING + KEPT_OF_END + len(" ... ")


def test_a_sentence_stays_one_line_and_steers_no_terminal_whatever_it_quotes():
    for char in "\n\r\v\x1b\x85\u2028\u202e\ud800":
        assert str(InputError(f"a{char}é")) == f"a{repr(char)[1:-1]}é"
    assert str(InputError("a\nb\u2028c\x1b[2Jd\ud800 é 詩.")) == r"a\nb\u2028c\x1b[2Jd\ud800 é 詩."


@pytest.mark.parametrize(
    ("name", "known", "told"),
    [
        ("refrence", ["reference", "gpu"], " Did you mean reference?"),
        ("FISH", ["fish"], " Did you mean fish?"),
        ("fish", ["fish"], ""),
        ("fish", [], ""),
        ("fish", ["table"], ""),
        ("x" * 100, ["x" * 101], f" Did you mean {'x' * 60}...?"),
        ("a\nc", ["a\nb"], r" Did you mean 'a\nb'?"),
    ],
)
def test_the_name_that_is_most_alike_is_proposed(name, known, told):
    assert meant(name, known) == told


def test_a_file_in_the_same_folder_is_proposed(tmp_path):
    (tmp_path / "stories.txt").touch()
    assert str(no_such_file("corpus file", tmp_path / "storys.txt", "check the path")).endswith(
        "storys.txt; check the path. Did you mean stories.txt?"
    )
    assert str(no_such_file("file", tmp_path / "no" / "a.txt", "check the path")).endswith("check the path.")


def test_a_noun_agrees_with_its_number():
    assert [counted(n, "layer") for n in (0, 1, 2000)] == ["0 layers", "1 layer", "2,000 layers"]
