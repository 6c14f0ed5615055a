"""Training runs: what a step does, what is written, and what a run does when it is stopped."""

import errno
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from gpu_corpora import corpus

import gpu.array_files
import gpu.checkpoints
import gpu.step_choice
import gpu.training
from gpu.alignment import alignments, cosine, leading_terms, spreads
from gpu.implementation import Gpu
from gpu.model import Transformer, zero_parameters
from gpu.training import Entry, Outputs, train_model
from gpu.training_settings import Settings
from properties.rounded_model import stacked, train
from properties.tolerances import gamma, unit_roundoff
from reference.errors import InputError
from reference.statistics import statistics

ROOT = Path(__file__).resolve().parents[2]
TOKENS = corpus(12, 6, 5)
SETTINGS = Settings(vocab_size=5, layers=2, rate=0.5, steps=6, batch=4, dtype="float64", start_size=0.5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_full_batches_are_full_batch_descent(dtype):
    tokens = corpus(3, 5, 4)
    settings = Settings(4, 2, rate=0.125, steps=4, batch=3, dtype=dtype)
    found, exact = train_model(tokens, settings), train(tokens, 4, 2, 0.125, 4, dtype)
    for group, value in found.items():
        assert value.dtype == dtype
        expected, bound = stacked(exact, group)
        assert (np.abs(value - expected) <= bound).all(), group


def test_a_step_uses_its_batch_and_its_rate():
    settings = replace(SETTINGS, steps=2, warmup=2, start_size=0.0)
    first, second = (TOKENS[settings.sequences_at(step, len(TOKENS))] for step in (0, 1))
    by_hand = train_model(first, replace(settings, steps=1, warmup=0, rate=0.25, shuffled=False))
    gradient = Gpu().gradients(by_hand, second)
    found = train_model(TOKENS, settings)
    for group, value in found.items():
        moved = by_hand[group] - 0.5 * gradient[group]
        size = np.abs(by_hand[group]) + np.abs(gradient[group])
        # Two roundings of the last step; the gradient is the same code on another order of its batch.
        assert (np.abs(value - moved) <= gamma(4 * TOKENS.size, unit_roundoff("float64")) * (size + 1)).all()


@pytest.mark.parametrize(
    ("layers", "dtype", "way"), [(2, "float64", "dense"), (1, "float32", "paths"), (3, "float64", "paths")]
)
def test_batches_that_are_averaged_are_full_batch_descent_by_either_way(layers, dtype, way, monkeypatch):
    """Batches of equal size: the mean of their means is that of all, with one more division a step."""
    monkeypatch.setattr("gpu.step_choice.paths_pay", lambda *sizes: way == "paths")
    tokens, told = corpus(6, 3, 3), []
    settings = Settings(3, layers, 0.125, steps=3, batch=2, accumulate=3, dtype=dtype, shuffled=False)
    found = train_model(tokens, settings, outputs=Outputs(told=told.append))
    exact = train(tokens, 3, layers, 0.125, 3, dtype)
    for group, value in found.items():
        expected, bound = stacked(exact, group)
        assert (np.abs(value - expected) <= 2 * bound).all(), group
    # At the zero start every token has the same probability.
    assert abs(told[0].loss - np.log(3)) <= gamma(4 * tokens.size, unit_roundoff(dtype)) * np.log(3)


def test_an_epoch_takes_each_sequence_once():
    settings = replace(SETTINGS, batch=5)
    taken = np.concatenate([settings.sequences_at(step, 12) for step in (0, 1)])
    assert len(set(taken)) == 10
    assert not np.array_equal(settings.sequences_at(0, 12), settings.sequences_at(2, 12))
    plain = replace(settings, shuffled=False)
    assert plain.sequences_at(3, 12).tolist() == [5, 6, 7, 8, 9]


def test_rates_follow_the_schedule():
    rates = [replace(SETTINGS, schedule="linear", warmup=2).rate_at(step) for step in range(6)]
    assert rates == [0.25, 0.5, 0.5, 0.375, 0.25, 0.125]
    falling = [replace(SETTINGS, schedule="cosine").rate_at(step) for step in range(6)]
    assert falling[0] == SETTINGS.rate
    assert abs(falling[3] - SETTINGS.rate / 2) <= gamma(4, unit_roundoff("float64"))
    assert falling == sorted(falling, reverse=True)
    assert {SETTINGS.rate_at(step) for step in range(6)} == {0.5}


def test_the_start_is_zero_or_gaussian_of_the_stated_size():
    cpu = torch.device("cpu")
    assert not any(value.any() for value in replace(SETTINGS, start_size=0.0).start(6, cpu).parameters())
    V = 400
    start = Settings(V, 1, 0.1, 1, 1, start_size=3.0, start_decay=0.5, dtype="float64").start(6, cpu)
    variance = float(start.W.detach().square().mean())
    # The mean of n squares of standard normal numbers has the standard deviation sqrt(2 / n); 6 of them.
    assert abs(variance * V**3 / 9 - 1) <= 6 * (2 / V**2) ** 0.5
    # Groups are drawn apart: the mean of n products has the standard deviation 1 / sqrt(n), in units of both.
    for other in (start.V[0], start.W_O):
        assert abs(float((start.W[0] * other).mean().detach())) <= 6 / V * variance
    again = Settings(V, 1, 0.1, 1, 1, start_size=3.0, start_decay=0.5).start(6, cpu)
    assert torch.equal(again.W.detach(), start.W.detach().float())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("stopped_at", [1, 3, 4, 6])
def test_a_stopped_run_resumes_to_the_same_bits(stopped_at, dtype, tmp_path):
    settings = replace(SETTINGS, dtype=dtype)
    expected = train_model(TOKENS, settings)

    def stop(entry):
        if entry.step == stopped_at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_model(TOKENS, settings, outputs=Outputs(tmp_path, save_every=2, log_every=1, told=stop))
    told = []
    found = train_model(TOKENS, settings, outputs=Outputs(tmp_path, 2, 1, told.append))
    assert [entry.step for entry in told] == list(range(stopped_at - stopped_at % 2 + 1, 7))
    for group, value in expected.items():
        np.testing.assert_array_equal(found[group], value)
    assert [line["step"] for line in log(tmp_path)] == [1, 2, 3, 4, 5, 6]


def test_a_killed_process_resumes_to_the_same_bits(tmp_path):
    program = f"""
import os, signal, sys
sys.path[:0] = {[str(ROOT), str(Path(__file__).parent)]!r}
from pathlib import Path
import test_gpu_training as this
def kill(entry):
    if entry.step == 5:
        os.kill(os.getpid(), signal.SIGKILL)
outputs = this.Outputs(Path({str(tmp_path)!r}), save_every=1, log_every=1, told=kill)
this.train_model(this.TOKENS, this.SETTINGS, outputs=outputs)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    # What a process leaves that is killed while it writes a line of the log.
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"step": 6, "lo')
    found = train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path, log_every=1))
    for group, value in train_model(TOKENS, SETTINGS).items():
        np.testing.assert_array_equal(found[group], value)
    assert [line["step"] for line in log(tmp_path)] == [1, 2, 3, 4, 5, 6]
    assert {path.name for path in tmp_path.iterdir()} == {
        "checkpoint.safetensors",
        "log.jsonl",
        "run.json",
        "run.lock",
    }


def test_a_finished_run_is_not_trained_again(tmp_path):
    first = train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path))
    told = []
    again = train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path, told=told.append))
    assert not told
    np.testing.assert_array_equal(first["W_O"], again["W_O"])


def test_a_constant_rate_goes_on_for_more_steps(tmp_path):
    train_model(TOKENS, replace(SETTINGS, steps=3), outputs=Outputs(tmp_path))
    found = train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path))
    np.testing.assert_array_equal(found["W_O"], train_model(TOKENS, SETTINGS)["W_O"])


@pytest.mark.parametrize(
    ("tokens", "changes", "words"),
    [
        (corpus(12, 6, 5, seed=3), {}, "another corpus"),
        (TOKENS, {"rate": 0.25}, "rate = 0.5, not 0.25"),
        (TOKENS, {"layers": 1}, "layers = 2, not 1"),
        (TOKENS, {"dtype": "float32"}, "dtype = float64, not float32"),
        (TOKENS, {"steps": 3}, "of step 6"),
        (TOKENS, {"schedule": "linear"}, "schedule = constant"),
    ],
)
def test_another_runs_checkpoint_is_refused_and_kept(tokens, changes, words, tmp_path):
    train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path))
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    with pytest.raises(InputError, match=words):
        train_model(tokens, replace(SETTINGS, **changes), outputs=Outputs(tmp_path))
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before


def test_a_falling_rate_depends_on_all_steps_so_that_their_number_is_fixed(tmp_path):
    falling = replace(SETTINGS, schedule="linear")
    train_model(TOKENS, falling, outputs=Outputs(tmp_path))
    with pytest.raises(InputError, match="steps = 6, not 8"):
        train_model(TOKENS, replace(falling, steps=8), outputs=Outputs(tmp_path))


def test_the_pace_is_that_of_this_process(tmp_path, monkeypatch):
    """Each step takes two seconds of a clock of our own, and four sequences."""
    train_model(TOKENS, replace(SETTINGS, steps=2), outputs=Outputs(tmp_path))
    clock, told = [0.0], []
    monkeypatch.setattr("gpu.training.time.monotonic", lambda: clock[0])
    really = gpu.training._take_step

    def takes_two_seconds(*arguments):
        clock[0] += 2
        return really(*arguments)

    monkeypatch.setattr(gpu.training, "_take_step", takes_two_seconds)
    train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path, told=told.append))
    assert [(one.step, one.sequences_a_second, one.seconds_left) for one in told] == [
        (step, 2.0, 2.0 * (6 - step)) for step in (3, 4, 5, 6)
    ]


@pytest.mark.parametrize("pays", [True, False])
def test_a_step_takes_no_shortcuts_with_the_digits_of_products(pays, monkeypatch):
    """TF32 would keep ten bits of each factor; what was set before comes back."""
    met = []

    def captured(way):
        def step(*arguments):
            met.append(torch.get_float32_matmul_precision())
            return way(*arguments)

        return step

    for name in ("path_loss_and_gradients", "loss_and_gradients"):
        monkeypatch.setattr(gpu.step_choice, name, captured(getattr(gpu.step_choice, name)))
    monkeypatch.setattr(gpu.step_choice, "paths_pay", lambda *sizes: pays)
    torch.set_float32_matmul_precision("medium")
    try:
        train_model(TOKENS, replace(SETTINGS, steps=1))
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision("highest")
    assert set(met) == {"highest"}


def test_a_checkpoint_knows_the_same_tokens_in_sequences_of_another_length():
    """The settings do not say the length."""
    other = TOKENS.reshape(-1, 2 * TOKENS.shape[1])
    assert gpu.checkpoints.digest(TOKENS) != gpu.checkpoints.digest(other)
    assert gpu.checkpoints.digest(TOKENS) == gpu.checkpoints.digest(TOKENS.astype(np.uint16))


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_checkpoint(tmp_path):
    wild = replace(SETTINGS, rate=1e200, steps=8)
    with pytest.raises(InputError, match=r"The loss is nan at step \d+: lower the rate"):
        train_model(TOKENS, wild, outputs=Outputs(tmp_path, save_every=1))
    assert gpu.checkpoints.load(tmp_path, wild, gpu.checkpoints.digest(TOKENS), torch.device("cpu"))


def test_a_full_disk_stops_with_a_sentence_and_keeps_what_was_saved(tmp_path, monkeypatch):
    train_model(TOKENS, replace(SETTINGS, steps=3), outputs=Outputs(tmp_path))
    before = (tmp_path / "checkpoint.safetensors").read_bytes()

    def full(arrays, path, metadata):
        Path(path).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(gpu.array_files, "save_file", full)
    with pytest.raises(InputError, match="No space left on device"):
        train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path))
    assert (tmp_path / "checkpoint.safetensors").read_bytes() == before
    assert not list(tmp_path.glob(".*"))


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        train_model(TOKENS, SETTINGS, outputs=Outputs(tmp_path / "file"))


def test_the_log_has_loss_rate_alignments_and_spreads(tmp_path):
    known, told = statistics(TOKENS, 5), []
    settings = replace(SETTINGS, start_size=0.0, batch=12, steps=5, rate=0.01)
    found = train_model(
        TOKENS, settings, statistics=lambda: known, outputs=Outputs(tmp_path, log_every=2, told=told.append)
    )
    lines = log(tmp_path)
    assert [line["step"] for line in lines] == [2, 4, 5]
    assert lines[0].keys() == Entry(0, 0.0, 0.0, 0.0, 0.0).__dict__.keys()
    assert told[-1].seconds_left == 0
    assert told[0].loss > told[-1].loss
    last = lines[-1]["alignments"]
    assert [len(last[group]) for group in ("W_O", "V", "W", "P")] == [1, 2, 2, 2]
    expected = float(np.sum(found["W_O"] * known["B_bar"]))
    expected /= np.linalg.norm(found["W_O"]) * np.linalg.norm(known["B_bar"])
    assert abs(last["W_O"][0] - expected) <= gamma(4 * 25, unit_roundoff("float64"))
    # After two steps W and P have not moved, so that they have no direction.
    assert lines[0]["alignments"]["W"] == lines[0]["alignments"]["P"] == [None, None]
    assert lines[0]["spreads"]["W"] is None


def test_alignments_of_the_leading_terms_themselves_are_one():
    known = statistics(TOKENS, 5)
    zero = Transformer(zero_parameters(5, 6, 2, torch.float64, torch.device("cpu")))
    leading = leading_terms(known, zero)
    subject = Transformer({g: -2 * d if g == "W_O" else torch.stack([d, 3 * d]) for g, d in leading.items()})
    near = gamma(4 * 25, unit_roundoff("float64"))
    for group, cosines in alignments(subject, leading).items():
        assert all(abs(c - (-1 if group == "W_O" else 1)) <= near for c in cosines)
    # The mean of d and 3 d is 2 d, and both are d away.
    assert all(abs(far - 0.5) <= near for far in spreads(subject).values())
    assert cosine(torch.zeros(3), torch.ones(3)) is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"batch": 0}, "batch is 0"),
        ({"layers": -1}, "layers is -1"),
        ({"rate": float("nan")}, "rate is nan"),
        ({"rate": -0.5}, "rate is -0.5"),
        ({"start_size": float("inf")}, "start_size is inf"),
        ({"dtype": "float16"}, "float16"),
        ({"schedule": "steep"}, "steep"),
    ],
)
def test_a_setting_out_of_its_range_is_named(options, words):
    with pytest.raises(InputError, match=words):
        replace(SETTINGS, **options)


def test_too_few_sequences_and_useless_intervals_are_named():
    with pytest.raises(InputError, match="12 sequences make no batch of 13"):
        train_model(TOKENS, replace(SETTINGS, batch=13))
    with pytest.raises(InputError, match="save_every is 0"):
        Outputs(save_every=0)


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
