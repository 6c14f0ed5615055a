"""The one loader: every source gives the same corpus, kept between runs by what it was made of."""

import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from gpu import corpora, corpus_cache
from gpu.corpora import CorpusOptions, load_corpus
from gpu.corpus_cache import cache_folder
from gpu.streaming import stream_statistics
from gpu.tokens import Parts
from paper_checks.corpora import load_corpus as load_for_checks
from reference.errors import InputError
from reference.sequences import read_corpus

TEXT = "a b a b c\n<|endoftext|>\nb a\n<|endoftext|>\nb a d a b\n"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADTERMS_CACHE", str(tmp_path / "cache" / "deep"))
    return tmp_path / "cache" / "deep"


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text(TEXT)
    return CorpusOptions(str(path), length=3)


@pytest.fixture
def tokenized(monkeypatch):
    """Count how often a text is tokenized."""
    calls, really = [], corpora.tokenize

    def counted(*arguments):
        calls.append(arguments[-1])
        return really(*arguments)

    monkeypatch.setattr(corpora, "tokenize", counted)
    return calls


def same(one, other):
    assert one.digest == other.digest
    assert one.counts == other.counts
    assert one.vocabulary == other.vocabulary


def test_a_corpus_is_tokenized_once_whatever_is_cut_from_it(cache, text, tokenized, tmp_path):
    first = load_corpus(text)
    same(load_corpus(text), first)
    same(first, read_corpus(tmp_path / "t.txt", length=3))
    stream = load_corpus(replace(text, vocab_size=2, length=2, layout="stream"))
    assert stream.counts["tokens outside the vocabulary"] == 2
    assert len(tokenized) == 1
    assert len(list(cache.iterdir())) == 1


def test_other_content_another_tokenizer_and_another_name_are_told_apart(cache, text, tokenized, tmp_path):
    load_corpus(text)
    load_corpus(replace(text, tokenizer="chars"))
    (tmp_path / "copy.txt").write_text(TEXT)
    same(replace(load_corpus(replace(text, place=str(tmp_path / "copy.txt"))), name="t"), load_corpus(text))
    assert len(tokenized) == 2
    (tmp_path / "t.txt").write_text(TEXT + "more words here now\n")
    assert "more" in load_corpus(text).vocabulary
    assert len(tokenized) == 3


def test_another_field_of_a_file_is_told_apart(cache, tmp_path, tokenized):
    (tmp_path / "t.jsonl").write_text('{"text": "a b a", "body": "c d c"}\n')
    options = CorpusOptions(str(tmp_path / "t.jsonl"), length=2)
    assert load_corpus(options).vocabulary == ("a", "b")
    assert load_corpus(replace(options, field="body")).vocabulary == ("c", "d")
    assert len(tokenized) == 2


def test_a_tokenizer_file_that_changes_is_noticed(cache, text, tokenized, tmp_path):
    library = pytest.importorskip("tokenizers")
    for unknown in ("b", "c"):
        model = library.Tokenizer(library.models.WordLevel({"a": 0, unknown: 1}, unk_token=unknown))
        model.pre_tokenizer = library.pre_tokenizers.Whitespace()
        model.save(str(tmp_path / "t.json"))
        found = load_corpus(replace(text, tokenizer=str(tmp_path / "t.json")))
        assert set(found.vocabulary) == {"a", unknown}
    assert len(tokenized) == 2


def test_other_tables_of_characters_make_an_entry_of_their_own(cache, text, tokenized, monkeypatch):
    load_corpus(text)
    monkeypatch.setattr("gpu.corpora.unicodedata.unidata_version", "another")
    load_corpus(text)
    assert len(tokenized) == 2


def test_without_a_cache_nothing_is_kept(cache, text, tokenized):
    load_corpus(replace(text, cached=False))
    load_corpus(replace(text, cached=False))
    assert len(tokenized) == 2
    assert not cache.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda raw: b"",
        lambda raw: raw[:-3],
        lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]),
        lambda raw: raw[: len(raw) // 2] + b"x" + raw[len(raw) // 2 + 1 :],
        lambda raw: b"not a file of ours",
    ],
)
def test_a_damaged_entry_is_made_again(damage, cache, text, tokenized):
    first = load_corpus(text)
    (entry,) = cache.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(damage(whole))
    same(load_corpus(text), first)
    assert len(tokenized) == 2
    assert entry.read_bytes() == whole
    assert list(cache.iterdir()) == [entry]


