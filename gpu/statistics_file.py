"""Statistics of a corpus on disk: safetensors, with what they are of in its metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gpu.array_files import write_safetensors
from reference.corpus import Corpus


def write_statistics(path: Path, corpus: Corpus, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays of the statistics whole or not at all.

    Raises:
        InputError: the file cannot be written.
    """
    metadata = {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "sequences": str(corpus.sequences),
        "length": str(corpus.length),
        "vocabulary": json.dumps(corpus.vocabulary, ensure_ascii=False),
    }
    contiguous = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    write_safetensors(path, contiguous, metadata)


def summary(corpus: Corpus, statistics: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the statistics are of, and the shape, Frobenius norm and extremes of each.

    A statistic is a NumPy array, or a SciPy CSR array, of which the entries that are kept are told too.
    """
    return {**corpus_facts(corpus), "statistics": {name: _facts(value) for name, value in statistics.items()}}


def corpus_facts(corpus: Corpus) -> dict[str, Any]:
    """Return what identifies a corpus, and what was left out of it."""
    return {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "sequences": corpus.sequences,
        "length": corpus.length,
        "vocab_size": corpus.vocab_size,
        "counts": corpus.counts,
    }


def _facts(value: Any) -> dict[str, Any]:
    is_sparse = not isinstance(value, np.ndarray)
    entries = value.data if is_sparse else value
    kept = {"entries": int(value.nnz)} if is_sparse else {}
    return {
        "shape": list(value.shape),
        **kept,
        "norm": float(np.linalg.norm(entries)),
        "least": float(entries.min(initial=0.0) if is_sparse else entries.min()),
        "largest": float(entries.max(initial=0.0) if is_sparse else entries.max()),
    }
