"""Documents to a corpus: choose the vocabulary, cut sequences, and count what is left out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import Int64

from reference.corpus import Corpus
from reference.errors import InputError, counted
from reference.text import name_of, read_documents
from reference.tokenized import Tokenized, tokenize
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
    """Return the corpus of a text file; see `cut_sequences` for the options and the errors."""
    check_sizes(vocab_size, length)
    return build_corpus(
        read_documents(path),
        tokenizer(tokenizer_name),
        vocab_size=vocab_size,
        length=length,
        layout=layout,
        name=name_of(path),
    )


def build_corpus(
    documents: Iterable[str],
    tokens_of: Tokenizer,
    *,
    vocab_size: int | None = None,
    length: int,
    layout: Layout = "document",
    name: str = "text",
) -> Corpus:
    """Return the corpus of `documents`; see `cut_sequences` for the options and the errors."""
    check_sizes(vocab_size, length)
    tokenized = tokenize(documents, tokens_of, name)
    return cut_sequences(tokenized, vocab_size=vocab_size, length=length, layout=layout, name=name)


def cut_sequences(
    tokenized: Tokenized, *, vocab_size: int | None, length: int, layout: Layout, name: str
) -> Corpus:
    """Return the corpus of tokenized documents.

    The vocabulary is the `vocab_size` most frequent tokens of all documents (all of them by default), ties
    in the order of code points. With layout `document` (the paper's) each document without a token outside
    the vocabulary and with at least `length` + 1 tokens gives one sequence, its first `length` + 1 tokens.
    With layout `stream` the documents are joined in order, tokens outside the vocabulary left out, and cut
    into consecutive windows of `length` + 1 tokens; a rest too short for a window is left out.

    Raises:
        InputError: a size is not positive, the text has fewer words than asked, or no sequence results.
    """
    check_sizes(vocab_size, length)
    found = len(tokenized.words)
    V = found if vocab_size is None else vocab_size
    if found < V:
        raise InputError(
            f"{name} has {found:,} different tokens, fewer than --vocab {V:,}; "
            f"give --vocab {found} or less, or leave it out."
        )
    cut = by_document if layout == "document" else by_stream
    tokens, counts = cut(tokenized, V, length)
    if not len(tokens):
        raise InputError(_nothing_left(name, layout, length, V, counts))
    return Corpus(tokens, tokenized.words[:V], name, counts)


def check_sizes(vocab_size: int | None, length: int) -> None:
    """Refuse sizes that are not positive, and a length that is beyond reason.

    Raises:
        InputError: they are so.
    """
    if length < 1:
        raise InputError(f"A sequence needs at least one predicted position; --length is {length}.")
    if length > LONGEST:
        raise InputError(f"A sequence has at most {LONGEST:,} predicted positions; --length is {length}.")
    if vocab_size is not None and vocab_size < 1:
        raise InputError(f"A vocabulary needs at least one word; --vocab is {vocab_size}.")


def by_document(
    tokenized: Tokenized, vocab_size: int, length: int
) -> tuple[Int64[np.ndarray, "N T_plus_1"], dict[str, int]]:
    """Return the first tokens of each document that is long enough and knows no other word, and counts."""
    sizes = np.diff(tokenized.ends, prepend=0)
    begins = (tokenized.ends - sizes)[sizes > 0]
    unknown = np.zeros(len(sizes), dtype=bool)
    # The rarest token of each document that has one.
    unknown[sizes > 0] = np.maximum.reduceat(tokenized.ranks, begins) >= vocab_size
    short = ~unknown & (sizes > 0) & (sizes <= length)
    kept = ~unknown & (sizes > length)
    first = (tokenized.ends - sizes)[kept]
    tokens = tokenized.ranks[first[:, None] + np.arange(length + 1)].astype(np.int64)
    counts = {
        "documents": len(sizes),
        "documents without a token": int((sizes == 0).sum()),
        "documents with a token outside the vocabulary": int(unknown.sum()),
        "documents too short": int(short.sum()),
        "sequences": len(tokens),
    }
    return tokens, counts


def by_stream(
    tokenized: Tokenized, vocab_size: int, length: int
) -> tuple[Int64[np.ndarray, "N T_plus_1"], dict[str, int]]:
    """Return the windows of all documents joined, and counts."""
    known = tokenized.ranks[tokenized.ranks < vocab_size]
    windows = len(known) // (length + 1)
    counts = {
        "documents": len(tokenized.ends),
        "tokens": len(tokenized.ranks),
        "tokens outside the vocabulary": len(tokenized.ranks) - len(known),
        "tokens left after the last window": len(known) - windows * (length + 1),
        "sequences": windows,
    }
    cut = known[: windows * (length + 1)].reshape(windows, length + 1)
    return cut.astype(np.int64), counts


def _nothing_left(name: str, layout: Layout, length: int, vocab_size: int, counts: dict[str, int]) -> str:
    if layout == "stream":
        return f"{name} is shorter than one window of {length + 1} tokens; give a smaller --length."
    unknown = counts["documents with a token outside the vocabulary"]
    return (
        f"{name} gives no sequence; of {counted(counts['documents'], 'document')}, with a token outside the "
        f"{vocab_size:,} most frequent: {unknown:,}, with fewer than {length + 1} tokens: "
        f"{counts['documents too short']:,}; give a smaller --length, another --vocab, or --layout stream."
    )
