"""`leadterms train` as a person runs it: what it writes, what stops it, and how it goes on."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from gpu_corpora import SMALL, corpus
from safetensors.numpy import load_file

from gpu import train as train_command
from gpu.run_folder import CHECKPOINT, LOG, claimed
from gpu.training import train_model
from gpu.training_settings import Settings
from properties.checkpoint import Training, judge
from properties.tolerances import gamma, unit_roundoff
from reference.corpus import Corpus
from reference.errors import InputError
from reference.statistics import statistics

ROOT = Path(__file__).resolve().parents[2]
N, T, V = SMALL
TOKENS = corpus(N, T, V)
USUAL = ["--layers", "2", "--rate", "0.5", "--batch", "4", "--dtype", "float64", "--save-every", "1"]

GAUSSIAN = ["--start", "gaussian", "--scale", "0.5"]
NOTHING_THERE = "There is no checkpoint in {} to go on from: the run begins at step 0.\n"
NO_STATISTICS = ["--statistics-sample", "0"]


def expected(steps, **options):
    return train_model(TOKENS, Settings(V, 2, rate=0.5, steps=steps, batch=4, dtype="float64", **options))


def same_bits(folder, weights):
    found = load_file(Path(folder) / CHECKPOINT)
    for group, value in weights.items():
        np.testing.assert_array_equal(found[group], value)


def test_a_run_writes_weights_a_log_and_what_it_was(call):
    status, out, err = call(
        train_command, "t.npy", *USUAL, "--epochs", 2, "--out", "run", "--json", "run.json"
    )
    assert (status, err) == (0, "")
    same_bits("run", expected(12))
    told, about = json.loads(Path("run.json").read_text()), json.loads(Path("run/run.json").read_text())
    assert told["settings"] == about["settings"]
    assert (told["settings"]["steps"], about["sequences"], about["vocab_size"]) == (12, 24, V)
    lines = [json.loads(line) for line in Path("run", LOG).read_text().splitlines()]
    assert [line["step"] for line in lines] == [10, 12]
    assert told["last"] == lines[-1]
    for group in ("W_O", "V", "W", "P"):
        shown = ", ".join(f"{cosine:.6f}" for cosine in lines[-1]["alignments"][group])
        assert f"{group:3} cosine with its leading term, by layer: {shown}" in out
    assert f"{shown}; layers differ by {lines[-1]['spreads']['P']:.1e}" in out


def test_nothing_is_said_of_how_far_one_layer_is_from_itself(call):
    alone = ["--layers", 1, "--rate", "0.5", "--steps", 3]
    status, out, err = call(train_command, "t.npy", *alone, "--out", "run")
    assert (status, err) == (0, "")
    assert "by layer: " in out
    assert "layers differ" not in out


def test_alignments_are_with_the_statistics_of_all_sequences_or_of_the_first(call):
    call(train_command, "t.npy", *USUAL, "--steps", 3, "--out", "all", "--json", "all.json")
    call(
        train_command,
        "t.npy",
        *USUAL,
        "--steps",
        3,
        "--out",
        "few",
        "--json",
        "few.json",
        "--statistics-sample",
        5,
    )
    call(
        train_command,
        "t.npy",
        *USUAL,
        "--steps",
        3,
        "--out",
        "none",
        "--json",
        "none.json",
        "--statistics-sample",
        0,
    )
    W_O = load_file("all/" + CHECKPOINT)["W_O"]
    for name, tokens in (("all", TOKENS), ("few", TOKENS[:5])):
        B_bar = statistics(tokens, V)["B_bar"]
        cosine = float((W_O * B_bar).sum() / np.linalg.norm(W_O) / np.linalg.norm(B_bar))
        logged = json.loads(Path(f"{name}.json").read_text())["last"]["alignments"]["W_O"][0]
        assert abs(logged - cosine) <= gamma(8 * V * V, unit_roundoff("float64"))
    assert json.loads(Path("none.json").read_text())["last"]["alignments"] is None


def test_without_a_batch_the_whole_corpus_is_one_and_the_theory_predicts_the_weights(call):
    status, _, _ = call(
        train_command, "t.npy", "--layers", 2, "--rate", 2**-6, "--steps", 4, "--in-order", "--out", "run"
    )
    assert status == 0
    full = Settings(V, 2, rate=2**-6, steps=4, batch=24, shuffled=False)
    same_bits("run", train_model(TOKENS, full))
    words = Corpus(TOKENS, tuple(map(str, range(V))), "t.npy")
    verdicts = list(judge(Path("run", CHECKPOINT), words, Training(2**-6, 4), seed=0))
    assert {verdict.result for verdict in verdicts} == {"passed"}


def test_options_reach_the_settings(call):
    status, _, _ = call(
        train_command, "t.npy", *USUAL, "--steps", 5, "--accumulate", 2, "--schedule", "cosine",
        "--warmup", 2, "--seed", 3, "--start", "gaussian", "--scale", 0.5, "--decay", 0.25, "--out", "run",
    )  # fmt: skip
    assert status == 0
    options = {"accumulate": 2, "schedule": "cosine", "warmup": 2, "start_size": 0.5, "start_decay": 0.25}
    same_bits("run", expected(5, seed=3, **options))


def test_a_killed_run_keeps_others_out_and_resumes_to_the_same_bits(call, monkeypatch):
    command = [sys.executable, "-m", "gpu.train", "t.npy", *USUAL, "--out", "run", "--log-every", "1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    running = subprocess.Popen([*command, "--steps", "10000000"], env=environment, stderr=subprocess.PIPE)
    try:
        while not Path("run", CHECKPOINT).exists():
            assert running.poll() is None, running.stderr.read()
            time.sleep(0.01)
        with monkeypatch.context() as patch:
            patch.setattr(time, "sleep", lambda seconds: pytest.fail("it waits for the other run"))
            status, _, told = call(train_command, "t.npy", *USUAL, "--steps", 3, "--out", "run", "--resume")
        assert status == 2
        assert told == (
            "gpu.train: Another run is at work in run; wait for it, stop it, or give another folder.\n"
        )
    finally:
        running.send_signal(signal.SIGKILL)
        running.communicate()
    assert running.returncode == -signal.SIGKILL
    done = json.loads(Path("run", LOG).read_text().splitlines()[-2])["step"]
    status, _, told = call(train_command, "t.npy", *USUAL, "--steps", done + 3, "--out", "run", "--resume")
    assert (status, told) == (0, "")
    same_bits("run", expected(done + 3))


def test_a_run_that_was_killed_before_its_first_checkpoint_begins_anew(call):
    Path("run").mkdir()
    Path("run", LOG).write_text('{"step": 1, "loss": 1.0}\n')
    status, _, told = call(
        train_command, "t.npy", *USUAL, "--steps", 3, "--log-every", 1, "--out", "run", "--resume"
    )
    assert (status, told) == (0, NOTHING_THERE.format("run"))
    same_bits("run", expected(3))
    assert len(Path("run", LOG).read_text().splitlines()) == 3


def test_resuming_in_a_folder_without_a_checkpoint_says_that_a_run_begins(call, halfway):
    """A mistyped folder would else train for days before anybody sees it."""
    usual = [train_command, "t.npy", *USUAL, "--steps", 6, "--resume"]
    assert call(*usual, "--out", "runn")[::2] == (0, NOTHING_THERE.format("runn"))
    assert call(*usual, "--out", "quiet", "--quiet") == (0, "", "")
    # One that is there is gone on from without a word, also where it is at its end.
    for _ in range(2):
        assert call(*usual, "--out", "run")[::2] == (0, "")


@pytest.fixture
def halfway(call):
    """A run of three steps in `run`, and what its folder holds."""
    assert call(train_command, "t.npy", *USUAL, "--steps", 3, "--log-every", 1, "--out", "run")[0] == 0
    return contents("run")


def contents(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def test_a_run_is_not_gone_on_with_unasked(call, halfway):
    status, _, told = call(train_command, "t.npy", *USUAL, "--steps", 6, "--out", "run")
    assert status == 2
    assert told.startswith("gpu.train: run holds a run that is at step 3; go on with it by --resume")
    assert contents("run") == halfway


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        (["--seed", "1"], "was made with seed = 0, not 1"),
        (["--rate", "0.25"], "was made with rate = 0.5, not 0.25"),
        (["--vocab", "6"], "is of another corpus"),
        (["--steps", "2"], "is of step 3, more than 2"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused_and_kept(changed, told, call, halfway):
    status, _, err = call(train_command, "t.npy", *USUAL, "--steps", 6, *changed, "--out", "run", "--resume")
    assert (status, err.count("\n")) == (2, 1)
    assert told in err
    assert contents("run") == halfway


@contextmanager
def files_of_at_most(size):
    """Let the operating system refuse to write more: what a full disk does, at a place of choice."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("full", ["checkpoint", "log"])
