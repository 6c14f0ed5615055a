"""The statistics on a GPU against its memory bandwidth: python -m benchmarks.gpu_statistics --json FILE.

A pair (t, k) adds one float64 number to Phi_bar's sum (read and write, 16 bytes), reads one of G_bar (8) and
adds one to Q_bar's sum (16): 40 bytes that move when each pair does, at the bandwidth that a copy in the same
run shows. That is the floor. The fused kernels are held to it; torch's operations, one after the other, are
timed beside them, and so are the counts of B_bar, once a position, and a whole call from NumPy's array to
NumPy's statistics. What is compiled or started for the first time is not timed.

Each engine's result is compared with the compiled one's on the CPU, within the bound of rounding: on a GPU
the order of the sums is not fixed. It takes sequences enough that a program has several queries.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from benchmarks.measuring import Record, Target, options, over_bound
from benchmarks.synthetic_text import following_tokens
from gpu.command_line import run_command
from gpu.engines import EngineName
from gpu.statistics import pair_counts
from gpu.streaming import stream_statistics
from gpu.tokens import Parts
from gpu.torch_sums import TorchSums, eager, fused
from properties.statistics_bounds import statistics_magnitudes

V, T, SEQUENCES, COMPARED = 3000, 200, 16_384, 256
BYTES_A_PAIR = 16 + 8 + 16
# The bytes of a copy, and copies in a row: one alone is over before the time to start it is forgotten.
COPIED, COPIES = 1 << 30, 16


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("The statistics on a GPU against its memory bandwidth.")
    parser.add_argument("--device", default="cuda", help="where to compute (cuda)")
    asked = parser.parse_args()
    ways = {"fused": fused(asked.device), "torch": eager(asked.device)}
    tokens = following_tokens(SEQUENCES, T, V, seed=0)
    on_device = torch.tensor(tokens.astype(np.int64), device=asked.device)
    chance = torch.Generator(asked.device).manual_seed(0)
    G_bar = torch.rand(V, V, generator=chance, dtype=torch.float64, device=asked.device)
    rounds = [one_round(on_device, G_bar, ways) for _ in range(asked.runs)]
    middle = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    middle["counts_seconds"] = settled(partial(pair_counts, on_device, V), on_device.device)
    middle["stream_seconds"] = settled(
        lambda: stream_statistics(Parts(tokens), V, engine_name="fused", device=asked.device),
        on_device.device,
    )
    for name, value in middle.items():
        print(f"{name}: {value:.4g}", flush=True)
    record = Record("gpu_statistics")
    record.measured = middle | {"rounds": rounds, "device": device_name(asked.device)}
    record.targets = [
        Target("time over the floor of memory bandwidth", middle["fused_over_the_floor"], at_most=3),
    ]
    for engine in ("fused", "torch"):
        error = worst_error(tokens[:COMPARED], asked.device, engine)
        record.targets.append(Target(f"error over its bound, {engine}", error, at_most=1))
    return record.finish(asked.json)


def one_round(tokens: torch.Tensor, G_bar: torch.Tensor, ways: dict[str, TorchSums]) -> dict[str, float]:
    """Measure the bandwidth and both passes once, by each way of adding up."""
    block = torch.zeros(COPIED // 8, dtype=torch.float64, device=tokens.device)
    into = torch.empty_like(block)
    copied = settled(lambda: [into.copy_(block) for _ in range(COPIES)], tokens.device)
    bandwidth = 2 * COPIED * COPIES / copied
    pairs = len(tokens) * (tokens.shape[1] - 1) * tokens.shape[1] // 2
    floor = pairs * BYTES_A_PAIR / bandwidth
    found = {"gigabytes_a_second": bandwidth / 1e9, "floor_seconds": floor}
    for name, way in ways.items():
        first = settled(partial(way.prefix_shares, tokens, len(G_bar)), tokens.device)
        second = settled(partial(way.evidence_sums, tokens, G_bar), tokens.device)
        found |= {
            f"{name}_first_pass_seconds": first,
            f"{name}_second_pass_seconds": second,
            f"{name}_nanoseconds_a_pair": 1e9 * (first + second) / pairs,
            f"{name}_over_the_floor": (first + second) / floor,
        }
    return found


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


def worst_error(tokens: np.ndarray, device: str, engine: EngineName) -> float:
    """Return the largest difference from the CPU's statistics over the bound of both roundings."""
    found = stream_statistics([tokens], V, engine_name=engine, device=device)
    magnitudes = statistics_magnitudes(tokens.astype(np.int64), V)
    return max(
        over_bound(found[name], value, 2 * magnitudes[name].bound("float64"))
        for name, value in stream_statistics([tokens], V).items()
    )


def device_name(device: str) -> str:
    """Return what a GPU calls itself."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


if __name__ == "__main__":
    run_command(lambda: sys.exit(main()), "gpu_statistics")
