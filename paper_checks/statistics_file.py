"""Statistics of a corpus on disk: safetensors with the vocabulary and provenance in its metadata."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from reference.corpus import Corpus
from reference.errors import InputError


def write_statistics(path: Path, corpus: Corpus, statistics: Mapping[str, np.ndarray]) -> None:
    """Write the statistics beside `path` first, then rename.

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
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        save_file({name: np.ascontiguousarray(value) for name, value in statistics.items()}, beside, metadata)
        beside.replace(path)
    except Exception as error:  # safetensors wraps the operating system's errors in its own
        beside.unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error}; name another file.") from None


def summary(corpus: Corpus, statistics: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return what the statistics are of, and the shape, Frobenius norm and extremes of each."""
    return {
        "corpus": corpus.name,
        "digest": corpus.digest,
        "sequences": corpus.sequences,
        "length": corpus.length,
        "vocab_size": corpus.vocab_size,
        "counts": corpus.counts,
        "statistics": {
            name: {
                "shape": list(value.shape),
                "norm": float(np.linalg.norm(value)),
                "least": float(value.min()),
                "largest": float(value.max()),
            }
            for name, value in statistics.items()
        },
    }
