"""Documents from files of each kind, folders and the hub, and what is told where there are none."""

import json
import struct
import sys
import types

import pytest

from reference.errors import InputError
from reference.hub import HUB_CORPORA
from reference.sources import find_source

DOCUMENTS = ["one day, Tom ran.", "", "Él dijo: ¡床前!\nsí"]


def documents(place, **options):
    return list(find_source(str(place), **options).documents())


def write_jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_parquet(path, rows, field="text"):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"id": list(range(len(rows))), field: rows}), path)


def test_a_text_file_a_folder_json_lines_and_parquet_hold_the_same(tmp_path):
    text = "\n<|endoftext|>\n".join(DOCUMENTS)
    (tmp_path / "one.txt").write_text(text, encoding="utf-8")
    write_jsonl(tmp_path / "two.jsonl", [{"text": text} for text in DOCUMENTS])
    write_parquet(tmp_path / "three.parquet", DOCUMENTS)
    folder = tmp_path / "folder"
    for i, document in enumerate(DOCUMENTS):
        (folder / "b").mkdir(parents=True, exist_ok=True)
        (folder / "b" / f"{i}.txt").write_text(document, encoding="utf-8")
    for place in ("one.txt", "two.jsonl", "three.parquet", "folder"):
        assert [d.strip() for d in documents(tmp_path / place)] == DOCUMENTS, place


def test_line_breaks_are_the_same_from_every_source(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\rc")
    write_jsonl(tmp_path / "a.jsonl", [{"text": "a\r\nb\rc"}])
    write_parquet(tmp_path / "a.parquet", ["a\r\nb\rc"])
    assert {tuple(documents(tmp_path / f"a.{kind}")) for kind in ("txt", "jsonl", "parquet")} == {
        ("a\nb\nc",)
    }


def test_a_folder_is_read_in_the_order_of_paths_without_what_is_no_text(tmp_path):
    for name in ("b.txt", "a/c.txt", "a.txt", ".hidden.txt", ".git/x.txt", "notes.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    assert documents(tmp_path) == ["a.txt", "a/c.txt", "b.txt"]


def test_a_very_long_line_is_one_document(tmp_path):
    line = "once upon a time " * 300_000
    (tmp_path / "long.txt").write_text(line)
    write_jsonl(tmp_path / "long.jsonl", [{"text": line}])
    assert documents(tmp_path / "long.txt") == documents(tmp_path / "long.jsonl") == [line]


def test_another_field_and_blank_lines(tmp_path):
    path = tmp_path / "a.ndjson"
    path.write_text('\ufeff{"story": "a", "text": 3}\n\n  \n{"story": "b"}\n', encoding="utf-8")
    assert documents(path, field="story") == ["a", "b"]
    write_parquet(tmp_path / "a.parquet", ["a", "b"], field="story")
    assert documents(tmp_path / "a.parquet", field="story") == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"text": "a"}\n{"text": 3}\n', "line 2 has no text in 'text' but 3"),
        (b'{"text": null}\n', "line 1 has no text in 'text' but null"),
        (b'{"story": "a", "id": 1}\n', r"line 1 has no field 'text' \(it has story, id\)"),
        (b'{"text": "a"\n', "line 1 is not JSON"),
        (b'["a"]\n', "line 1 is a list and no object"),
        (b"[" * 100_000 + b"\n", "line 1 is not JSON"),
        (b'{"text": "a"}\n{"text": "\xff"}\n', "not UTF-8 .byte 0xff in line 2"),
    ],
)
def test_a_line_that_gives_no_text_is_named(content, told, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        documents(path)


def test_text_in_parquet_that_is_not_utf_8_is_told_with_its_row(tmp_path):
    """Arrow neither writes nor reads it: it takes what a file calls text for text."""
    pyarrow = pytest.importorskip("pyarrow")
    offsets, text = pyarrow.py_buffer(struct.pack("<3i", 0, 2, 4)), pyarrow.py_buffer(b"ab\xffc")
    write_parquet(
        tmp_path / "a.parquet", pyarrow.Array.from_buffers(pyarrow.string(), 2, [None, offsets, text])
    )
    with pytest.raises(InputError, match=r"row 1 has a value in 'text' that cannot be read .*0xff"):
        documents(tmp_path / "a.parquet")


def test_a_parquet_file_that_gives_no_text_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    write_parquet(path, ["a", None])
    with pytest.raises(InputError, match="row 1 has no text in 'text' but None"):
        documents(path)
    with pytest.raises(InputError, match=r"no column 'story' \(it has id, text\)"):
        documents(path, field="story")
    with pytest.raises(InputError, match="row 0 has no text in 'id' but 0"):
        documents(path, field="id")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="cannot be read as a Parquet file"):
        documents(path)


