"""The statistics on a GPU against its memory bandwidth: python -m benchmarks.gpu_statistics --json FILE.

A pair (t, k) adds one float64 number to Phi_bar's sum (read and write, 16 bytes), reads one of G_bar (8) and
adds one to Q_bar's sum (16): 40 bytes that must move whatever the algorithm, at the bandwidth that a copy in
the same run shows. That is the floor. The result is compared with the compiled engine's on the CPU, within
the bound of rounding: on a GPU the order of the sums is not fixed.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.measuring import Record, Target, options, over_bound
from benchmarks.synthetic_text import following_tokens
from gpu.statistics import evidence_sums, prefix_shares
from gpu.streaming import stream_statistics
from properties.statistics_bounds import statistics_magnitudes

V, T, SEQUENCES, COMPARED = 3000, 200, 512, 16
PAIRS = SEQUENCES * T * (T + 1) // 2
BYTES_A_PAIR = 16 + 8 + 16
COPIED = 1 << 30


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("The statistics on a GPU against its memory bandwidth.")
    parser.add_argument("--device", default="cuda", help="where to compute (cuda)")
    asked = parser.parse_args()
    tokens = following_tokens(SEQUENCES, T, V, seed=0)
    on_device = torch.tensor(tokens.astype(np.int64), device=asked.device)
    G_bar = torch.rand(V, V, dtype=torch.float64, device=asked.device)
    rounds = [one_round(on_device, G_bar) for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    record = Record("gpu_statistics")
    record.measured = middle | {"rounds": rounds, "device": device_name(asked.device)}
    record.targets = [
        Target("time over the floor of memory bandwidth", middle["over_the_floor"], at_most=3),
        Target("error over its bound", worst_error(tokens[:COMPARED], asked.device), at_most=1),
    ]
    for name, value in middle.items():
        print(f"{name}: {value:.4g}")
    return record.finish(asked.json)


def one_round(tokens: torch.Tensor, G_bar: torch.Tensor) -> dict[str, float]:
    """Measure the bandwidth and both passes once."""
    block = torch.zeros(COPIED // 8, dtype=torch.float64, device=tokens.device)
    into = torch.empty_like(block)
    copy = settled(lambda: into.copy_(block), tokens.device)
    first = settled(lambda: prefix_shares(tokens, V), tokens.device)
    second = settled(lambda: evidence_sums(tokens, G_bar), tokens.device)
    bandwidth = 2 * COPIED / copy
    floor = PAIRS * BYTES_A_PAIR / bandwidth
    return {
        "gigabytes_a_second": bandwidth / 1e9,
        "first_pass_seconds": first,
        "second_pass_seconds": second,
        "nanoseconds_a_pair": 1e9 * (first + second) / PAIRS,
        "floor_seconds": floor,
        "over_the_floor": (first + second) / floor,
    }


def settled(work: Callable[[], object], device: torch.device) -> float:
    """Return the time of the second of two calls, until the device has done all of it."""
    for _ in range(2):
        wait(device)
        start = time.perf_counter()
        work()
        wait(device)
        taken = time.perf_counter() - start
    return taken


def wait(device: torch.device) -> None:
    """Wait until the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def worst_error(tokens: np.ndarray, device: str) -> float:
    """Return the largest difference from the CPU's statistics over the bound of both roundings."""
    found = stream_statistics([tokens], V, engine_name="torch", device=device)
    magnitudes = statistics_magnitudes(tokens.astype(np.int64), V)
    return max(
        over_bound(found[name], value, 2 * magnitudes[name].bound("float64"))
        for name, value in stream_statistics([tokens], V).items()
    )


def device_name(device: str) -> str:
    """Return what a GPU calls itself."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


if __name__ == "__main__":
    sys.exit(main())