def test_a_disk_that_is_full_stops_the_run_and_keeps_what_was_saved(full, call, halfway, tmp_path):
    size = len(halfway[CHECKPOINT]) - 100 if full == "checkpoint" else len(halfway[LOG]) + 100
    if full == "log":
        # The log is the largest file.
        filler = " " * 2 * len(halfway[CHECKPOINT])
        Path("run", LOG).write_text(json.dumps({"step": 1, "filler": filler}) + "\n")
        size = Path("run", LOG).stat().st_size + 100
    with files_of_at_most(size):
        status, _, told = call(
            train_command, "t.npy", *USUAL, "--steps", 6, "--log-every", 1, "--out", "run", "--resume"
        )
    assert status == 2, told
    assert "cannot be written" in told
    assert "File too large" in told
    assert told.count("\n") == 1
    assert contents("run")[CHECKPOINT] == halfway[CHECKPOINT]
    assert not list(Path("run").glob(".*"))
    assert call(train_command, "t.npy", *USUAL, "--steps", 6, "--out", "run", "--resume")[0] == 0
    same_bits("run", expected(6))


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_checkpoint(call):
    wild = ["--layers", "2", "--rate", "1e200", "--batch", "4", "--save-every", "1", "--dtype", "float64"]
    status, _, told = call(train_command, "t.npy", *wild, "--steps", 8, "--out", "run")
    assert (status, told.count("\n")) == (2, 1)
    assert "lower the rate 1e+200; the checkpoint of step" in told
    assert all(np.isfinite(value).all() for value in load_file("run/" + CHECKPOINT).values())


