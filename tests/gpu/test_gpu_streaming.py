"""Streaming statistics: right by the bound, the same for any threads, parts or interruption."""

import errno
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from gpu_corpora import SHAPES, corpus

import gpu.array_files
from gpu import compiled
from gpu.compiled_implementation import implementation
from gpu.engines import engine
from gpu.progress import load
from gpu.sparse_statistics import sparse_statistics
from gpu.streaming import stream_statistics
from gpu.sums import FirstSums, SecondSums
from gpu.team import Team
from gpu.tokens import Parts
from properties.statistics_bounds import statistics_magnitudes
from reference.errors import InputError
from reference.statistics import statistics

ROOT = Path(__file__).resolve().parents[2]
needs_numba = pytest.mark.skipif(not compiled.available(), reason="numba is not installed")
ENGINES = [pytest.param("compiled", marks=needs_numba), "torch"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shape", SHAPES)
def test_equal_to_reference_within_the_rounding_bound(shape, engine):
    tokens, V = corpus(*shape), shape[2]
    expected, magnitudes = statistics(tokens, V), statistics_magnitudes(tokens, V)
    for positions_at_once in (1, 1000):
        found = stream_statistics(Parts(tokens, positions_at_once), V, engine_name=engine)
        assert found.keys() == expected.keys()
        for name, value in expected.items():
            # Both sides round.
            assert found[name].shape == value.shape
            assert (np.abs(found[name] - value) <= 2 * magnitudes[name].bound("float64")).all(), name


@needs_numba
@pytest.mark.parametrize("threads", [2, 3, 8])
def test_any_number_of_threads_gives_the_same_bits(threads):
    tokens = corpus(60, 40, 30)
    one = stream_statistics([tokens], 30, engine_name="compiled", threads=1)
    many = stream_statistics([tokens], 30, engine_name="compiled", threads=threads)
    for name, value in one.items():
        np.testing.assert_array_equal(many[name], value)


def test_sums_of_parts_add_up():
    tokens, V, T = corpus(21, 8, 6), 6, 8
    whole, merged = first_sums(tokens, V), FirstSums.zero(V, T)
    for part in (tokens[:4], tokens[4:5], tokens[5:]):
        merged.add(first_sums(part, V))
    np.testing.assert_array_equal(merged.count, whole.count)
    assert merged.sequences == whole.sequences == 21
    bound = statistics_magnitudes(tokens, V)["Phi_bar"].bound("float64")
    assert (np.abs(merged.Phi_bar() - whole.Phi_bar()) <= 2 * bound).all()


def test_sums_of_other_sizes_do_not_add_up():
    with pytest.raises(InputError, match="6 words and 8 positions"):
        FirstSums.zero(5, 8).add(FirstSums.zero(6, 8))
    with pytest.raises(InputError, match="5 words and 9 positions"):
        SecondSums.zero(5, 8).add(SecondSums.zero(5, 9))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stopped_at", range(1, 11))
def test_a_run_stopped_after_any_part_resumes_to_the_same_bits(stopped_at, engine, tmp_path):
    parts, saved = Parts(corpus(10, 7, 5), 14), tmp_path / "progress.safetensors"
    expected, seen = stream_statistics(parts, 5, engine_name=engine), []

    def stop(which, sequences):
        seen.append((which, sequences))
        if len(seen) == stopped_at:
            raise KeyboardInterrupt

    options = {"engine_name": engine, "saved": saved, "seconds_between_saves": 0.0}
    with pytest.raises(KeyboardInterrupt):
        stream_statistics(parts, 5, told=stop, **options)
    # The part being told about is not saved yet: nothing of the first one, and all before it.
    assert saved.exists() == (stopped_at > 1)
    found = stream_statistics(parts, 5, told=lambda *told: seen.append(told), **options)
    assert len(seen) == 5 * 2 + 1
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


@needs_numba
def test_progress_of_another_kind_is_refused(tmp_path):
    saved, tokens = tmp_path / "progress.safetensors", corpus(6, 7, 5)
    interrupted(saved, tokens, 5)
    with pytest.raises(InputError, match="is no sparse statistics in progress"):
        sparse_statistics(Parts(tokens, 1), 5, saved=saved)


@needs_numba
def test_a_killed_process_loses_only_its_last_part(tmp_path):
    saved = tmp_path / "progress.safetensors"
    program = f"""
import os, signal, sys
sys.path[:0] = {[str(ROOT), str(Path(__file__).parent)]!r}
from pathlib import Path
from gpu.streaming import stream_statistics
from gpu.tokens import Parts
from gpu_corpora import corpus
def told(which, sequences):
    if (which, sequences) == (2, 4):
        os.kill(os.getpid(), signal.SIGKILL)
saved = Path({str(saved)!r})
stream_statistics(Parts(corpus(8, 7, 5), 14), 5, saved=saved, seconds_between_saves=0.0, told=told)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.name for path in tmp_path.iterdir()] == [saved.name]
    assert load(saved, 5, 7, "one process", FirstSums, SecondSums).parts == 1
    parts = Parts(corpus(8, 7, 5), 14)
    found, expected = stream_statistics(parts, 5, saved=saved), stream_statistics(parts, 5)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def interrupted(saved, tokens, vocab_size, during=2):
    """Save progress after each part of one sequence, and stop before part `during` is saved."""

    def stop(which, sequences):
        if sequences == during:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stream_statistics(Parts(tokens, 1), vocab_size, saved=saved, seconds_between_saves=0.0, told=stop)


@pytest.mark.parametrize(
    ("tokens", "vocab_size", "words"),
    [
        (corpus(6, 7, 5, seed=9), 5, r"progress\.safetensors has progress through another corpus"),
        (corpus(6, 7, 5), 6, "for 5 words"),
        (corpus(6, 8, 5), 5, "for 5 words and 7 positions"),
    ],
)
def test_progress_of_something_else_is_refused_and_kept(tokens, vocab_size, words, tmp_path):
    saved = tmp_path / "progress.safetensors"
    interrupted(saved, corpus(6, 7, 5), 5)
    before = saved.read_bytes()
    with pytest.raises(InputError, match=words):
        stream_statistics(Parts(tokens, 1), vocab_size, saved=saved)
    assert saved.read_bytes() == before


def test_progress_through_other_parts_before_the_last_is_refused(tmp_path):
    saved, tokens = tmp_path / "progress.safetensors", corpus(6, 7, 5)
    interrupted(saved, tokens, 5, during=4)
    tokens[0] = (tokens[0] + 1) % 5
    with pytest.raises(InputError, match="another corpus"):
        stream_statistics(Parts(tokens, 1), 5, saved=saved)


def test_progress_through_a_longer_corpus_is_refused(tmp_path):
    saved, tokens = tmp_path / "progress.safetensors", corpus(6, 7, 5)
    interrupted(saved, tokens, 5, during=4)
    with pytest.raises(InputError, match="another corpus"):
        stream_statistics(Parts(tokens[:2], 1), 5, saved=saved)


@pytest.mark.parametrize("content", [b"", b"not a file of ours", b"\x08\0\0\0\0\0\0\0{}      "])
def test_a_damaged_file_is_named(content, tmp_path):
    saved = tmp_path / "progress.safetensors"
    saved.write_bytes(content)
    with pytest.raises(InputError, match=r"progress\.safetensors"):
        stream_statistics([corpus(6, 7, 5)], 5, saved=saved)


def test_a_full_disk_stops_with_a_sentence_and_keeps_what_was_saved(tmp_path, monkeypatch):
    saved = tmp_path / "progress.safetensors"
    interrupted(saved, corpus(6, 7, 5), 5)
    before = saved.read_bytes()

    def full(arrays, path, metadata):
        Path(path).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(gpu.array_files, "save_file", full)
    with pytest.raises(InputError, match="No space left on device"):
        stream_statistics(Parts(corpus(6, 7, 5), 1), 5, saved=saved, seconds_between_saves=0.0)
    assert saved.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [saved.name]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "no part"),
        (iter([corpus(2, 3, 5)]), "only once"),
        ([corpus(2, 3, 5), corpus(2, 4, 5)], "same length"),
        ([corpus(2, 3, 5), corpus(2, 3, 9) + 5], "outside the vocabulary"),
        ([corpus(2, 3, 5).astype(float)], "whole numbers"),
    ],
)
def test_parts_that_cannot_be_counted_are_named(parts, words):
    with pytest.raises(InputError, match=words):
        stream_statistics(parts, 5)


def test_parts_that_change_between_the_passes_are_noticed():
    class Changing:
        turn = 0

        def __iter__(self):
            self.turn += 1
            return iter([corpus(3, 4, 5, seed=self.turn)])

    with pytest.raises(InputError, match="changed between"):
        stream_statistics(Changing(), 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine_name": "compiled", "threads": 0}, "at least one thread"),
        ({"engine_name": "compiled", "device": "cuda"}, "cpu only"),
        ({"engine_name": "torch", "device": "nowhere"}, "no device"),
    ],
)
def test_an_engine_that_cannot_run_is_named(options, words, monkeypatch):
    monkeypatch.setattr(compiled, "available", lambda: True)
    with pytest.raises(InputError, match=words):
        stream_statistics([corpus(2, 3, 5)], 5, **options)


def test_without_numba_torch_takes_over(monkeypatch):
    monkeypatch.setattr(compiled, "available", lambda: False)
    tokens = corpus(5, 6, 4)
    found, expected = stream_statistics([tokens], 4), stream_statistics([tokens], 4, engine_name="torch")
    np.testing.assert_array_equal(found["Q_bar"], expected["Q_bar"])
    with pytest.raises(InputError, match="needs numba"):
        stream_statistics([tokens], 4, engine_name="compiled")


def test_the_protocol_form_takes_what_numpy_takes_and_writes_to_nothing():
    tokens = corpus(5, 6, 4)
    tokens.flags.writeable = False
    found = implementation.statistics(tokens.tolist(), 4)
    np.testing.assert_array_equal(found["Q_bar"], implementation.statistics(tokens, 4)["Q_bar"])


def test_a_memory_mapped_corpus_is_read_part_by_part(tmp_path):
    tokens = corpus(50, 9, 7).astype(np.uint16)
    np.save(tmp_path / "tokens.npy", tokens)
    mapped = np.load(tmp_path / "tokens.npy", mmap_mode="r")
    found, expected = stream_statistics(Parts(mapped, 90), 7), stream_statistics(Parts(tokens, 90), 7)
    assert len(list(Parts(mapped, 90))) == 5
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def test_importing_the_engine_imports_neither_torch_nor_a_compiler():
    code = "import sys, gpu.streaming; print({'torch', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "set()"


def first_sums(tokens, vocab_size):
    sums = FirstSums.zero(vocab_size, tokens.shape[1] - 1)
    engine("auto", "cpu", 1, Team(), tokens.astype(np.uint32), vocab_size).add_first(
        tokens.astype(np.uint32), sums
    )
    return sums


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_products_with_sparse_and_dense_counts_agree(share, monkeypatch):
    monkeypatch.setattr("gpu.sparse_bigram.DENSE_ABOVE", share)
    tokens = corpus(8, 9, 11)
    found, magnitudes = stream_statistics([tokens], 11), statistics_magnitudes(tokens, 11)
    for name, value in statistics(tokens, 11).items():
        assert (np.abs(found[name] - value) <= 2 * magnitudes[name].bound("float64")).all(), name


@needs_numba
@pytest.mark.parametrize("module", ["streaming", "sparse_statistics"])
def test_each_part_is_counted_by_one_of_the_processes_alone(module, monkeypatch):
    """Counted by all of them a part would be there three times, which the mean of a corpus does not show."""
    taken = []

    class One(Team):
        size = 3

        def __init__(self, rank):
            self.rank = rank

    def captured(parts, vocab_size, passes, *rest):
        taken.append({number for number, _ in enumerate(parts) if passes.takes(number)})
        raise InputError("not counted")

    monkeypatch.setattr(f"gpu.{module}.run_passes", captured)
    parts = [corpus(2, 6, 5)] * 7
    count = partial(stream_statistics, engine_name="torch") if module == "streaming" else sparse_statistics
    for rank in range(3):
        with pytest.raises(InputError, match="not counted"):
            count(parts, 5, team=One(rank))
    assert sorted(number for one in taken for number in one) == list(range(7))
    assert all(taken)


@needs_numba
def test_progress_of_a_process_that_shared_the_work_otherwise_is_refused_and_kept(tmp_path):
    """Rows of every part and whole parts do not add up, nor do those of two processes and of three."""

    class Second(Team):
        rank, size = 1, 2

    class Third(Team):
        rank, size = 1, 3

    saved, parts = tmp_path / "progress.safetensors", Parts(corpus(6, 7, 5), 1)
    how = {"saved": saved, "seconds_between_saves": 0.0}
    stream_statistics(parts, 5, team=Second(), engine_name="torch", **how)
    before = saved.read_bytes()
    told = r"progress\.safetensors has the progress of process 1 of 2 by parts, not of "
    for team, name, whose in (
        (Second(), "compiled", "process 1 of 2 by rows"),
        (Third(), "torch", "process 1 of 3 by parts"),
        (Team(), "torch", "one process"),
    ):
        with pytest.raises(InputError, match=told + whose):
            stream_statistics(parts, 5, team=team, engine_name=name, **how)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("place", [-1, 3, 200])
def test_progress_that_was_not_written_so_is_refused(place, tmp_path):
    saved, tokens = tmp_path / "progress.safetensors", corpus(6, 7, 5)
    interrupted(saved, tokens, 5)
    whole = bytearray(saved.read_bytes())
    whole[place] ^= 1
    saved.write_bytes(whole)
    with pytest.raises(InputError, match="holds no saved sums or checkpoint"):
        stream_statistics(Parts(tokens, 1), 5, saved=saved)


def test_sums_on_a_device_take_in_and_take_over_those_of_other_processes():
    """As two processes with the same part would, and as one that is given another's."""
    tokens = corpus(4, 6, 5)
    chosen = engine("torch", "cpu", None, Team(), tokens.astype(np.uint32), 5)
    G_bar = chosen.placed(np.random.default_rng(0).random((5, 5)))
    first, second = (kind.zero(5, 6) for kind in chosen.kinds)
    chosen.add_first(tokens.astype(np.uint32), first)
    chosen.add_second(tokens.astype(np.uint32), G_bar, second)

    class Twice(Team):
        def total(self, array):
            return 2 * array

        def shared(self, array, source):
            return array + source

    for sums in (first, second):
        alone, sequences = sums.arrays(), sums.sequences
        alone = {name: array.copy() for name, array in alone.items()}
        sums.join(Twice())
        assert sums.fetched().sequences == sums.sequences == 2 * sequences
        sums.copy_from(Twice(), 3)
        assert sums.fetched().sequences == sums.sequences == 2 * sequences + 3
        for name, array in sums.arrays().items():
            np.testing.assert_array_equal(array, 2 * alone[name] + 3)