def test_an_entry_under_another_name_is_not_believed(cache, text, tokenized, tmp_path):
    """Whole, and of another text: a name that was changed by hand does not make it this one's."""
    load_corpus(text)
    (entry,) = cache.iterdir()
    (tmp_path / "u.txt").write_text(TEXT.upper())
    other = replace(text, place=str(tmp_path / "u.txt"))
    expected = load_corpus(other)
    (second,) = set(cache.iterdir()) - {entry}
    second.write_bytes(entry.read_bytes())
    same(load_corpus(other), expected)
    assert len(tokenized) == 3


def test_an_entry_of_another_form_is_made_again(cache, text, tokenized, monkeypatch):
    first = load_corpus(text)
    monkeypatch.setattr(corpus_cache, "KIND", "a later form")
    same(load_corpus(text), first)
    same(load_corpus(text), first)
    assert len(tokenized) == 2


def test_a_cache_that_cannot_be_written_is_done_without(cache, text, monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder would be")
    first = load_corpus(text)
    monkeypatch.setenv("LEADTERMS_CACHE", str(tmp_path / "other"))

    def full(*arguments):
        raise InputError("No space left on device")

    monkeypatch.setattr(corpus_cache, "write_arrays", full)
    same(load_corpus(text), first)


def test_the_cache_is_the_users_unless_it_is_named(monkeypatch, tmp_path):
    monkeypatch.delenv("LEADTERMS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if sys.platform == "linux":
        assert cache_folder() == tmp_path / "leadterms"
    monkeypatch.setenv("LEADTERMS_CACHE", str(tmp_path / "named"))
    assert cache_folder() == tmp_path / "named"


def test_tokens_of_a_kept_hub_corpus_need_no_network(cache, tokenized, monkeypatch):
    import types

    module = types.ModuleType("datasets")
    module.load_dataset = lambda *names, **options: types.SimpleNamespace(
        iter=lambda batch_size: iter([{"text": ["one day tom ran", "two words"]}])
    )
    monkeypatch.setitem(sys.modules, "datasets", module)
    first = load_corpus(CorpusOptions("tinystories", length=3))
    assert first.name == "tinystories"
    monkeypatch.setitem(sys.modules, "datasets", None)
    same(load_corpus(CorpusOptions("tinystories", length=3)), first)


def test_a_token_array_keeps_its_length_its_type_and_its_place_on_disk(tmp_path):
    tokens = np.arange(12, dtype=np.uint16).reshape(3, 4) % 5
    np.save(tmp_path / "t.npy", tokens)
    options = CorpusOptions(str(tmp_path / "t.npy"))
    loaded = load_corpus(options)
    assert loaded.tokens.dtype == np.uint16
    found = stream_statistics(Parts(loaded.tokens), loaded.vocab_size)
    np.testing.assert_array_equal(found["B_bar"], stream_statistics([tokens], 5)["B_bar"])
    for_checks = load_for_checks(
        tmp_path / "t.npy",
        vocab_size=None,
        length=2,
        tokenizer_name="words",
        layout="document",
        seed=0,
    )
    assert for_checks.tokens.dtype == np.int64
    np.testing.assert_array_equal(for_checks.tokens, tokens[:, :3])
    np.save(tmp_path / "flat.npy", np.arange(100) % 7)
    assert load_corpus(CorpusOptions(str(tmp_path / "flat.npy"))).tokens.shape == (2, 41)


def test_the_embedded_stories_follow_the_seed():
    assert load_corpus(CorpusOptions(seed=1)).digest != load_corpus(CorpusOptions()).digest
    assert load_corpus(CorpusOptions()).length == 40


def test_unicode_survives_being_kept(cache, tokenized, tmp_path):
    row = {"text": "Café caf\u0065\u0301 हिन्दी 床前 don\u2019t \U0001f600"}
    path = tmp_path / "t.jsonl"
    path.write_text("\ufeff" + json.dumps(row) + "\r\n", encoding="utf-8", newline="")
    first = load_corpus(CorpusOptions(str(path), length=2))
    assert first.vocabulary == ("café", "don", "t", "हिन्दी", "\u2019", "床前", "\U0001f600")
    same(load_corpus(CorpusOptions(str(path), length=2)), first)
    assert len(tokenized) == 1


def test_a_text_that_changes_while_it_is_read_is_told_and_not_kept(cache, text, tmp_path, monkeypatch):
    really = corpora.tokenize

    def changing(documents, *others):
        with (tmp_path / "t.txt").open("a") as file:
            file.write("e f g h\n")
        return really(documents, *others)

    monkeypatch.setattr(corpora, "tokenize", changing)
    with pytest.raises(InputError, match=r"t\.txt or its tokenizer changed while it was read"):
        load_corpus(text)
    assert not cache.exists()