@pytest.mark.parametrize(
    ("scale", "rate", "told"),
    [
        (
            1e38,
            0.5,
            "The loss of the start, or its gradient, is no number in float32: give a smaller --scale",
        ),
        (1e38, 0.0, "give a smaller --scale than 1e+38, or a larger --decay"),
        (1e9, 1e-30, "or its gradient, is no number"),  # the loss is one
        # These have a loss and gradients to begin with: only a step that is too long spoils them.
        (1e4, 1e38, "A weight is no number at step 1: lower the rate 1e+38"),
        (0.0, 1e38, "at step 2: lower the rate 1e+38"),
    ],
)
def test_a_loss_that_is_no_number_before_any_step_is_the_fault_of_the_start(scale, rate, told):
    with pytest.raises(InputError, match=re.escape(told)):
        train_model(TOKENS, Settings(V, 2, rate=rate, steps=2, batch=24, start_size=scale))


def test_a_weight_that_is_no_number_after_the_last_step_is_noticed():
    with pytest.raises(InputError, match="A weight is no number at step 2"):
        train_model(TOKENS, Settings(V, 1, rate=1e38, steps=2, batch=24))


@pytest.mark.parametrize(
    ("written", "said"),
    [(True, "The checkpoint in run is kept; use --resume to go on from it.\n"), (False, "")],
)
def test_a_stop_by_hand_says_how_to_go_on_where_there_is_something_to(call, monkeypatch, written, said):
    def stop(*arguments, **options):
        Path("run").mkdir()
        if written:
            Path("run", CHECKPOINT).touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("gpu.training.train_model", stop)
    status, _, told = call(train_command, "t.npy", *USUAL, "--steps", 8, "--out", "run")
    assert (status, told) == (130, said)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["t.npy", "--steps", "3", "--epochs", "2"], "with --steps S or with --epochs E"),
        (["t.npy"], "with --steps S or with --epochs E"),
        (["t.npy", "--corpus", "t.npy", "--steps", "3"], "Name one corpus"),
        (["t.npy", "--steps", "3", "--start", "gaussian"], "give --scale v"),
        (["t.npy", "--steps", "3", "--scale", "0.5"], "give --start gaussian"),
        (["t.npy", "--steps", "3", "--statistics-sample", "25"], "give 0 to 24 sequences"),
        (["t.npy", "--steps", "3", "--statistics-sample", "-1"], "give 0 to 24 sequences"),
        (["t.npy", "--steps", "3", "--batch", "25"], "24 sequences make no batch of 25"),
        (["t.npy", "--steps", "3", "--accumulate", "7"], "24 sequences make no 7 batches of 4"),
        (["t.npy", "--steps", "3", "--accumulate", "0"], "accumulate is 0"),
        (["t.npy", "--steps", "3", "--seed", str(2**64)], "give a number below 2^64"),
        (["t.npy", "--steps", "3", *GAUSSIAN, "--decay", "1000"], "start_decay is 1000.0, which makes"),
        (["t.npy", "--steps", "3", *GAUSSIAN, "--decay", "370"], "too small for float64"),
        (["t.npy", "--steps", "-3"], "steps is -3"),
        (["t.npy", "--steps", "3", "--rate", "nan"], "rate is nan"),
        (["t.npy", "--steps", "3", "--rate", "1e39", "--dtype", "float32"], "that float32 holds"),
        (["t.npy", "--steps", "3", "--device", "tpu"], "no device 'tpu'"),
        (["t.npy", "--steps", "3", "--save-every", "0"], "save_every is 0"),
        (["t.npy", "--steps", "3", "--json", "no/where.json"], "There is no folder"),
        (["t.npy", "--steps", "3", "--json", "t.npy"], "must be different files"),
        (["t.npy", "--steps", "3", "--out", "t.npy"], "cannot be a folder"),
        (["none.txt", "--steps", "3"], "no corpus file none.txt"),
        (["t.npy", "--steps", "3", "--vocab", "8193"], "Leading terms of 8,193 words do not fit"),
        (["t.npy", "--steps", "3", "--vocab", "300000", *NO_STATISTICS], "give a smaller --vocab"),
        (["t.npy", "--steps", "3", "--schedule", "steep"], "steep"),
    ],
)
def test_a_call_that_makes_no_sense_is_told_and_writes_nothing(arguments, told, call):
    out = [] if "--out" in arguments else ["--out", "run"]
    status, _, err = call(train_command, *USUAL, *out, *arguments)
    assert status == 2
    assert told in err
    assert "Traceback" not in err
    assert not Path("run", CHECKPOINT).exists()


