"""Exact series and proofs: python -m benchmarks.exact_series --json FILE.

The series engine against the same descent written out in scalars (`theory.plain_descent`, the route that
certificates are checked by), in one run and to the same fractions; and a proof for every corpus of a size.
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Callable
from typing import Any

from flint import fmpq

from benchmarks.measuring import Record, Target, options, peak_gibibytes, processor_seconds
from theory.certificates import prove
from theory.plain_descent import plain_descent
from theory.series import descend

# Sequences, positions, words, layers, steps, order in eta.
SIZES = (12, 10, 8, 2, 4, 6)
# Words, positions and layers of the proof.
PROVED = (2, 3, 2)


def main() -> int:
    """Measure, print, write, and return the exit status."""
    asked = options("Exact series against the same descent in scalars, and a proof.").parse_args()
    rounds = [one_round() for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    record = Record("exact_series")
    record.measured = middle | {"rounds": rounds, "peak_gibibytes": peak_gibibytes()}
    record.targets = [
        Target("scalars over series, processor time", middle["ratio"], at_least=5),
        Target("processor seconds of the proof", middle["proof_seconds"], at_most=12),
    ]
    for name, value in middle.items():
        print(f"{name}: {value:.4g}")
    return record.finish(asked.json)


def one_round() -> dict[str, float]:
    """Measure both engines on the same tokens, and the proof."""
    N, T, V, L, steps, order = SIZES
    chance = random.Random(0)
    tokens = [[chance.randrange(V) for _ in range(T + 1)] for _ in range(N)]
    series, in_series = processor_seconds_of(lambda: descend(tokens, V, L, steps, order))
    plain, in_scalars = processor_seconds_of(
        lambda: plain_descent(tokens, [fmpq(1, N)] * N, V, L, steps, order)[-1]
    )
    for k, matrix in enumerate(in_series.group("W_O")[0]):
        assert all(matrix[i, j] == in_scalars.W_O[i][j][k] for i in range(V) for j in range(V))
    return {
        "series_seconds": series,
        "scalars_seconds": plain,
        "ratio": plain / series,
        "proof_seconds": processor_seconds(lambda: prove(*PROVED)),
    }


def processor_seconds_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor time of one call, and its result."""
    found: list[Any] = []
    taken = processor_seconds(lambda: found.append(work()))
    return taken, found[0]


if __name__ == "__main__":
    sys.exit(main())