def test_without_pyarrow_there_is_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'leadterms\[parquet\]'"):
        documents(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("place", "told"),
    [("missing.jsonl", "no corpus file"), ("nothing", "no corpus file"), ("empty", "holds no .txt file")],
)
def test_a_place_that_holds_nothing_is_named(place, told, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=told):
        find_source(str(tmp_path / place))


def test_digests_tell_contents_and_ways_of_reading_apart(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a", "story": "b"}\n')
    (tmp_path / "a.txt").write_text('{"text": "a", "story": "b"}\n')
    (tmp_path / "b.txt").write_text("other")
    one = find_source(str(tmp_path / "a.jsonl")).digest()
    others = [
        find_source(str(tmp_path / "a.jsonl"), field="story").digest(),
        find_source(str(tmp_path / "a.txt")).digest(),
        find_source(str(tmp_path / "b.txt")).digest(),
        find_source(str(tmp_path)).digest(),
        find_source("tinystories").digest(),
    ]
    assert len({one, *others}) == 6
    assert find_source(str(tmp_path / "a.jsonl")).digest() == one


class Rows:
    """What `datasets.load_dataset` returns, as far as it is used."""

    def iter(self, batch_size):
        yield {"text": DOCUMENTS[:2]}
        yield {"text": [document.replace("\n", "\r\n") for document in DOCUMENTS[2:]]}


def fake_datasets(monkeypatch, load):
    module = types.ModuleType("datasets")
    module.load_dataset = load
    monkeypatch.setitem(sys.modules, "datasets", module)


def test_tinystories_comes_from_the_hub_at_a_fixed_revision(monkeypatch):
    asked = []

    def load(repository, revision, split):
        asked.append((repository, revision, split))
        return Rows()

    fake_datasets(monkeypatch, load)
    assert documents("tinystories") == DOCUMENTS
    found = HUB_CORPORA["tinystories"]
    assert asked == [("roneneldan/TinyStories", found.revision, "train")]
    assert len(found.revision) == 40


def test_without_a_network_there_is_a_sentence(monkeypatch):
    def load(repository, revision, split):
        raise ConnectionError("Couldn't reach the Hub\nmore lines")

    fake_datasets(monkeypatch, load)
    with pytest.raises(InputError, match=r"ConnectionError: Couldn't reach the Hub\); check the network"):
        documents("tinystories")


def test_without_datasets_there_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=r"pip install 'leadterms\[hub\]'"):
        documents("tinystories")


def test_a_file_of_a_data_sets_name_is_read_from_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tinystories").write_text("a file")
    assert documents("./tinystories") == ["a file"]


def test_names_in_a_file_are_told_in_one_line_however_many_and_long(tmp_path):
    row = {"a\nb": 1, "": 2, "x" * 1000: 3, **{f"key {i}": 4 for i in range(1000)}}
    (tmp_path / "t.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError) as told:
        list(find_source(str(tmp_path / "t.jsonl")).documents())
    words = str(told.value).removeprefix(str(tmp_path))
    assert "\n" not in words
    assert r"(it has 'a\nb', '', " in words
    assert words.endswith("key 4, 995 more); give --field.")
    assert len(words) < 200
