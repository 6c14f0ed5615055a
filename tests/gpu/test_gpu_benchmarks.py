"""What the benchmarks compare with is right, and a missed target shows."""

import json
import socket
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch
from gpu_corpora import SHAPES, corpus

from benchmarks import __main__ as everything
from benchmarks import exact_series, gpu_statistics, reading, training_step
from benchmarks import gpu as gpu_list
from benchmarks import statistics as statistics_benchmark
from benchmarks.dense_statistics import dense_statistics
from benchmarks.measuring import Record, Target, machine, over_bound, peak_gibibytes
from benchmarks.page import page, read_records
from benchmarks.synthetic_text import following_tokens, zipf_tokens
from gpu import torch_sums
from gpu.two_passes import go_through
from properties.statistics_bounds import statistics_magnitudes
from reference.memory import physical_memory
from reference.statistics import statistics


@pytest.mark.parametrize("shape", SHAPES)
def test_the_dense_algorithm_computes_the_statistics(shape):
    tokens, V = corpus(*shape), shape[2]
    found, magnitudes = dense_statistics(torch.tensor(tokens), V), statistics_magnitudes(tokens, V)
    for name, value in statistics(tokens, V).items():
        bound = magnitudes[name].bound("float32") + magnitudes[name].bound("float64")
        assert (np.abs(found[name].numpy() - value) <= bound).all(), name


@pytest.mark.parametrize("made", [zipf_tokens, following_tokens])
def test_synthetic_tokens_are_frequent_first_and_reproducible(made):
    tokens = made(50, 200, 300, seed=1)
    count = np.bincount(tokens.ravel(), minlength=300)
    assert count[:10].sum() > count[10:100].sum() / 2 > count[200:].sum() / 2
    np.testing.assert_array_equal(tokens, made(50, 200, 300, seed=1))


@pytest.mark.parametrize(("value", "status"), [(0.5, 1), (1.0, 0), (1.5, 0), (2.5, 1), (float("nan"), 1)])
def test_a_record_says_whether_its_targets_are_met(value, status, tmp_path, capsys):
    record = Record("example", targets=[Target("ratio", value, at_least=1.0, at_most=2.0)])
    assert record.finish(tmp_path / "record.json") == status
    written = json.loads((tmp_path / "record.json").read_text())
    assert [target["met"] for target in written["targets"]] == [status == 0]
    assert ("MISSED" in capsys.readouterr().out) == (status == 1)


def test_a_record_without_targets_is_a_failure():
    assert Record("example").finish(None) == 1


def test_the_page_tells_what_was_measured_what_was_missed_and_no_host(tmp_path):
    for name, value in (("exact_series", 3.0), ("whole_verify", 0.5)):
        record = Record(name, {"ratio": value, "rounds": [1, 2]}, [Target("a ratio", value, at_least=1.0)])
        record.finish(tmp_path / f"{name}.json")
    told = page(read_records(tmp_path, ["exact_series", "whole_verify", "not_run"]), 3, "there is no GPU")
    assert "| a ratio | 3 | at least 1 | yes |" in told
    assert "| a ratio | 0.5 | at least 1 | **no** |" in told
    assert "| ratio | 3 |" in told
    assert "Not measured: there is no GPU." in told
    assert machine()["processor"] in told
    assert socket.gethostname() not in told


def test_what_was_measured_before_stays_on_the_page(monkeypatch, tmp_path):
    Record("exact_series", {"ratio": 3.0}, [Target("before", 3.0, at_least=1.0)]).finish(
        tmp_path / "exact_series.json"
    )

    def measured(listed, out, runs):
        assert list(listed) == ["whole_verify"]
        return Record("whole_verify", {"ratio": 2.0}, [Target("now", 2.0, at_least=1.0)]).finish(
            out / "whole_verify.json"
        )

    monkeypatch.setattr(everything, "run_benchmarks", measured)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    call = ["benchmarks", "--only", "whole_verify", "--out", str(tmp_path), "--page", str(tmp_path / "p.md")]
    monkeypatch.setattr("sys.argv", call)
    assert everything.main() == 0
    told = (tmp_path / "p.md").read_text()
    assert "| before | 3 |" in told
    assert "| now | 2 |" in told


