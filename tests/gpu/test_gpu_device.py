"""Everything that takes a device computes there, and the same to the bit: on a device that is pretended."""

import json
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
import torch
from gpu_corpora import corpus, parameters
from pretended_gpu import DEVICE, NAME, pretended_gpu
from test_gpu_pretrained_attention_only import attention_only

import gpu.implementation
import gpu.paths
import gpu.shared_step
import gpu.step_choice
import gpu.torch_sums
import gpu.training
from benchmarks import gpu_statistics, training_step
from gpu import compiled
from gpu.attention_metrics import centred_head_similarity
from gpu.boundary import to_numpy, usable_device
from gpu.implementation import Gpu
from gpu.pretrained.alignment import alignments, theory_of
from gpu.pretrained.attention_only import AttentionOnlyModel
from gpu.pretrained.circuits import circuits
from gpu.pretrained.token_blocks import most_frequent, token_blocks
from gpu.streaming import stream_statistics
from gpu.training import Outputs, train_model
from gpu.training_settings import Settings
from properties.tolerances import rounding
from reference.corpus import shuffled

V, T = 7, 6
TOKENS = corpus(12, T, V).astype(np.uint32)


@pytest.fixture
def there(monkeypatch):
    """Return what runs a function of the device's name on the device, and on the CPU."""
    for module in (gpu.implementation, gpu.torch_sums, gpu.training):
        monkeypatch.setattr(
            module, "usable_device", lambda name: DEVICE if name == NAME else usable_device(name)
        )
    monkeypatch.setitem(gpu.paths.ENTRIES_AT_ONCE, DEVICE.type, gpu.paths.ENTRIES_AT_ONCE["cpu"])

    def both(compute):
        with pretended_gpu():
            found = compute(NAME)
        return found, compute("cpu")

    return both


def equal(found, expected):
    assert type(found) is type(expected)
    if isinstance(found, dict):
        assert found.keys() == expected.keys()
        return all(equal(found[name], expected[name]) for name in found)
    return np.array_equal(found, expected) if isinstance(found, np.ndarray) else found == expected


def test_what_a_gpu_refuses_is_refused():
    with pretended_gpu():
        ours = torch.ones(2, device=DEVICE)
        assert (ours + 1).device == DEVICE
        assert (ours + torch.tensor(1)).cpu().tolist() == [2, 2]
        with pytest.raises(AssertionError, match="two devices"):
            ours + torch.ones(2)
        with pytest.raises(AssertionError, match="two devices"):
            ours[torch.arange(2)]
        with pytest.raises((TypeError, RuntimeError)):
            ours.numpy()


