"""Corpora that a statistic should not look like: the same tokens without order, and another text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from jaxtyping import Int64

from reference.corpus import Corpus
from reference.errors import InputError
from reference.sequences import build_corpus
from reference.sources import find_source
from reference.stories import stories
from reference.tokenizers import tokenizer

# Fewer of its tokens known than this, and another text's words are matched by rank of frequency.
KNOWN_SHARE = 0.5
GENERATED_STORIES = 2000


@dataclass(frozen=True)
class OtherCorpus:
    """Another text as tokens over the same numbers, and how its words got them."""

    tokens: Int64[np.ndarray, "N T_plus_1"]
    told: str


def other_corpus(path: Path | None, corpus: Corpus, tokenizer_name: str, seed: int) -> OtherCorpus:
    """Return the text in `path`, or stories from the grammar, cut into windows of the same length.

    A word that both have keeps its number. Where less than half of the text is such words, its words are
    numbered by their own rank of frequency instead, which is what numbers mean in `corpus`.

    Raises:
        InputError: the text cannot be read or is shorter than one window.
    """
    documents = stories(GENERATED_STORIES, seed) if path is None else list(find_source(str(path)).documents())
    name = f"{GENERATED_STORIES:,} generated stories" if path is None else path.name
    tokenized = [tokenizer(tokenizer_name)(document) for document in documents]
    number = {word: i for i, word in enumerate(corpus.vocabulary)}
    words = list(chain.from_iterable(tokenized))
    known = [number[word] for word in words if word in number]
    if len(known) >= KNOWN_SHARE * len(words):
        cut = _windows(np.array(known, dtype=np.int64), corpus.length, name)
        return OtherCorpus(cut, f"{name}: {len(known) / len(words):.0%} of its words are known here")
    tokenize = tokenizer(tokenizer_name)
    own = build_corpus(documents, tokenize, length=corpus.length, layout="stream", name=name)
    frequent = own.tokens.ravel()
    cut = _windows(frequent[frequent < corpus.vocab_size], corpus.length, name)
    return OtherCorpus(
        cut,
        f"{name}: {len(known) / len(words):.0%} of its words are known here, so words are matched by rank of "
        "frequency",
    )


def _windows(stream: Int64[np.ndarray, " tokens"], length: int, name: str) -> Int64[np.ndarray, "N T_plus_1"]:
    count = len(stream) // (length + 1)
    if count == 0:
        raise InputError(f"{name} has no window of {length + 1} known tokens; give a longer text.")
    return stream[: count * (length + 1)].reshape(count, length + 1)