def test_without_a_gpu_its_list_is_skipped_with_a_reason(monkeypatch, capsys):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr("sys.argv", ["gpu"])
    assert gpu_list.main() == 0
    assert "Skipped the GPU list" in capsys.readouterr().out
    assert gpu_list.reason_to_skip() == "torch sees no GPU on this machine"


def test_without_exact_arithmetic_the_gpu_list_leaves_out_the_laws(monkeypatch, tmp_path, capsys):
    asked = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(gpu_list, "run_benchmarks", lambda listed, *rest: asked.append(list(listed)) or 0)
    monkeypatch.setattr("sys.argv", ["gpu", "--out", str(tmp_path)])
    assert gpu_list.main() == 0
    monkeypatch.setitem(sys.modules, "flint", None)
    assert gpu_list.main() == 0
    assert asked == [list(gpu_list.GPU_LIST), ["gpu_statistics", "gpu_training_step"]]
    assert capsys.readouterr().out == "Skipped gpu_verify: python-flint is not installed.\n"


def test_the_series_benchmark_compares_the_same_fractions(monkeypatch):
    monkeypatch.setattr(exact_series, "SIZES", (2, 3, 3, 2, 3, 4))
    monkeypatch.setattr(exact_series, "PROVED", (2, 1, 1))
    found = exact_series.one_round()
    assert found["ratio"] == found["scalars_seconds"] / found["series_seconds"]


