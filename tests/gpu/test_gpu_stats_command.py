"""`leadterms stats` as a person runs it: what it writes and refuses, and how it goes on."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from gpu_corpora import SMALL, corpus
from safetensors import safe_open
from safetensors.numpy import load_file

import gpu.array_files
from gpu import stats as stats_command
from gpu.command_line import LONGEST_NAME
from gpu.progress import Saver
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics

N, T, V = SMALL
TOKENS = corpus(N, T, V)


def test_progress_of_statistics_goes_through_both_passes(monkeypatch):
    """Ten seconds after the beginning 15 of twice 20 sequences are through, and later 30."""
    clock, shown = [100.0], []
    monkeypatch.setattr("gpu.stats.time.monotonic", lambda: clock[0])
    told = stats_command._telling(20, lambda done, what: shown.append((done, what)))
    clock[0] = 110.0
    told(1, 15)
    told(2, 10)
    assert shown == [
        (15, "pass 1 of 2, 2 sequences/s, 0:17 left"),
        (30, "pass 2 of 2, 3 sequences/s, 0:03 left"),
    ]


def test_statistics_of_a_large_vocabulary_are_written_sparse(call, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(stats_command, "DENSE_UP_TO", V - 1)
    status, out, _ = call(stats_command, "t.npy", "--out", "s.safetensors", "--json", "s.json")
    assert status == 0
    found, known = load_file("s.safetensors"), statistics(TOKENS, V)
    assert "entries" in out
    entries = json.loads(Path("s.json").read_text())["statistics"]["Q_bar"]["entries"]
    assert entries == len(found["Q_bar.data"])
    bound = statistics_magnitudes(TOKENS, V)["Delta_bar"].bound("float64")
    assert (np.abs(found["Delta_bar"] - known["Delta_bar"]) <= 2 * bound).all()


def test_the_longest_name_can_be_written_and_a_longer_one_is_refused(call, monkeypatch):
    """Also while progress is saved beside it, which has a longer name."""
    saved = []

    def save(path, progress):
        gpu.array_files.write_arrays(path, progress.first.arrays(), {})
        saved.append(path.name)

    monkeypatch.setattr(Saver, "now_and_then", lambda saver, progress: save(saver.path, progress))
    longest = "é" * 104 + ".safetensors"
    assert len(longest.encode()) == LONGEST_NAME
    status, _, err = call(stats_command, "t.npy", "--out", longest)
    assert (status, err) == (0, "")
    assert "Q_bar" in load_file(longest)
    assert set(saved) == {f".{longest}.progress"}
    status, _, err = call(stats_command, "t.npy", "--out", f"s{longest}")
    assert (status, "is too long; give a shorter one" in err) == (2, True)


def test_a_device_that_would_not_be_used_is_refused(call, monkeypatch):
    monkeypatch.setattr(stats_command, "DENSE_UP_TO", V - 1)
    status, _, err = call(stats_command, "t.npy", "--out", "s.safetensors", "--device", "cuda")
    assert status == 2
    told = (
        f"Statistics of {V} words are sparse and are counted on the CPU; leave --device out, or give --vocab"
    )
    assert f"{told} {V - 1} or less." in err
    assert not Path("s.safetensors").exists()


@pytest.mark.parametrize("hidden", [["numba"], ["numba", "torch"]])
def test_statistics_are_counted_without_numba_and_without_torch(hidden, call, monkeypatch):
    real = stats_command.importlib.util.find_spec
    monkeypatch.setattr(
        stats_command.importlib.util, "find_spec", lambda name: None if name in hidden else real(name)
    )
    status, _, err = call(stats_command, "t.npy", "--out", "s.safetensors")
    assert (status, err) == (0, "")
    found = load_file("s.safetensors")
    for name, magnitude in statistics_magnitudes(TOKENS, V).items():
        difference = np.abs(found[name] - statistics(TOKENS, V)[name])
        assert (difference <= 2 * magnitude.bound("float64")).all(), name
    status, _, err = call(stats_command, "t.npy", "--out", "on.safetensors", "--device", "cuda:99")
    assert (status, "'cuda:99'" in err) == (2, True)


def test_statistics_that_were_stopped_go_on_by_the_same_command(call, monkeypatch):
    seen = []

    def stop(sequences, show):
        def told(which, through):
            seen.append(which)
            if len(seen) == 2:
                raise KeyboardInterrupt

        return told

    monkeypatch.setattr("gpu.progress.Saver.now_and_then", saves_always)
    monkeypatch.setattr(stats_command, "_telling", stop)
    assert call(stats_command, "t.npy", "--out", "s.safetensors")[0] == 130
    assert Path(".s.safetensors.progress").exists()
    assert call(stats_command, "t.npy", "--out", "s.safetensors")[0] == 0
    # The first pass is not gone through again.
    assert seen == [1, 2, 2]
    assert not Path(".s.safetensors.progress").exists()


def test_statistics_that_could_not_be_written_leave_their_progress(call, monkeypatch):
    def full(*arguments):
        raise InputError("s.safetensors cannot be written: No space left on device; free some space.")

    monkeypatch.setattr("gpu.progress.Saver.now_and_then", saves_always)
    with monkeypatch.context() as patched:
        patched.setattr("gpu.statistics_file.write_statistics", full)
        assert call(stats_command, "t.npy", "--out", "s.safetensors")[0] == 2
    assert Path(".s.safetensors.progress").exists()
    assert call(stats_command, "t.npy", "--out", "s.safetensors")[0] == 0
    assert not Path(".s.safetensors.progress").exists()


@pytest.mark.parametrize("name", [".s.safetensors.progress-1-of-2", ".s.safetensors.progress-0-of-12"])
def test_the_progress_of_another_number_of_processes_is_refused_and_kept(name, call):
    Path(name).write_text("sums")
    for other in (".t.safetensors.progress-1-of-2", ".s.safetensors.progress.safetensors"):
        Path(other).write_text("of another file")
    status, _, told = call(stats_command, "t.npy", "--out", "s.safetensors")
    number = name.rsplit("-", 1)[1]
    assert status == 2
    assert f"{name} has the progress of a run with processes: {number}, not 1; start as many" in told
    assert (Path(name).read_text(), Path("s.safetensors").exists()) == ("sums", False)
    Path(name).unlink()
    assert call(stats_command, "t.npy", "--out", "s.safetensors")[0] == 0


@pytest.mark.parametrize("named", [b"caf\xe9.npy", b"caf\xe9.txt", b"caf\xe9"])
def test_a_corpus_is_read_whatever_the_bytes_of_its_name(named, call):
    """Other systems name files in other encodings."""
    place = Path(os.fsdecode(named))
    if place.suffix == ".npy":
        np.save(place, TOKENS)
    elif place.suffix:
        place.write_text("once upon a time there was " * 10)
    else:
        place.mkdir()
        (place / "a.txt").write_text("once upon a time there was " * 10)
    status, out, err = call(stats_command, place, "--out", "s.safetensors", "--no-cache")
    assert (status, err) == (0, "")
    assert out.startswith(f"caf\\udce9{place.suffix}: ")
    with safe_open("s.safetensors", framework="numpy") as file:
        assert file.metadata()["corpus"] == f"caf\\udce9{place.suffix}"


def saves_always(saver, progress):
    from gpu.progress import save

    save(saver.path, progress)
