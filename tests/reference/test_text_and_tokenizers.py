import json
import re
import unicodedata

import pytest

from reference.errors import InputError
from reference.text import read_documents
from reference.tokenizers import _combining_marks, characters, tokenizer, whitespace, words


def test_words_are_the_papers():
    assert words('Tom\'s dog, "Rex", ate 12 pies_\n') == (
        ["tom", "'", "s", "dog", ",", '"', "rex", '"', ",", "ate", "1", "2", "pies", "_"]
    )


def test_an_accent_belongs_to_its_letter_however_it_is_written():
    assert words("Cafe\u0301") == words("CAFÉ") == ["café"]


def test_a_capital_is_its_small_letter_also_where_it_has_no_composed_form():
    for letter in "ΐΰǰẗé":
        assert (
            words(letter.upper()) == words(letter) == words(unicodedata.normalize("NFD", letter)) == [letter]
        )


def test_a_mark_that_composes_with_nothing_belongs_to_its_letter():
    assert words("हिन्दी x̂y שָׁלוֹם") == ["हिन्दी", "x̂y", "שָׁלוֹם"]
    # Lower-casing İ leaves a dot above, which is a mark.
    assert words("İstanbul") == ["i̇stanbul"]
    assert words("3\u0331 \u0331a") == ["3", "\u0331", "\u0331", "a"]


def test_every_combining_mark_is_known():
    inside = re.compile(f"[{_combining_marks()}]")
    for code in (*range(0x3000), *range(0xFE00, 0x1F000, 7), *range(0xE0000, 0x110000, 5)):
        assert bool(inside.match(chr(code))) == (unicodedata.category(chr(code))[0] == "M"), hex(code)


def test_an_apostrophe_is_a_token_straight_or_curly():
    assert words("don't") == ["don", "'", "t"]
    assert words("don\u2019t") == ["don", "\u2019", "t"]


def test_cjk_runs_are_words_and_characters_are_characters():
    assert words("床前 明月光") == ["床前", "明月光"]
    assert characters(" 床前\n月 ") == ["床", "前", "\n", "月"]


def test_whitespace_keeps_the_case():
    assert whitespace(" A b\tC\n") == ["A", "b", "C"]


def test_an_unknown_tokenizer_is_named():
    with pytest.raises(InputError, match="no tokenizer 'wrds'"):
        tokenizer("wrds")


def test_a_hugging_face_file_gives_its_own_tokens_and_adds_no_special_one(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    path = tmp_path / "a b.json"
    model.save(str(path))
    assert tokenizer(str(path))("a b a c") == ["a", "b", "a", "?"]


def test_a_tokenizer_that_lacks_its_own_unknown_token_is_told_where_a_text_needs_it(tmp_path):
    tokenizers = pytest.importorskip("tokenizers")
    path = tmp_path / "t.json"
    tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0}, unk_token="?")).save(str(path))
    assert tokenizer(str(path))("a") == ["a"]
    with pytest.raises(InputError, match=r"t\.json cannot split this text: WordLevel error"):
        tokenizer(str(path))("b")


@pytest.mark.parametrize("content", ["", "{}", "[1]", "nonsense", json.dumps({"model": 3})])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path, content):
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(InputError, match="not a Hugging Face tokenizer"):
        tokenizer(str(path))


def test_documents_stand_between_separators(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("\ufeffone\r\n<|endoftext|>\n  \n<|endoftext|>\ntwo\n".encode())
    assert [words(document) for document in read_documents(path)] == [["one"], [], ["two"]]


@pytest.mark.parametrize("block", [1, 3, 7, 15, 20, 30, 1000])
def test_documents_do_not_depend_on_the_blocks_that_are_read(block, tmp_path, monkeypatch):
    path = tmp_path / "t.txt"
    path.write_bytes("\ufeffa é\r\nb\rc<|endoftext|> <|endoftext|>\n床\n<|endoftext|>\n".encode())
    monkeypatch.setattr("reference.text.BLOCK", block)
    assert list(read_documents(path)) == ["a é\nb\nc", " ", "\n床\n"]


class Counted(str):
    """A text that counts the characters that are joined and split."""

    done = 0

    def __add__(self, other):
        Counted.done += len(self) + len(other)
        return Counted(str.__add__(self, other))

    def __radd__(self, other):
        return Counted(other) + self

    def split(self, *given):
        Counted.done += len(self)
        return [Counted(piece) for piece in super().split(*given)]

    def __getitem__(self, place):
        return Counted(super().__getitem__(place))


def test_the_work_on_a_document_grows_with_its_length(tmp_path, monkeypatch):
    """What was searched for a separator is not searched again: twice the blocks are twice the characters."""
    path = tmp_path / "t.txt"
    path.write_text("-")
    block, blocks, work = Counted("cats " * 20), [], []
    monkeypatch.setattr("reference.text._blocks", lambda path: blocks)
    for count in (50, 100):
        blocks[:], Counted.done = [block] * count, 0
        assert list(read_documents(path)) == [block * count]
        work.append(Counted.done)
    assert 0 < work[1] <= 2 * work[0] + len(block)


def test_a_separator_first_or_last_makes_no_document(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("\n<|endoftext|>\none\n<|endoftext|>\n")
    assert list(read_documents(path)) == ["\none\n"]
    path.write_text("\n")
    assert list(read_documents(path)) == ["\n"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"ab\ncd\0ef", "binary .* line 2"),
        (b"ok\nok\ncaf\xe9 \xff", "not UTF-8 .byte 0xe9 in line 3"),
    ],
)
def test_a_file_that_is_no_text_is_told_apart(tmp_path, content, told):
    path = tmp_path / "t.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        list(read_documents(path))


def test_a_file_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    path = tmp_path / "t.txt"
    path.write_text("one two")

    def refused(self, *mode, **options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "open", refused)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        list(read_documents(path))


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(InputError, match="There is no corpus file"):
        list(read_documents(tmp_path / "missing.txt"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_documents(tmp_path))