WEIGHTS = parameters(T, V, 2)
MAP = np.tril(np.random.default_rng(0).random((T, T)))
HEADS = {name: np.random.default_rng(1).random((2, 5, 3)) for name in ("W_Q", "W_K", "W_V")} | {
    "W_O": np.random.default_rng(2).random((2, 3, 5))
}
METHODS = {
    "statistics": (TOKENS, V),
    "logits": (WEIGHTS, TOKENS),
    "attention": (WEIGHTS, TOKENS),
    "loss": (WEIGHTS, TOKENS),
    "gradients": (WEIGHTS, TOKENS),
    "train": (TOKENS, V, 2, 0.5, 4),
    "remove_projection": (WEIGHTS["W_O"], WEIGHTS["V"][0]),
    "head_profile": (MAP,),
    "induction_score": (MAP, 3),
    "sequence_induction_score": (MAP, np.array([1, 2, 3, 1, 2, 3])),
    "composition_score": (WEIGHTS["W_O"], WEIGHTS["V"][0]),
    "multi_head_output": (HEADS, np.random.default_rng(3).random((2, T, 5)), [1]),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("method", METHODS)
def test_the_implementation_computes_on_its_device(there, method, dtype):
    assert equal(*there(lambda device: getattr(Gpu(dtype, device), method)(*METHODS[method])))


def test_every_method_of_the_protocol_is_tried():
    assert set(METHODS) == {name for name in vars(Gpu) if not name.startswith("_")}


def test_heads_are_compared_on_the_device(there):
    maps = np.stack([MAP, MAP[:, ::-1].copy()])
    assert equal(*there(lambda name: to_numpy(centred_head_similarity(torch.tensor(maps, device=name)))))


def counted(device):
    return stream_statistics([TOKENS[:7], TOKENS[7:]], V, engine_name="torch", device=device)


def test_statistics_of_a_stream_are_counted_on_the_device(there):
    assert equal(*there(counted))


@pytest.mark.parametrize("by_paths", [False, True])
def test_training_takes_place_on_the_device_and_goes_on_there(there, by_paths, tmp_path, monkeypatch):
    computed_on = []
    step = gpu.shared_step.cheapest_loss_and_gradients

    def seen(model, tokens):
        computed_on.extend({value.device for value in [tokens, *model.parameters()]})
        return step(model, tokens)

    monkeypatch.setattr(gpu.shared_step, "cheapest_loss_and_gradients", seen)
    monkeypatch.setattr(gpu.step_choice, "paths_pay", lambda *sizes: by_paths)
    settings = Settings(V, 2, rate=0.5, steps=4, batch=4, dtype="float32", start_size=1.0, start_decay=0.0)

    def trained(device):
        folder = tmp_path / device.partition(":")[0]
        outputs = Outputs(folder, save_every=1, log_every=1)
        logging = {"statistics": lambda: counted(device), "device": device}

        def stop(entry):
            if entry.step == 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train_model(TOKENS, settings, outputs=replace(outputs, told=stop), **logging)
        weights = train_model(TOKENS, settings, outputs=outputs, **logging)
        log = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
        measured = [[line["loss"], *chain(*line["alignments"].values())] for line in log]
        return weights | {"log": np.array(measured, dtype=float)}

    assert equal(*there(trained))
    assert computed_on == [DEVICE] * settings.steps + [torch.device("cpu")] * settings.steps


@pytest.mark.skipif(not compiled.available(), reason="numba is not installed")
def test_a_pretrained_model_is_examined_on_the_device(there):
    """Its heads, its covariances beside the theory's, and a model with random weights in its place."""
    words = 9
    numbers = corpus(40, 8, words)
    ids = most_frequent(numbers, 5)
    blocks, control = (token_blocks(one, words, ids) for one in (numbers, shuffled(numbers, 0)))

    def examined(device):
        given, _ = attention_only()
        moved = {name: value.to(device) for name, value in given.items()}
        model = AttentionOnlyModel(moved, "shortformer", 0, "a tiny model")
        untrained = model.untrained(3)
        place = {one.device for one in (model.embeddings()[0], untrained.embeddings()[0])}
        assert place == {torch.device(device)}
        theory = theory_of(blocks, control, device)
        one = theory.attention["Q_bar"]
        assert {part.device for part in (one.matrix, one.directions, one.values)} == {torch.device(device)}
        return [(circuits(one, 0), alignments(one, ids, theory)) for one in (model, untrained)]

    for (heads, cosines), (own_heads, own_cosines) in zip(*there(examined), strict=True):
        assert cosines == own_cosines
        assert replace(heads, spectra={}) == replace(own_heads, spectra={})
        # torch takes singular values by another routine off the CPU. Each is off by a rounding of the largest
        # for every entry of the matrix at most, and a share of their squares by four times as much.
        entries = max(one.numel() for one in attention_only()[1].embeddings())
        for name, shares in own_heads.spectra.items():
            assert heads.spectra[name] == pytest.approx(shares, rel=0, abs=rounding(4.0, entries, "float64"))


def test_what_is_measured_on_a_gpu_runs_there(there, monkeypatch):
    """The benchmark's own functions at a small size: the floor is a time, the error is within its bound."""
    monkeypatch.setattr(gpu_statistics, "V", 9)
    monkeypatch.setattr(gpu_statistics, "COPIED", 1 << 10)
    monkeypatch.setattr(training_step, "V", 9)
    monkeypatch.setattr(training_step, "T", 5)
    monkeypatch.setattr(training_step, "DENSE_SIZES", (1, 2))
    monkeypatch.setattr(training_step, "PATH_SIZES", (1, 2))
    numbers = corpus(3, 5, 9)
    with pretended_gpu():
        tokens = torch.tensor(numbers, device=DEVICE)
        G_bar = torch.rand(9, 9, dtype=torch.float64, device=DEVICE)
        found = gpu_statistics.one_round(tokens, G_bar, {"torch": gpu.torch_sums.eager(NAME)})
        assert found["torch_over_the_floor"] > 0
        assert gpu_statistics.worst_error(numbers.astype(np.uint32), NAME, "torch") <= 1
        model = training_step.started(2, NAME)
        assert all(value.device == DEVICE for value in model.parameters())
        assert set(training_step.one_round(model, tokens)) == {"dense", "paths"}
        assert set(training_step.difference(model, tokens)) == {"W_O", "V", "W", "P"}
