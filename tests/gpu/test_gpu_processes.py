"""Several processes give what one gives, and when one of them is killed the others say so and stop."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from forked_processes import run_all
from gpu_corpora import corpus
from safetensors.numpy import load_file

from gpu import compiled
from gpu.processes import Processes, processes
from gpu.run_folder import CHECKPOINT
from gpu.sparse_statistics import sparse_statistics
from gpu.streaming import stream_statistics
from gpu.team import Team, joined_team
from gpu.tokens import Parts
from gpu.training import train_model
from gpu.training_settings import Settings
from gpu.two_passes import kept_until_written
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
V, T = 12, 8
TOKENS = corpus(40, T, V).astype(np.uint16)
SETTINGS = Settings(V, 2, rate=0.5, steps=6, batch=3, accumulate=3, start_size=0.5)
SAID = "another process of this run has ended; what was saved stays, and the same command goes on from there"
needs_numba = pytest.mark.skipif(not compiled.available(), reason="numba is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("processes")
    np.save(made / "t.npy", TOKENS)
    return made


@pytest.fixture(scope="module")
def runs(folder):
    """All runs, made by one process that has loaded everything once: by name, what each process did."""
    stats = [str(folder / "t.npy"), "--out"]
    train = [
        *(str(folder / "t.npy"), "--layers", "2", "--rate", "0.5", "--steps", "6", "--batch", "3"),
        *("--accumulate", "3", "--start", "gaussian", "--scale", "0.5"),
        *("--save-every", "1", "--log-every", "1", "--json", str(folder / "t.json"), "--out"),
    ]
    asked = {
        "train-2": ("gpu.train", train, {"size": 2}),
        "train-3": ("gpu.train", train, {"size": 3}),
        "train-killed": ("gpu.train", train, {"size": 3, "kill": [1, "gpu.training._take_step", 4]}),
        "train-led": ("gpu.train", train, {"size": 2, "kill": [0, "gpu.training._take_step", 3]}),
        "train-differs": ("gpu.train", train, {"size": 2, "other": [1, ["--seed", "1"]]}),
        "train-many": ("gpu.train", train, {"size": 4}),
        "stats-2": ("gpu.stats", stats, {"size": 2}),
        "stats-3": ("gpu.stats", stats, {"size": 3}),
        "stats-differs": ("gpu.stats", stats, {"size": 2, "other": [1, ["--length", "7"]]}),
        "stats-torch": ("gpu.stats", stats, {"size": 2, "hide": "numba"}),
        "stats-sparse": ("gpu.stats", stats, {"size": 3, "set": ["gpu.stats.DENSE_UP_TO", 3]}),
    }
    # Rank 2 goes through 14 parts twice: it dies in the first pass, before it has saved anything of the
    # second one, while the others do, and in the second one.
    for part in (9, 15, 20):
        saved = [str(folder / "t.npy"), str(folder / f"saved-{part}")]
        kill = {"size": 3, "kill": [2, "gpu.two_passes.chained", part]}
        asked[f"count-{part}.npz"] = ("count_in_parts", saved, kill)
    calls = [
        {"module": module, "arguments": [*arguments, str(folder / name)], **options}
        for name, (module, arguments, options) in asked.items()
    ]
    resumed = [
        {"module": "gpu.train", "arguments": [*train, str(folder / "train-killed"), "--resume"], "size": 2},
        {"module": "gpu.train", "arguments": [*train, str(folder / "train-led"), "--resume"], "size": 3},
        *({**calls[-i], "kill": [None]} for i in (3, 2, 1)),
    ]
    names = [*asked, "train-killed again", "train-led again", *(f"{name} again" for name in [*asked][-3:])]
    return dict(zip(names, run_all([*calls, *resumed]), strict=True))


@pytest.mark.parametrize("name", ["train-2", "train-3", "train-killed again", "train-led again"])
def test_training_ends_with_the_bits_of_one_process(name, runs, folder):
    assert [status for status, _ in runs[name]] == [0] * len(runs[name]), runs[name]
    found = load_file(folder / name.removesuffix(" again") / CHECKPOINT)
    for group, value in train_model(TOKENS, SETTINGS).items():
        np.testing.assert_array_equal(found[group], value)


@pytest.mark.parametrize("name", ["train-killed", "train-led", "count-9.npz", "count-15.npz", "count-20.npz"])
def test_where_one_is_killed_the_others_stop_with_a_sentence(name, runs):
    states = [status for status, _ in runs[name]]
    assert states.count(-signal.SIGKILL) == 1
    assert states.count(2) == len(states) - 1
    for status, told in runs[name]:
        if status == 2:
            assert told.count("\n") == 1
            assert SAID in told


def test_processes_that_were_told_different_things_stop(runs):
    assert [status for status, _ in runs["train-differs"]] == [2, 2]
    assert all("Process 1 has another corpus or other settings" in told for _, told in runs["train-differs"])


@needs_numba
def test_processes_that_count_different_corpora_stop(runs):
    assert [status for status, _ in runs["stats-differs"]] == [2, 2]
    assert all("Process 1 has another corpus than process 0" in told for _, told in runs["stats-differs"])


def test_more_processes_than_batches_are_refused(runs):
    assert all((status, "4 processes share" in told) == (2, True) for status, told in runs["train-many"])


@needs_numba
@pytest.mark.parametrize("name", ["stats-2", "stats-3"])
def test_statistics_are_the_bits_of_one_process(name, runs, folder):
    assert [status for status, _ in runs[name]] == [0] * len(runs[name]), runs[name]
    found = load_file(folder / name)
    for statistic, value in stream_statistics([TOKENS], V).items():
        np.testing.assert_array_equal(found[statistic], value)
    assert not list(folder.glob(".stats*"))


@needs_numba
@pytest.mark.parametrize("part", [9, 15, 20])
def test_processes_that_were_stopped_in_different_places_go_on_together(part, runs, folder):
    assert [status for status, _ in runs[f"count-{part}.npz again"]] == [0, 0, 0]
    found = np.load(folder / f"count-{part}.npz")
    for statistic, value in stream_statistics(Parts(TOKENS, 3 * T), V).items():
        np.testing.assert_array_equal(found[statistic], value)
    assert not list(folder.glob(f"saved-{part}*"))


def test_statistics_by_torch_are_those_of_one_process_within_the_bound(runs, folder):
    assert [status for status, _ in runs["stats-torch"]] == [0, 0], runs["stats-torch"]
    found = load_file(folder / "stats-torch")
    magnitudes = statistics_magnitudes(TOKENS.astype(np.int64), V)
    for name, value in stream_statistics([TOKENS], V, engine_name="torch").items():
        assert (np.abs(found[name] - value) <= 2 * magnitudes[name].bound("float64")).all(), name


@needs_numba
def test_sparse_statistics_are_those_of_one_process_within_the_bound(runs, folder):
    assert [status for status, _ in runs["stats-sparse"]] == [0, 0, 0], runs["stats-sparse"]
    found, one = load_file(folder / "stats-sparse"), sparse_statistics([TOKENS], V)
    bound = statistics_magnitudes(TOKENS.astype(np.int64), V)["Delta_bar"].bound("float64")
    assert (np.abs(found["Delta_bar"] - one.Delta_bar) <= 2 * bound).all()
    np.testing.assert_array_equal(found["count.data"], one.count.data)


def test_sums_are_added_in_the_order_of_the_processes(monkeypatch):
    """In the opposite order, or with the last before the second, these would come to 1."""
    theirs = [1e16, 1.0, -1e16]
    monkeypatch.setattr(Processes, "shared", lambda team, array, source: np.array(theirs[source]))
    assert [float(Processes(rank, 3).total(np.zeros(()))) for rank in range(3)] == [0.0] * 3


def test_progress_is_kept_where_the_first_process_could_not_write(tmp_path):
    class Left(Team):
        rank, size = 1, 2

        def shared(self, array, source):
            raise InputError("another process of this run has ended")

    saved = tmp_path / "progress"
    saved.write_text("sums")
    with pytest.raises(InputError, match="has ended"), kept_until_written(saved, Left()):
        pass
    assert saved.read_text() == "sums"


@pytest.mark.parametrize(
    ("device", "told"), [("cuda:99", "torch sees no device 'cuda:99'"), ("cuda:x", "no device 'cuda:x'")]
)
def test_a_device_that_is_not_there_is_told_before_the_others_are_waited_for(device, told):
    with pytest.raises(InputError, match=told), processes(device):
        pass


@pytest.mark.parametrize("size", ["2", "two"])
def test_processes_that_torchrun_did_not_start_are_told_to(size, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", size)
    with pytest.raises(InputError, match="start them with torchrun"), joined_team("cpu"):
        pass


def torchrun(*arguments):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=240, env=environment, check=False
    )


def test_torchrun_starts_the_command(tmp_path, folder):
    done = torchrun(
        *("gpu.train", str(folder / "t.npy"), "--layers", "2", "--rate", "0.5", "--steps", "6"),
        *("--batch", "3", "--accumulate", "3", "--init", "gaussian", "--scale", "0.5"),
        *("--statistics-sample", "0", "--out", str(tmp_path / "run"), "--json", str(tmp_path / "run.json")),
    )
    assert done.returncode == 0, done.stderr
    found = load_file(tmp_path / "run" / CHECKPOINT)
    for group, value in train_model(TOKENS, SETTINGS).items():
        np.testing.assert_array_equal(found[group], value)
    assert json.loads((tmp_path / "run.json").read_text())["last"]["step"] == 6


def test_what_is_wrong_stands_in_a_sentence_above_what_torchrun_says(tmp_path):
    """The guide to several devices says so. torchrun ends the others once one has ended: not all may tell."""
    done = torchrun("gpu.stats", str(tmp_path / "none.npy"), "--out", str(tmp_path / "s.safetensors"))
    ours, theirs = done.stderr.split("Traceback", 1)
    said = [line for line in ours.splitlines() if line.startswith("gpu.stats:")]
    assert 1 <= len(said) <= 2
    assert all("There is no" in line and "none.npy" in line for line in said)
    assert (done.returncode, "Traceback" in theirs, "ChildFailedError" in theirs) == (1, False, True)