@pytest.mark.parametrize(
    ("accumulate", "told"), [(0, "accumulate is 0"), (25, "24 sequences make no 25 batches of 1")]
)
def test_where_no_batch_is_named_what_is_named_is_told(accumulate, told, call):
    named = ["t.npy", "--layers", 1, "--rate", 0.5, "--steps", 3, "--out", "run"]
    status, _, err = call(train_command, *named, "--accumulate", accumulate)
    assert (status, told in err) == (2, True)


def test_the_largest_seed_draws_a_start(call):
    status, _, _ = call(
        train_command, "t.npy", *USUAL, *GAUSSIAN, "--steps", 1, "--seed", 2**64 - 1, "--out", "run"
    )
    assert status == 0


@pytest.mark.parametrize("name", [CHECKPOINT, LOG, "run.json", "run.lock"])
def test_the_files_of_a_run_are_neither_read_nor_its_results(name, call, halfway):
    """They would take the place of a corpus, and the results that of a checkpoint."""
    kept = {**halfway, name: b"once upon a time"}
    Path("run", name).write_bytes(kept[name])
    usual = [*USUAL, "--steps", 6, "--out", "run", "--resume"]
    status, _, told = call(train_command, Path("run", name), *usual)
    assert (status, "is what the command reads" in told) == (2, True)
    status, _, told = call(train_command, "t.npy", *usual, "--json", Path("run", name))
    assert (status, "is a file of the run itself; name another file" in told) == (2, True)
    assert contents("run") == kept


def test_memory_that_does_not_suffice_is_told(call, monkeypatch):
    monkeypatch.setattr("gpu.training.mean_over_batches", lambda *step: torch.empty(1 << 60))
    status, _, told = call(train_command, "t.npy", *USUAL, "--steps", 3, "--out", "run")
    assert (status, told) == (
        2, "gpu.train: the memory does not suffice; give less text, or smaller sizes.\n"
    )  # fmt: skip


def test_another_failure_is_not_taken_for_that(call, monkeypatch):
    def slips(*step):
        raise RuntimeError("a slip")

    monkeypatch.setattr("gpu.training.mean_over_batches", slips)
    monkeypatch.setattr(sys, "argv", ["command", "t.npy", *USUAL, "--steps", "3", "--out", "run"])
    with pytest.raises(RuntimeError, match="a slip"):
        train_command.main()


def test_one_process_at_a_time_has_a_folder(tmp_path):
    with claimed(tmp_path), pytest.raises(InputError, match="Another run is at work"), claimed(tmp_path):
        pass
    with claimed(tmp_path):
        pass
