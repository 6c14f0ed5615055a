"""Reading a text: python -m benchmarks.reading --json FILE [--corpus FILE].

Numbering words as they are met, by pieces that are remembered, against counting all words first and looking
each of them up, in one run and to the same numbers; and what a corpus that was kept takes.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Record, Target, options, peak_gibibytes, processor_seconds
from benchmarks.synthetic_text import following_tokens
from gpu import cache_folder, corpus_cache
from reference.text import SEPARATOR, read_documents
from reference.tokenized import Tokenized, tokenize
from reference.tokenizers import words

V, T, DOCUMENTS = 3000, 200, 5000


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("Reading a text.")
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="a text instead of a synthetic one")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt" if asked.corpus is None else asked.corpus
        if asked.corpus is None:
            path.write_text(synthetic(), encoding="utf-8")
        os.environ[cache_folder.FOLDER_VARIABLE] = folder
        rounds = [one_round(path) for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    record = Record("reading")
    record.measured = middle | {
        "corpus": "synthetic, see benchmarks/synthetic_text.py" if asked.corpus is None else path.name,
        "rounds": rounds,
        "peak_gibibytes": peak_gibibytes(),
    }
    record.targets = [Target("counting first over numbering", middle["ratio"], at_least=1.5)]
    for name, value in middle.items():
        print(f"{name}: {value:.4g}")
    return record.finish(asked.json)


def not_kept() -> Tokenized:
    """Stand where a corpus would be made anew: here it must have been kept."""
    raise AssertionError("the corpus was not kept")


def one_round(path: Path) -> dict[str, float]:
    """Measure both ways once, and reading back what was kept."""
    found: list[Any] = []
    counting = processor_seconds(lambda: found.append(counted_first([*read_documents(path)])))
    numbering = processor_seconds(lambda: found.append(tokenize(read_documents(path), words, path.name)))
    corpus_cache.kept(path.name, lambda: found[1])
    kept = processor_seconds(lambda: found.append(corpus_cache.kept(path.name, not_kept)))
    (numbers, ranked), tokenized, again = found
    assert tokenized.words == again.words == ranked
    assert np.array_equal(tokenized.ranks, numbers)
    assert np.array_equal(again.ranks, numbers)
    return {
        "counting_seconds": counting,
        "numbering_seconds": numbering,
        "ratio": counting / numbering,
        "kept_seconds": kept,
        "tokens": len(numbers),
    }


def counted_first(documents: Sequence[str]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return the ranks of all words and the words: count, rank, and look each word up."""
    tokenized = [words(document) for document in documents]
    frequency = Counter(chain.from_iterable(tokenized))
    ranked = tuple(sorted(frequency, key=lambda word: (-frequency[word], word)))
    rank = {word: i for i, word in enumerate(ranked)}
    return np.array([rank[word] for document in tokenized for word in document]), ranked


def synthetic() -> str:
    """Return documents of made-up words with the frequencies of a language."""
    letters = "etaoinshrdlucmfw"
    spelled = ["".join(letters[int(digit, 16)] for digit in f"{number:x}") for number in range(V)]
    tokens = following_tokens(DOCUMENTS, T, V, seed=0)
    return f"\n{SEPARATOR}\n".join(" ".join(spelled[number] for number in row) for row in tokens)


if __name__ == "__main__":
    sys.exit(main())
