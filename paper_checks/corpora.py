"""The corpus that the checks run on: int64 tokens in memory, from any source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from gpu import corpora
from reference.corpus import Corpus
from reference.jsonl import DEFAULT_FIELD
from reference.memory import check_matrices
from reference.sequences import Layout
from reference.token_arrays import positions_of


def positions(place: str | None, most: int) -> int:
    """Return `most` positions, or what the sequences of a token array have if that is less.

    Raises:
        InputError: it is no token array, and is named like one.
    """
    has = positions_of(Path(place)) if place is not None and corpora.is_token_array(place) else None
    return most if has is None else max(1, min(has, most))


def load_corpus(
    place: str | Path | None,
    *,
    matrices: int = 1,
    vocab_size: int | None,
    length: int | None,
    tokenizer_name: str,
    layout: Layout,
    seed: int,
    field: str = DEFAULT_FIELD,
    cached: bool = True,
) -> Corpus:
    """Return the corpus at `place`; see `gpu.corpora` for the options and the errors.

    `matrices` is how many of [V, V] the work on it holds at its height, as was measured; a vocabulary of
    which so many do not fit into the memory is refused.
    """
    options = corpora.CorpusOptions(
        None if place is None else str(place), vocab_size, length, tokenizer_name, layout, field, seed, cached
    )
    loaded = corpora.load_corpus(options)
    check_matrices(loaded.vocab_size, matrices)
    return replace(loaded, tokens=np.array(loaded.tokens, dtype=np.int64))
