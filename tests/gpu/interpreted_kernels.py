"""Computes by the fused kernels as Triton's interpreter runs them, which needs no GPU.

Reads corpora [N, T+1] from one file, each with V at the end of its name, and writes to another the statistics
as `name/statistic`, and what the tests say of tensors that are views or too large for 32 bits. Bands are
shorter and programs fewer than on a GPU, so that small corpora have several of each, and the longest
sequences are those of a corpus that is tried.
"""

import mmap
import os
import sys
from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

os.environ["TRITON_INTERPRET"] = "1"

import checked_memory
import numpy as np
import pytest
import torch

from gpu import fused, fused_kernels, torch_sums
from gpu.streaming import stream_statistics
from gpu.tokens import Parts
from reference.errors import InputError

LARGE = 46_500
# Linux's; Python has no name for it before 3.13.
MAP_NORESERVE = 0x4000


def main():
    corpora, out = sys.argv[1:]
    fused.KEYS_OF_A_WARP, fused.PROGRAMS, fused.SHORTEST_BAND, fused.LONGEST = 8, 3, 4, 40
    torch_sums.usable_device = lambda name: torch.device("meta")
    sums = torch_sums.fused("cuda")
    assert sums.device == torch.device("meta"), "not the device that was asked for"
    on_cpu = replace(sums, device=torch.device("cpu"))
    assert (on_cpu.prefix_shares, on_cpu.evidence_sums) == (fused.prefix_shares, fused.evidence_sums)
    torch_sums.fused = lambda device: on_cpu
    fused.how = of_set_device(fused.how)
    checked_memory.watch()
    fused.launch = of_its_tensors(fused.launch)
    refuses_what_is_too_large()
    found = {}
    for name, tokens in np.load(corpora).items():
        V, positions = int(name.split("-")[-1]), max(1, tokens[:, 1:].size // 2)
        for statistic, value in stream_statistics(Parts(tokens, positions), V, engine_name="fused").items():
            found[f"{name}/{statistic}"] = value
    found["straight"], found["strided"] = (np.concatenate(each) for each in zip(*both_ways(), strict=True))
    found["far"] = far_cells()
    np.savez(out, **found)


def of_set_device(how):
    """What the kernels are compiled for, asked for where the device of a tensor is set only."""
    devices = []

    @contextmanager
    def device_of(tensor):
        devices.append(tensor.device)
        yield
        devices.pop()

    def asked(length):
        assert devices == [torch.device("cpu")], "a kernel is launched on whatever device is the current one"
        return how(length)

    torch.cuda.device_of = device_of
    return asked


def of_its_tensors(launch):
    """A launch that may touch what it is given and no more."""

    def held(kernel, programs, *given, longest):
        with checked_memory.only(given):
            launch(kernel, programs, *given, longest=longest)

    return held


def refuses_what_is_too_large():
    """One position more than the longest sequence may have is refused, and one more than all may have."""
    with pytest.raises(InputError, match="takes at most 40 positions, not 41; choose torch"):
        fused.prefix_shares(torch.zeros(1, fused.LONGEST + 2, dtype=torch.int64), 1)
    with mock.patch.object(fused, "MOST_POSITIONS", 6):
        assert fused.prefix_shares(torch.zeros(2, 4, dtype=torch.int64), 1).item() == 6
        with pytest.raises(
            InputError, match="takes at most 6 positions at a time, not 7; give the corpus in"
        ):
            fused.prefix_shares(torch.zeros(1, 8, dtype=torch.int64), 1)


def both_ways():
    """The sums by tensors as they lie, and by views of others."""
    tokens, G_bar = (
        torch.arange(18).view(3, 6) * 5 % 7,
        torch.arange(49.0, dtype=torch.float64).view(7, 7) ** 2,
    )
    apart = torch.stack([tokens.T, tokens.T], dim=2)[..., 0].T
    yield fused.prefix_shares(tokens, 7), fused.prefix_shares(apart, 7)
    straight, strided = fused.evidence_sums(tokens, G_bar), fused.evidence_sums(apart, G_bar.T.contiguous().T)
    yield straight[0], strided[0]


def far_cells():
    """The numbers that the kernels put at the ends of tables with more cells than 32 bits count."""
    V, last = LARGE, LARGE - 1
    corpus = fused.Corpus.of(torch.tensor([[last - 1, last, last]]))
    G_bar, share, by_cell = (table(V) for _ in range(3))
    G_bar[-2:] = torch.tensor([1.0, 3.0])
    by_program = torch.zeros(1, 2, dtype=torch.float64)
    how = (1, 2, V, 0, 2)
    with checked_memory.only([*corpus.arrays, G_bar, by_cell, by_program, share]):
        fused_kernels.add_shares[(1,)](*corpus.arrays, share, *how, LANES=4)
        fused_kernels.add_evidence[(1,)](*corpus.arrays, G_bar, by_cell, by_program, *how, LANES=4)
    return np.stack([share[-2:].numpy(), by_cell[-2:].numpy(), by_program[0].numpy()])


def table(V):
    """V*V zeros of which only those that are used take memory."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    return torch.frombuffer(mmap.mmap(-1, 8 * V * V, flags=flags), dtype=torch.float64)


if __name__ == "__main__":
    main()
