"""All statistics at a GPT-2-sized vocabulary: python -m benchmarks.large_vocabulary --json FILE.

V = 50,257, T = 256 and 2 million independent tokens by Zipf's law, which meet in more different pairs than
the words of a text do. Arrays [V, V] would take 20 GB each; the result is sparse.
"""

from __future__ import annotations

import statistics
import sys
import time

from benchmarks.measuring import Record, Target, options, peak_gibibytes
from benchmarks.synthetic_text import zipf_tokens
from gpu.sparse_statistics import sparse_statistics
from gpu.tokens import Parts
from reference.processors import usable_processors

V, T = 50_257, 256
SEQUENCES = 2_000_000 // T


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("All statistics at a GPT-2-sized vocabulary.")
    parser.add_argument("--sequences", type=int, default=SEQUENCES, help=f"of {T + 1} tokens ({SEQUENCES})")
    asked = parser.parse_args()
    tokens = zipf_tokens(asked.sequences, T, V, seed=0)
    sparse_statistics([tokens[:1]], V)  # compiles
    taken: list[float] = []
    for _ in range(asked.runs):
        start = time.perf_counter()
        found = sparse_statistics(Parts(tokens), V)
        taken.append(time.perf_counter() - start)
    record = Record("large_vocabulary")
    record.measured = {
        "rounds": taken,
        "tokens": tokens.size,
        "entries_of_Q_bar": found.Q_bar.nnz,
        "entries_of_Phi_bar": found.share.nnz,
        "entries_of_B_bar": found.count.nnz,
        "threads": usable_processors(),
    }
    for name, value in record.measured.items():
        print(f"{name}: {value}")
    record.targets = [
        Target("seconds", statistics.median(taken), at_most=300),
        Target("peak memory in GiB", peak_gibibytes(), at_most=8),
    ]
    return record.finish(asked.json)


if __name__ == "__main__":
    sys.exit(main())
