"""The fused kernels, without a GPU: interpreted they add up the right sums, and they compile for GPUs."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from gpu_corpora import SHAPES, corpus

from gpu import torch_sums
from gpu.streaming import stream_statistics
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics

ROOT = Path(__file__).resolve().parents[2]
needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="Triton is not installed"
)

# Besides the awkward sizes: bands that are cut short, one word all along, and words in turn.
CORPORA = {f"{number}-{shape[2]}": corpus(*shape) for number, shape in enumerate(SHAPES)} | {
    "bands-9": corpus(3, 40, 9),
    "repeated-3": np.full((2, 12), 1),
    "in turn-4": np.tile(np.arange(4), (3, 6)),
}


def run(script, folder, *arguments):
    """Run a script of this folder by itself, since Triton is told by its environment what to be."""
    command = [sys.executable, str(ROOT / "tests/gpu" / script), *map(str, arguments)]
    environment = os.environ | {"TRITON_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def interpreted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fused")
    np.savez(folder / "corpora.npz", **CORPORA)
    run("interpreted_kernels.py", folder, "corpora.npz", "found.npz")
    return dict(np.load(folder / "found.npz"))


@needs_triton
@pytest.mark.parametrize("name", CORPORA)
def test_the_kernels_compute_the_statistics_within_the_rounding_bound(name, interpreted):
    tokens, V = CORPORA[name], int(name.split("-")[-1])
    magnitudes = statistics_magnitudes(tokens, V)
    for statistic, value in statistics(tokens, V).items():
        found = interpreted[f"{name}/{statistic}"]
        assert found.shape == value.shape
        # Both sides round.
        assert (np.abs(found - value) <= 2 * magnitudes[statistic].bound("float64")).all(), statistic


@needs_triton
def test_tensors_that_are_views_of_others_are_read_as_they_are(interpreted):
    assert interpreted["straight"].any()
    np.testing.assert_array_equal(interpreted["strided"], interpreted["straight"])


@needs_triton
def test_tables_of_more_cells_than_32_bits_count_are_reached_to_their_end(interpreted):
    """By hand: the last word follows itself and the one before it, and G_bar has 1 and 3 in its last row.

    The first position has a share of 1 and an entry of 0, the second two of 1/2 and entries of -1/2 and 1/2.
    """
    np.testing.assert_array_equal(interpreted["far"], [[1.5, 0.5], [-0.5, 0.5], [0.5, -0.5]])


READS, ADDS = ["ld.global.b32", "ld.global.b64"], "{}.global.gpu.relaxed.add.f64"


@needs_triton
@pytest.mark.parametrize(
    ("chips", "lengths"),
    [("90", "1,4096"), pytest.param("80,90,100", "64,200,1000", marks=pytest.mark.deep)],
)
def test_the_kernels_compile_to_additions_that_the_memory_does(chips, lengths, tmp_path):
    """One instruction for each addition, and none that compares and tries again; nothing else is written.

    Products and sums round apart. Triton's versions write the addition in one of two ways, `atom` where the
    sum before it could be read.
    """
    made = json.loads(run("compiled_for_gpus.py", tmp_path, chips, lengths))
    added = [[ADDS.format(how)] for how in ("atom", "red")]
    expected = {
        "mark_repeats": [["ld.global.b32", "st.global.b32"]],
        "add_shares": [sorted(READS + one) for one in added],
        "add_evidence": [sorted([*READS, *one, "st.global.b64"]) for one in added],
    }
    assert {name.split()[0] for name in made} == set(expected)
    for name, touched in made.items():
        assert touched in expected[name.split()[0]], name


@needs_triton
@pytest.mark.parametrize(
    ("length", "lanes", "warps"),
    [(1, 1, 1), (2, 2, 1), (64, 64, 1), (65, 128, 1), (200, 256, 1), (512, 512, 2), (32_768, 32_768, 32)],
)
def test_a_lane_for_each_key_and_a_warp_for_256(length, lanes, warps):
    from gpu import fused

    assert fused.how(length) == {"LANES": lanes, "num_warps": warps, "enable_fp_fusion": False}


@needs_triton
def test_each_band_is_compiled_for_its_own_length(monkeypatch):
    from gpu import fused

    made = []
    monkeypatch.setattr(
        fused,
        "launch",
        lambda kernel, programs, *given, longest: made.append(
            (kernel.fn.__name__, programs, given[-2:], longest)
        ),
    )
    fused.evidence_sums(torch.zeros(60, 201, dtype=torch.int64), torch.zeros(5, 5, dtype=torch.float64))
    assert [one[3] for one in made] == [200, 64, 128, 200]
    # As many programs as there are queries, and no more than the largest GPUs run at a time.
    assert made[1:] == [
        ("add_evidence", 60 * 64, (0, 64), 64),
        ("add_evidence", 60 * 64, (64, 128), 128),
        ("add_evidence", 4096, (128, 200), 200),
    ]
    del made[:]
    fused.prefix_shares(torch.zeros(2, 71, dtype=torch.int64), 5)
    assert made[1:] == [("add_shares", 2 * 64, (0, 64), 64), ("add_shares", 2 * 6, (64, 70), 70)]


def test_a_gpu_is_asked_for():
    with pytest.raises(InputError, match="runs on a GPU only"):
        stream_statistics([corpus(2, 3, 5)], 5, engine_name="fused")


def test_without_triton_it_says_so(monkeypatch):
    monkeypatch.setattr(torch_sums, "usable_device", lambda name: torch.device("meta"))
    monkeypatch.setitem(sys.modules, "gpu.fused", None)
    monkeypatch.delattr("gpu.fused", raising=False)
    with pytest.raises(InputError, match="needs Triton; run: pip install triton"):
        torch_sums.fused("cuda")
