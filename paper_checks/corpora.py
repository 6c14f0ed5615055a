"""The corpus that a command works on: a file, or the embedded stories."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from reference.corpus import Corpus
from reference.sequences import build_corpus, read_corpus
from reference.stories import stories
from reference.tokenizers import tokenizer

EMBEDDED_STORIES = 300


def load_corpus(
    path: Path | None,
    *,
    vocab_size: int | None,
    length: int,
    tokenizer_name: str,
    layout: Literal["document", "stream"],
    seed: int,
) -> Corpus:
    """Return the corpus in `path`, or that of the embedded stories, generated from `seed`.

    Raises:
        InputError: the file or an option cannot give a corpus; see `reference.sequences.build_corpus`.
    """
    if path is not None:
        return read_corpus(
            path, vocab_size=vocab_size, length=length, tokenizer_name=tokenizer_name, layout=layout
        )
    return build_corpus(
        stories(EMBEDDED_STORIES, seed),
        tokenizer(tokenizer_name),
        vocab_size=vocab_size,
        length=length,
        layout=layout,
        name=f"{EMBEDDED_STORIES} embedded stories, seed {seed}",
    )
