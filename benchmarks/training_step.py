"""A training step by paths against the dense published model: python -m benchmarks.training_step --json FILE.

At V = 3,000, T = 200 in float32, in one run, on a CPU or a GPU (`--device`). A step costs a part that does
not depend on the batch (the tables of paths) and a part for each sequence; both are measured from two batch
sizes, since a whole dense step of 2,048 sequences takes a quarter of an hour. The tokens are independent, so
that a sequence has more distinct ones than a text has, and paths gain less from those that come again.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from benchmarks.measuring import Record, Target, options, peak_gibibytes, seconds
from benchmarks.synthetic_text import zipf_tokens
from gpu.boundary import usable_device
from gpu.command_line import run_command
from gpu.gradients import loss_and_gradients
from gpu.model import Transformer
from gpu.paths import path_loss_and_gradients
from gpu.step_choice import paths_pay
from gpu.training_settings import Settings

V, T = 3000, 200
# Layers, batch, and how many times faster than dense a step must be.
GOALS = ((1, 256, 8.0), (3, 256, 2.5), (3, 2048, 6.0))
# The larger one costs as much again as the tables do, or their noise would be taken for a sequence's time.
DENSE_SIZES, PATH_SIZES = (2, 10), (4, 256)


def main() -> int:
    """Measure, print, write, and return the exit status."""
    parser = options("A training step by paths against the dense published model.")
    parser.add_argument("--device", default="cpu", help="where to compute (cpu)")
    asked = parser.parse_args()
    device = usable_device(asked.device)
    tokens = torch.tensor(zipf_tokens(max(PATH_SIZES), T, V, seed=0).astype(np.int64), device=device)
    record = Record("training_step")
    for layers in sorted({layers for layers, _, _ in GOALS}):
        model = started(layers, asked.device)
        record.measured[f"difference_from_dense_{layers}_layers"] = difference(model, tokens[:4])
        rounds = [one_round(model, tokens) for _ in range(asked.runs)]
        record.measured[f"rounds_{layers}_layers"] = rounds
        for wanted, batch, least in GOALS:
            if wanted == layers:
                ratio = statistics.median(
                    cost(one["dense"], batch) / cost(one["paths"], batch) for one in rounds
                )
                record.targets.append(
                    Target(f"{layers} layers, batch {batch}: dense over paths", ratio, least)
                )
                assert paths_pay(batch, T, V, layers)
    record.measured["distinct_tokens_a_sequence"] = float(np.mean([len(row[:-1].unique()) for row in tokens]))
    record.measured["peak_gibibytes"] = peak_gibibytes()
    for name, value in record.measured.items():
        print(f"{name}: {value}")
    return record.finish(asked.json)


def started(layers: int, device: str) -> Transformer:
    """Return a model whose weights are small and not zero."""
    settings = Settings(V, layers, rate=0.0, steps=0, batch=1, start_size=1.0, start_decay=0.0)
    return settings.start(T, torch.device(device))


def one_round(model: Transformer, tokens: torch.Tensor) -> dict[str, tuple[float, float]]:
    """Return the seconds of a step that do not depend on the batch, and those of a sequence, for both."""
    return {
        "dense": parts(lambda size: loss_and_gradients(model, tokens[:size]), DENSE_SIZES),
        "paths": parts(lambda size: path_loss_and_gradients(model, tokens[:size]), PATH_SIZES),
    }


def parts(step: Callable[[int], object], sizes: tuple[int, int]) -> tuple[float, float]:
    """Return intercept and slope of the time of a step."""
    few, many = (seconds(partial(settled, step, size)) for size in sizes)
    each = (many - few) / (sizes[1] - sizes[0])
    return max(0.0, few - sizes[0] * each), each


def settled(step: Callable[[int], object], size: int) -> None:
    """Take a step, and wait until a GPU has done all of it."""
    step(size)
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def cost(measured: tuple[float, float], batch: int) -> float:
    """Return the seconds of a step."""
    return measured[0] + batch * measured[1]


def difference(model: Transformer, tokens: torch.Tensor) -> dict[str, float]:
    """Return how far the gradients are from the dense ones, over their length, by group."""
    ours, dense = path_loss_and_gradients(model, tokens)[1], loss_and_gradients(model, tokens)[1]
    return {group: float((ours[group] - dense[group]).norm() / dense[group].norm()) for group in dense}


if __name__ == "__main__":
    run_command(lambda: sys.exit(main()), "training_step")
