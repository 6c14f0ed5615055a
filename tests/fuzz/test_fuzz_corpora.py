"""Damaged corpora: text, folders, JSON lines, Parquet, token arrays, tokenizer files."""

import io
import json
from functools import partial

import numpy as np
import pytest
from fuzzing import PROFILES, Reader, hold

from gpu.corpora import CorpusOptions, load_corpus
from reference.sources import find_source
from reference.tokenizers import tokenizer

TEXT = "Tom saw a cat .\n<|endoftext|>\nDer Käfer läuft , läuft .\r\n<|endoftext|>\n\n".encode()
LINES = b'{"text": "Tom saw a cat .", "n": 1}\n\n{"text": "a dog\\r\\nran", "n": [2]}\n'
TOKENIZER = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "tom": 1, "cat": 2}, "unk_token": "[UNK]"},
}


def array_bytes(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def parquet_bytes(folder):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    texts = arrow.table({"text": ["Tom saw a cat .", "a dog ran"], "n": [1, 2]})
    made = []
    for compression in ("none", "snappy", "gzip"):
        parquet.write_table(texts, folder / "made", compression=compression)
        made.append((folder / "made").read_bytes())
    return made


def read_documents(path):
    source = find_source(str(path))
    assert len(source.digest()) == 64
    return list(source.documents())


def load(path, **options):
    return load_corpus(CorpusOptions(str(path), length=2, cached=False, **options))


READERS = [
    Reader("text", "a.txt", lambda _: [TEXT, b"word " * 50], load),
    Reader("text in windows", "a.txt", lambda _: [TEXT], partial(load, layout="stream", vocab_size=5)),
    Reader("characters", "a.txt", lambda _: [TEXT], partial(load, tokenizer="chars")),
    Reader("folder", "a.txt", lambda _: [TEXT], lambda path: read_documents(path.parent)),
    Reader("JSON lines", "a.jsonl", lambda _: [LINES], load),
    Reader("Parquet", "a.parquet", parquet_bytes, read_documents),
    Reader(
        "token array",
        "a.npy",
        lambda _: [
            array_bytes(np.arange(12).reshape(3, 4) % 5),
            array_bytes(np.arange(12, dtype=np.uint16)),
            array_bytes(np.asfortranarray(np.ones((2, 3), dtype=">i4"))),
        ],
        load,
    ),
    Reader(
        "tokenizer",
        "t.json",
        lambda _: [json.dumps(TOKENIZER).encode()],
        lambda path: tokenizer(str(path))("tom saw a cat"),
    ),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_damaged_corpus_is_read_or_refused(reader, tmp_path, profile):
    hold(reader, tmp_path, profile)
