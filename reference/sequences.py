"""Documents to a corpus: count, choose the vocabulary, cut sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np

from reference.corpus import Corpus
from reference.errors import InputError
from reference.text import read_documents
from reference.tokenizers import Tokenizer, tokenizer

Layout = Literal["document", "stream"]
# Attention is quadratic in the length; a longer sequence is a slip of the keyboard.
LONGEST = 1_000_000


def read_corpus(
    path: Path,
    *,
    vocab_size: int | None = None,
    length: int,
    tokenizer_name: str = "words",
    layout: Layout = "document",
) -> Corpus:
    """Return the corpus of a text file; see `build_corpus` for the options and the errors."""
    _check_sizes(vocab_size, length)
    tokenize = tokenizer(tokenizer_name)
    documents = read_documents(path)
    return build_corpus(
        documents, tokenize, vocab_size=vocab_size, length=length, layout=layout, name=path.name
    )


def build_corpus(
    documents: Iterable[str],
    tokenize: Tokenizer,
    *,
    vocab_size: int | None = None,
    length: int,
    layout: Layout = "document",
    name: str = "text",
) -> Corpus:
    """Return the corpus of `documents`.

    The vocabulary is the `vocab_size` most frequent tokens of all documents (all of them by default), ties
    in alphabetical order. With layout `document` (the paper's) each document without a token outside the
    vocabulary and with at least `length` + 1 tokens gives one sequence, its first `length` + 1 tokens. With
    layout `stream` the documents are joined in order, tokens outside the vocabulary left out, and cut into
    consecutive windows of `length` + 1 tokens; a rest too short for a window is left out.

    Raises:
        InputError: a size is not positive, the text has fewer words than asked, or no sequence results.
    """
    _check_sizes(vocab_size, length)
    tokenized = [tokenize(document) for document in documents]
    vocabulary = _most_frequent(tokenized, vocab_size, name)
    number = {word: i for i, word in enumerate(vocabulary)}
    numbered = [[number.get(token, -1) for token in document] for document in tokenized]
    cut = _by_document if layout == "document" else _by_stream
    tokens, counts = cut(numbered, length)
    if not len(tokens):
        raise InputError(_nothing_left(name, layout, length, len(vocabulary), counts))
    return Corpus(tokens=tokens, vocabulary=vocabulary, name=name, counts=counts)


def _check_sizes(vocab_size: int | None, length: int) -> None:
    if length < 1:
        raise InputError(f"A sequence needs at least one predicted position; --length is {length}.")
    if length > LONGEST:
        raise InputError(f"A sequence has at most {LONGEST:,} predicted positions; --length is {length}.")
    if vocab_size is not None and vocab_size < 1:
        raise InputError(f"A vocabulary needs at least one word; --vocab is {vocab_size}.")


def _most_frequent(tokenized: Sequence[list[str]], vocab_size: int | None, name: str) -> tuple[str, ...]:
    frequency = Counter(chain.from_iterable(tokenized))
    if vocab_size is not None and vocab_size > len(frequency):
        raise InputError(
            f"{name} has {len(frequency):,} different tokens, fewer than --vocab {vocab_size:,}; "
            f"give --vocab {len(frequency)} or less, or leave it out."
        )
    ranked = sorted(frequency, key=lambda token: (-frequency[token], token))
    return tuple(ranked[:vocab_size])


def _by_document(numbered: Sequence[list[int]], length: int) -> tuple[np.ndarray, dict[str, int]]:
    known = [document for document in numbered if -1 not in document]
    kept = [document[: length + 1] for document in known if len(document) > length]
    counts = {
        "documents": len(numbered),
        "documents with a token outside the vocabulary": len(numbered) - len(known),
        "documents too short": len(known) - len(kept),
        "sequences": len(kept),
    }
    return np.array(kept, dtype=np.int64).reshape(-1, length + 1), counts


def _by_stream(numbered: Sequence[list[int]], length: int) -> tuple[np.ndarray, dict[str, int]]:
    stream = np.fromiter(chain.from_iterable(numbered), dtype=np.int64)
    known = stream[stream >= 0]
    windows = len(known) // (length + 1)
    counts = {
        "documents": len(numbered),
        "tokens": len(stream),
        "tokens outside the vocabulary": len(stream) - len(known),
        "sequences": windows,
    }
    return known[: windows * (length + 1)].reshape(windows, length + 1), counts


def _nothing_left(name: str, layout: Layout, length: int, vocab_size: int, counts: dict[str, int]) -> str:
    if layout == "stream":
        return f"{name} is shorter than one window of {length + 1} tokens; give a smaller --length."
    unknown = counts["documents with a token outside the vocabulary"]
    return (
        f"{name} gives no sequence: of {counts['documents']:,} documents {unknown:,} have a token outside "
        f"the {vocab_size:,} most frequent and {counts['documents too short']:,} have fewer than "
        f"{length + 1} tokens; give a smaller --length, another --vocab, or --layout stream."
    )