def test_the_reading_benchmark_compares_the_same_numbers(monkeypatch, tmp_path):
    monkeypatch.setenv("LEADTERMS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(reading, "DOCUMENTS", 20)
    (tmp_path / "t.txt").write_text(reading.synthetic())
    found = reading.one_round(tmp_path / "t.txt")
    assert found["tokens"] == 20 * 201
    assert found["ratio"] == found["counting_seconds"] / found["numbering_seconds"]


def test_the_reading_benchmark_runs_and_writes_its_record(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("LEADTERMS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(reading, "DOCUMENTS", 20)
    monkeypatch.setattr("sys.argv", ["reading", "--runs", "1", "--json", str(tmp_path / "r.json")])
    assert reading.main() in (0, 1)  # how fast it is depends on the machine
    assert json.loads((tmp_path / "r.json").read_text())["measured"]["tokens"] == 20 * 201
    assert "ratio: " in capsys.readouterr().out


def test_the_statistics_benchmark_counts_all_of_a_corpus(monkeypatch):
    for name, value in {"V": 20, "T": 12, "COMPARED": 3}.items():
        monkeypatch.setattr(statistics_benchmark, name, value)
    tokens = corpus(9, 12, 20).astype(np.uint16)
    added = []
    monkeypatch.setattr(statistics_benchmark, "go_through", lambda *all: added.append(go_through(*all)))
    statistics_benchmark.counting(tokens)()
    assert len(added) == 2
    assert statistics_benchmark.changed_bits(tokens) == 0
    assert 0 < statistics_benchmark.difference(tokens) <= 1
    monkeypatch.setattr(
        statistics_benchmark,
        "stream_statistics",
        lambda *rest: {
            name: value * (1 + 2**-8) for name, value in statistics(tokens.astype(np.int64), 20).items()
        },
    )
    assert statistics_benchmark.difference(tokens) > 1


def test_a_gpu_is_waited_for(monkeypatch):
    waited = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda device: waited.append(device))
    gpu_statistics.wait(torch.device("cpu"))
    gpu_statistics.wait(torch.device("cuda:1"))
    assert waited == [torch.device("cuda:1")]
    for name in ("gpu_statistics", "gpu_training_step"):
        assert gpu_list.GPU_LIST[name][1] == ["--device", "cuda"]


def test_a_step_costs_a_part_for_each_sequence_and_one_that_none_changes(monkeypatch):
    """A GPU's work is over when it has been waited for: 10 seconds a step and 2 a sequence."""
    now, asked = [0.0], [0.0]

    def step(size):
        asked[0] = 10.0 + 2.0 * size

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: now.__setitem__(0, now[0] + asked[0]))
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    found = training_step.parts(step, (2, 10))
    assert found == (10, 2)
    assert training_step.cost(found, 2048) == 10 + 2 * 2048


def test_the_gpu_benchmark_holds_the_device_to_the_bound(monkeypatch):
    tokens = corpus(3, 12, 20).astype(np.uint16)
    monkeypatch.setattr(gpu_statistics, "V", 20)
    assert gpu_statistics.worst_error(tokens, "cpu", "torch") <= 1

    def slipped(*arguments, **options):
        return {name: value * (1 + 2**-30) for name, value in statistics(tokens.astype(np.int64), 20).items()}

    monkeypatch.setattr(
        gpu_statistics,
        "stream_statistics",
        lambda *a, **o: slipped() if o else statistics(tokens.astype(np.int64), 20),
    )
    expected, magnitudes = (
        statistics(tokens.astype(np.int64), 20),
        statistics_magnitudes(tokens.astype(np.int64), 20),
    )
    # Both sides round.
    worst = max(
        over_bound(slipped()[name], value, 2 * magnitudes[name].bound("float64"))
        for name, value in expected.items()
    )
    assert gpu_statistics.worst_error(tokens, "cpu", "torch") == worst > 1


def test_the_gpu_benchmark_sets_its_floor_by_forty_bytes_a_pair(monkeypatch, tmp_path, capsys):
    """On a clock that only waiting for work moves, of work that takes longer when it is done at first.

    A copy takes a second, a first pass two and a second pass three.
    """
    sizes = {"V": 20, "T": 12, "SEQUENCES": 9, "COMPARED": 3, "COPIED": 104, "COPIES": 5}
    for name, value in sizes.items():
        monkeypatch.setattr(gpu_statistics, name, value)
    now, asked, before = [0.0], [0.0], set()

    def taking(seconds, work):
        def done(*given):
            asked[0] += seconds if work in before else 100
            before.add(work)
            return work(*given)

        return done

    def wait(device):
        now[0], asked[0] = now[0] + asked[0], 0

    def on_cpu(device):
        sums = torch_sums.eager(device)
        return replace(
            sums, prefix_shares=taking(2, sums.prefix_shares), evidence_sums=taking(3, sums.evidence_sums)
        )

    monkeypatch.setattr(gpu_statistics, "wait", wait)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(torch.Tensor, "copy_", taking(1, torch.Tensor.copy_))
    monkeypatch.setattr(gpu_statistics, "fused", on_cpu)
    monkeypatch.setattr(torch_sums, "fused", on_cpu)
    record = tmp_path / "record.json"
    monkeypatch.setattr("sys.argv", ["gpu", "--device", "cpu", "--runs", "1", "--json", str(record)])
    assert gpu_statistics.main() == 0
    told = json.loads(record.read_text())
    found, targets = told["measured"], {one["name"]: one for one in told["targets"]}
    # Each copy reads and writes 104 bytes a second; a sequence has 12 * 13 / 2 pairs.
    assert found["gigabytes_a_second"] == 208 / 1e9
    assert found["floor_seconds"] == 9 * 78 * 40 / 208 == 135
    assert (found["fused_first_pass_seconds"], found["fused_second_pass_seconds"]) == (2, 3)
    assert found["fused_nanoseconds_a_pair"] == 5e9 / (9 * 78)
    assert targets["time over the floor of memory bandwidth"]["value"] == found["fused_over_the_floor"]
    assert found["fused_over_the_floor"] == 5 / 135
    assert found["stream_seconds"] == 5
    assert set(targets) == {
        "time over the floor of memory bandwidth",
        "error over its bound, fused",
        "error over its bound, torch",
    }
    assert "floor_seconds: 135" in capsys.readouterr().out


def test_what_differs_where_nothing_may_is_over_every_bound():
    zero, one = np.zeros(2), np.array([0.0, 1.0])
    assert over_bound(zero, zero, zero) == 0
    assert over_bound(one, zero, zero) == np.inf
    assert over_bound(one, zero, np.array([0.0, 4.0])) == 0.25


def test_the_largest_memory_is_told_in_gibibytes():
    """Of 64 MiB that were held, and of less than the machine has."""
    held = np.ones(1 << 23)
    assert held.nbytes / 2**30 <= peak_gibibytes() <= physical_memory() / 2**30
