"""A training of which a step cannot fit is refused before it begins, and no other one is."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import gpu.memory
from gpu.memory import check_memory, step_bytes
from gpu.step_choice import paths_pay
from gpu.training_settings import Settings
from reference.errors import InputError

CPU = torch.device("cpu")
# By what takes the most: (batch, T, V, layers), the type of the weights, and whether the step is by paths.
MEASURED = {
    "attention": ((1, 4000, 20, 2), "float32", False),
    "logits": ((40, 1500, 40, 1), "float32", False),
    "weights": ((2, 30, 1500, 2), "float64", False),
    "tables": ((1000, 16, 1000, 2), "float32", True),
}


# Each is measured in a process of its own, of some seconds.
DEAR = ("attention", "tables")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a peak")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.deep) if name in DEAR else name for name in MEASURED]
)
def test_a_step_takes_what_is_counted_or_more_and_less_than_twice_that(name):
    sizes, dtype, by_paths = MEASURED[name]
    assert paths_pay(*sizes) == by_paths
    call = [sys.executable, str(Path(__file__).with_name("measured_step.py")), dtype, *map(str, sizes)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
    measured, counted = map(int, done.stdout.split())
    assert counted <= measured < 2 * counted


@pytest.mark.parametrize("name", MEASURED)
def test_the_limit_is_where_a_step_fills_the_memory(name, monkeypatch):
    (batch, T, V, layers), dtype, _ = MEASURED[name]
    settings = Settings(V, layers, rate=0.5, steps=1, batch=batch, dtype=dtype)
    needed = step_bytes(settings, T, "cpu")
    monkeypatch.setattr(gpu.memory, "physical_memory", lambda: needed)
    check_memory(settings, T, CPU)
    monkeypatch.setattr(gpu.memory, "physical_memory", lambda: needed - 1)
    with pytest.raises(InputError, match="give a smaller --vocab, --length or --batch"):
        check_memory(settings, T, CPU)
    monkeypatch.setattr(gpu.memory, "physical_memory", lambda: None)
    check_memory(settings, 10**9, CPU)


def test_a_sequence_that_is_too_long_is_told_before_anything_is_made_of_it(monkeypatch):
    """Its weights would fit: the system would end the process without a word."""
    monkeypatch.setattr(gpu.memory, "physical_memory", lambda: 1 << 36)
    with pytest.raises(InputError, match=r"1 sequence of 100,000 positions needs at least 316\.7 GiB"):
        check_memory(Settings(50, 2, rate=0.5, steps=1, batch=1), 100_000, CPU)
