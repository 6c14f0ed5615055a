"""Prints what a training step holds at once on a CPU, as the system has it, and as `step_bytes` counts it.

Its arguments are the sequences of a batch, T, V, L and the type of the weights.
"""

import sys
from pathlib import Path

from gpu_corpora import corpus

from gpu.memory import step_bytes
from gpu.training import train_model
from gpu.training_settings import Settings


def _step(batch, T, V, layers, dtype):
    settings = Settings(V, layers, rate=0.5, steps=1, batch=batch, dtype=dtype)
    train_model(corpus(batch, T, V), settings)
    return step_bytes(settings, T, "cpu")


def _now(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(what))


def _main(dtype, *sizes):
    # What the libraries take for themselves, for both kinds of steps.
    for small in ((1, 3, 4, 1), (200, 4, 3, 1)):
        _step(*small, dtype)
    before = _now("VmRSS")
    counted = _step(*map(int, sizes), dtype)
    print(_now("VmHWM") - before, counted)


if __name__ == "__main__":
    _main(*sys.argv[1:])
