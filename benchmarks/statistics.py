"""The statistics engine against the dense published algorithm: python -m benchmarks.statistics --json FILE.

At V = 3,000 and T = 200, in one run: the marginal cost of a sequence for both (from two corpus sizes, so
that one-off costs drop out), the cost of a pair, how the cost grows with N (fitted to the least of five
rounds, see benchmarks/growth.py), whether the number of threads shows in the result, and how far both results
are apart, over the bound of their rounding.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks import growth
from benchmarks.dense_statistics import dense_statistics
from benchmarks.measuring import (
    Record,
    Target,
    options,
    over_bound,
    peak_gibibytes,
    processor_seconds,
    seconds,
)
from benchmarks.synthetic_text import following_tokens
from gpu.engines import engine
from gpu.progress import Progress
from gpu.streaming import stream_statistics
from gpu.sums import FirstSums, SecondSums
from gpu.team import Team
from gpu.tokens import Parts
from gpu.two_passes import go_through
from properties.statistics_bounds import statistics_magnitudes
from reference.processors import usable_processors
from reference.sequences import read_corpus

V, T = 3000, 200
PAIRS = T * (T + 1) // 2
DENSE_SIZES = (2, 10)
SIZES = (8192, 16384, 32768, 65536)
WHOLE = SIZES[-1]
# Windows of a text of 14,434 stories, without words that are not frequent.
WINDOWS = 13_924
# Sequences that both algorithms' results are compared on.
COMPARED = 10


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("The statistics engine against the dense published algorithm.")
    parser.add_argument(
        "--corpus", type=Path, metavar="FILE", help="a text to time with, as a stream, repeated as needed"
    )
    asked = parser.parse_args()
    memory = memory_growth()
    text = None if asked.corpus is None else stream(asked.corpus)
    tokens = following_tokens(WHOLE, T, V, seed=0) if text is None else np.resize(text, (WHOLE, T + 1))
    stream_statistics([tokens[:COMPARED]], V)  # compiles
    work = {size: counting(tokens[:size]) for size in SIZES}
    rounds = [one_round(tokens, work) for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    middle["exponent"] = growth.exponent(work)
    record = Record("statistics")
    record.measured = middle | {
        "corpus": "synthetic, see benchmarks/synthetic_text.py"
        if asked.corpus is None
        else asked.corpus.name,
        "rounds": rounds,
        "threads": usable_processors(),
        "peak_gibibytes": peak_gibibytes(),
    }
    record.targets = [
        Target("dense cost of a sequence over ours", middle["ratio"], at_least=1500),
        Target("nanoseconds a pair", middle["nanoseconds_a_pair"], at_most=4),
        Target("exponent of the cost in N", middle["exponent"], at_least=0.95, at_most=1.05),
        Target("memory of 4 times the parts over that of the parts", memory, at_most=1.05),
        Target("thread counts that change a bit", changed_bits(tokens[:2048]), at_most=0),
        Target("difference from dense over its bound", difference(tokens[:COMPARED]), at_most=1),
        whole_target(tokens, f"{WHOLE:,} sequences", at_most=15),
        # Without a text as many synthetic sequences: no target drops out.
        whole_target(tokens[:WINDOWS], f"{WINDOWS:,} sequences", at_most=4)
        if text is None
        else whole_target(text, f"{len(text):,} windows of the corpus", at_most=4),
    ]
    for name, value in middle.items():
        print(f"{name}: {value:.4g}")
    return record.finish(asked.json)


def one_round(tokens: np.ndarray, work: Mapping[int, Callable[[], None]]) -> dict[str, float]:
    """Measure both algorithms once, one after the other: ours by `work`, a call by its number of sequences.

    Costs are slopes between two corpus sizes.
    """
    few, many = (torch.tensor(tokens[:size].astype(np.int64)) for size in DENSE_SIZES)
    dense = seconds(lambda: dense_statistics(many, V)) - seconds(lambda: dense_statistics(few, V))
    dense /= len(many) - len(few)
    least, most = min(work), max(work)
    ours = (seconds(work[most]) - seconds(work[least])) / (most - least)
    cost = (processor_seconds(work[most]) - processor_seconds(work[least])) / (most - least)
    return {
        "dense_milliseconds_a_sequence": 1e3 * dense,
        "milliseconds_a_sequence": 1e3 * ours,
        "ratio": dense / ours,
        "nanoseconds_a_pair": 1e9 * ours / PAIRS,
        "processor_nanoseconds_a_pair": 1e9 * cost / PAIRS,
    }


def counting(tokens: np.ndarray) -> Callable[[], None]:
    """Return the work of both passes over `tokens`: into sums that are in memory, without V x V products."""
    chosen = engine("compiled", "cpu", None, Team(), tokens.astype(np.uint32), V)
    first, second = FirstSums.zero(V, T), SecondSums.zero(V, T)
    for array in (first.count, first.share, second.by_cell):
        array.fill(0)  # memory is not there before it is written to
    G_bar = stream_statistics([tokens[:COMPARED]], V)["G_bar"]

    def nothing(sequences: int) -> None:
        pass

    def work() -> None:
        progress: Any = Progress(V, T, first)
        go_through(Parts(tokens), progress, lambda part: chosen.add_first(part, first), nothing)
        progress = Progress(V, T, first, second)
        go_through(Parts(tokens), progress, lambda part: chosen.add_second(part, G_bar, second), nothing)

    return work


def changed_bits(tokens: np.ndarray) -> int:
    """Return how many of 2, 3 and 5 threads give another result than 1."""
    one = stream_statistics([tokens], V, threads=1)
    others = [stream_statistics([tokens], V, threads=threads) for threads in (2, 3, 5)]
    return sum(any((other[name] != one[name]).any() for name in one) for other in others)


def difference(tokens: np.ndarray) -> float:
    """Return the largest difference from the dense algorithm over the bound of both roundings."""
    dense = dense_statistics(torch.tensor(tokens.astype(np.int64)), V)
    magnitudes = statistics_magnitudes(tokens.astype(np.int64), V)
    return max(
        over_bound(
            dense[name].numpy(),
            value,
            magnitudes[name].bound("float32") + magnitudes[name].bound("float64"),
        )
        for name, value in stream_statistics([tokens], V).items()
    )


def memory_growth() -> float:
    """Return the peak memory after a corpus of 16 parts over that after 4; the process must be young.

    Parts are made when they are asked for.
    """
    peaks = []
    for count in (4, 16):
        stream_statistics(Made(count), V)
        peaks.append(peak_gibibytes())
    return peaks[1] / peaks[0]


@dataclass(frozen=True)
class Made:
    """Parts that are nowhere until they are asked for."""

    count: int

    def __iter__(self) -> Iterator[np.ndarray]:
        return (following_tokens(2048, T, V, seed=seed) for seed in range(self.count))


def stream(path: Path) -> np.ndarray:
    """Return the windows of a text file."""
    return read_corpus(path, vocab_size=V, length=T, layout="stream").tokens


def whole_target(tokens: np.ndarray, name: str, at_most: float) -> Target:
    """Time all statistics of a corpus that is in memory."""
    taken = seconds(lambda: stream_statistics(Parts(tokens), V))
    return Target(f"seconds, all statistics of {name}", taken, at_most=at_most)


if __name__ == "__main__":
    sys.exit(main())
