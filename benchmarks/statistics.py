"""The statistics engine against the dense published algorithm: python -m benchmarks.statistics --json FILE.

At V = 3,000 and T = 200, in one run: the marginal cost of a sequence for both (from two corpus sizes, so
that one-off costs drop out), the cost of a pair, how the cost grows with N, and whether the number of
threads shows in the result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from benchmarks.dense_statistics import dense_statistics
from benchmarks.measuring import Record, Target, median_seconds, options, seconds
from benchmarks.synthetic_text import zipf_tokens
from gpu.compiled import usable_threads
from gpu.engines import engine
from gpu.progress import Progress
from gpu.streaming import first_statistics, go_through, stream_statistics
from gpu.sums import FirstSums
from gpu.tokens import Parts

V, T = 3000, 200
PAIRS = T * (T + 1) // 2
DENSE_SIZES = (2, 10)
SIZES = (4096, 8192, 16384, 32768, 65536)
# What the dense algorithm and ours may differ by: float32 sums of this many terms.
COMPARED = 10


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options(__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="a text to time as well, as a stream")
    asked = parser.parse_args()
    tokens = zipf_tokens(SIZES[-1], T, V, seed=0)
    record = Record("statistics")
    stream_statistics([tokens[:COMPARED]], V)  # compiles
    dense = dense_cost(tokens, asked.runs)
    times = {size: median_seconds(counting(tokens[:size]), asked.runs) for size in SIZES}
    slope, exponent = marginal(times), growth(times)
    whole = seconds(lambda: stream_statistics(Parts(tokens), V))
    record.measured = {
        "dense_milliseconds_a_sequence": 1e3 * dense,
        "milliseconds_a_sequence": 1e3 * slope,
        "seconds_by_sequences": times,
        "threads": usable_threads(),
        "difference_from_dense": difference(tokens[:COMPARED]),
    }
    record.targets = [
        Target("dense cost a sequence over ours", dense / slope, at_least=1500),
        Target("nanoseconds a pair", 1e9 * slope / PAIRS, at_most=4),
        Target("exponent of the cost in N", exponent, at_least=0.95, at_most=1.05),
        Target("thread counts that change a bit", changed_bits(tokens[:2048]), at_most=0),
        Target(f"seconds, all statistics of {SIZES[-1]:,} sequences", whole, at_most=15),
    ]
    if asked.corpus is not None:
        record.targets.append(corpus_target(asked.corpus))
    for name, value in record.measured.items():
        print(f"{name}: {value}")
    return record.finish(asked.json)


def dense_cost(tokens: np.ndarray, runs: int) -> float:
    """Return the marginal seconds a sequence of the dense algorithm."""
    few, many = (torch.tensor(tokens[:size].astype(np.int64)) for size in DENSE_SIZES)
    extra = median_seconds(lambda: dense_statistics(many, V), runs) - median_seconds(
        lambda: dense_statistics(few, V), runs
    )
    return extra / (len(many) - len(few))


def counting(tokens: np.ndarray) -> Callable[[], None]:
    """Return the work of both passes over `tokens`, without the V x V products between them."""
    chosen = engine("compiled", "cpu", None)
    G_bar = first_statistics(progress_over(tokens[:COMPARED]).first)["G_bar"]

    def work() -> None:
        progress = progress_over(tokens)
        progress.begin_second_pass()
        second = progress.second
        assert second is not None
        go_through(Parts(tokens), progress, lambda part: chosen.add_second(part, G_bar, second), lambda: None)

    return work


def progress_over(tokens: np.ndarray) -> Progress:
    """Return the progress after the first pass."""
    chosen = engine("compiled", "cpu", None)
    progress = Progress(FirstSums.zero(V, T))
    go_through(Parts(tokens), progress, lambda part: chosen.add_first(part, progress.first), lambda: None)
    return progress


def marginal(times: dict[int, float]) -> float:
    """Return the seconds that one more sequence costs: the slope between the smallest and the largest."""
    small, large = min(times), max(times)
    return (times[large] - times[small]) / (large - small)


def growth(times: dict[int, float]) -> float:
    """Return p of the fit seconds ~ N^p."""
    slope, _ = np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)
    return float(slope)


def changed_bits(tokens: np.ndarray) -> int:
    """Return how many of 2, 3 and 5 threads give another result than 1."""
    one = stream_statistics([tokens], V, threads=1)
    others = [stream_statistics([tokens], V, threads=threads) for threads in (2, 3, 5)]
    return sum(any((other[name] != one[name]).any() for name in one) for other in others)


def difference(tokens: np.ndarray) -> dict[str, float]:
    """Return the largest difference from the dense algorithm, over the largest entry, by statistic."""
    dense = dense_statistics(torch.tensor(tokens.astype(np.int64)), V)
    ours = stream_statistics([tokens], V)
    return {
        name: float(np.abs(dense[name].numpy() - value).max() / np.abs(value).max())
        for name, value in ours.items()
    }


def corpus_target(path: Path) -> Target:
    """Time all statistics of a text file as a stream, after tokenizing it."""
    from reference.sequences import read_corpus

    corpus = read_corpus(path, vocab_size=V, length=T, layout="stream")
    taken = seconds(lambda: stream_statistics(Parts(corpus.tokens), V))
    return Target(
        f"seconds, all statistics of {path.name} ({corpus.sequences:,} sequences)", taken, at_most=4
    )


if __name__ == "__main__":
    sys.exit(main())
