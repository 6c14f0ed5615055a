"""The one loader of corpora: from any source, tokenized once, cut as the options say."""

from __future__ import annotations

import hashlib
import unicodedata
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from gpu.corpus_cache import kept
from gpu.options import DEFAULT_LENGTH
from reference.corpus import Corpus
from reference.errors import InputError
from reference.hub import HUB_CORPORA
from reference.jsonl import DEFAULT_FIELD
from reference.sequences import Layout, build_corpus, check_sizes, cut_sequences
from reference.sources import Source, find_source
from reference.stories import stories
from reference.token_arrays import read_token_array
from reference.tokenized import Tokenized, tokenize
from reference.tokenizers import BY_NAME, Tokenizer, tokenizer

EMBEDDED_STORIES = 300


@dataclass(frozen=True)
class CorpusOptions:
    """What determines a corpus, besides the content of files.

    Attributes:
        place: a text file, a folder of them, .jsonl, .ndjson, .parquet, a token array .npy, or the name of a
            data set (`reference.hub`); None for the embedded stories.
        vocab_size: V; all words by default.
        length: T; by default 40, or what the sequences of a token array have.
        tokenizer: see `reference.tokenizers.tokenizer`.
        layout: see `reference.sequences.cut_sequences`.
        field: the field of .jsonl or the column of .parquet that holds the text.
        seed: of the embedded stories.
        cached: whether what is tokenized is kept in the user's cache folder, see `gpu.corpus_cache`.
    """

    place: str | None = None
    vocab_size: int | None = None
    length: int | None = None
    tokenizer: str = "words"
    layout: Layout = "document"
    field: str = DEFAULT_FIELD
    seed: int = 0
    cached: bool = True


def load_corpus(options: CorpusOptions) -> Corpus:
    """Return the corpus that the options name.

    Raises:
        InputError: the source or an option cannot give a corpus; see `reference.sources`,
            `reference.token_arrays` and `reference.sequences.cut_sequences`.
    """
    T = DEFAULT_LENGTH if options.length is None else options.length
    check_sizes(options.vocab_size, T)
    tokens_of = tokenizer(options.tokenizer)
    if options.place is None:
        name = f"{EMBEDDED_STORIES} embedded stories, seed {options.seed}"
        told = stories(EMBEDDED_STORIES, options.seed)
        return build_corpus(
            told, tokens_of, vocab_size=options.vocab_size, length=T, layout=options.layout, name=name
        )
    if is_token_array(options.place):
        return read_token_array(
            Path(options.place),
            vocab_size=options.vocab_size,
            length=options.length,
            stream_length=DEFAULT_LENGTH,
        )
    source = find_source(options.place, options.field)
    return cut_sequences(
        _tokenized(source, tokens_of, options),
        vocab_size=options.vocab_size,
        length=T,
        layout=options.layout,
        name=source.name,
    )


def _tokenized(source: Source, tokens_of: Tokenizer, options: CorpusOptions) -> Tokenized:
    """Return the tokens of a source, those that are kept if there are; InputError if it changes meanwhile."""
    if not options.cached:
        return tokenize(source.documents(), tokens_of, source.name)

    def made_of() -> str:
        return f"{source.digest()} {_rules(options.tokenizer)}"

    def make() -> Tokenized:
        found = tokenize(source.documents(), tokens_of, source.name)
        # Or tokens of one text would be kept under the digest of another.
        if made_of() != before:
            raise InputError(
                f"{source.name} or its tokenizer changed while it was read; run the command again."
            )
        return found

    before = made_of()
    return kept(before, make)


def is_token_array(place: str) -> bool:
    """Return whether `place` is the path of a token array."""
    return place not in HUB_CORPORA and Path(place).suffix.lower() == ".npy" and not Path(place).is_dir()


def _rules(name: str) -> str:
    """Return what determines how a text is tokenized: the tokenizer, and the tables it uses."""
    if name in BY_NAME:
        return f"{name}, form 2, Unicode {unicodedata.unidata_version}"
    try:
        library = version("tokenizers")
    except PackageNotFoundError:
        library = "none"
    return f"{hashlib.sha256(Path(name).read_bytes()).hexdigest()}, tokenizers {library}"
