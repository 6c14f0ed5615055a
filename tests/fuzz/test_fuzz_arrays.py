"""Damaged weights and sums: .npz, .safetensors, progress, checkpoints of a training, models in folders."""

import json
from functools import partial

import numpy as np
import pytest
import torch
from fuzzing import PROFILES, Reader, hold
from safetensors.numpy import save, save_file

from gpu import checkpoints, progress
from gpu.array_files import metadata, read_arrays
from gpu.boundary import GROUPS
from gpu.corpus_cache import kept
from gpu.pretrained.loading import load_model
from gpu.sparse_progress import SparseFirstSums, SparseSecondSums
from gpu.sums import FirstSums, SecondSums
from gpu.training_settings import Settings
from properties.checkpoint_file import read_checkpoint
from properties.parameter_names import OWN
from reference.tokenized import Tokenized

V, T, L = 3, 2, 1
WEIGHTS = {
    "W_O": np.ones((V, V)),
    "V": np.ones((L, V, V)),
    "W": np.ones((L, V, V)),
    "P": np.ones((L, T)),
}
SETTINGS = Settings(vocab_size=V, layers=L, rate=0.1, steps=3, batch=1)
MODEL = {"positional_embedding_type": "standard", "attn_only": True, "normalization_type": None}


def npz(folder):
    np.savez(folder / "stored.npz", **WEIGHTS)
    np.savez_compressed(folder / "deflated.npz", **WEIGHTS)
    return [(folder / "stored.npz").read_bytes(), (folder / "deflated.npz").read_bytes()]


def saved_progress(kinds, folder):
    first, second = kinds
    whole = progress.Progress(V, T, first.zero(V, T), second.zero(V, T), 1, "digest", "digest")
    progress.save(folder / "made", whole)
    return [(folder / "made").read_bytes()]


def load_progress(kinds, path):
    loaded = progress.load(path, V, T, "one process", *kinds)
    # What is loaded can be gone on with.
    progress.save(path.with_name("again"), loaded)


def training(folder):
    arrays = {group: value.astype(np.float32) for group, value in WEIGHTS.items()}
    assert set(arrays) == set(GROUPS)
    facts = {"kind": checkpoints.KIND, "step": 2, "settings": SETTINGS.__dict__, "corpus": "c"}
    return [save(arrays, metadata(arrays, json.dumps(facts)))]


def load_training(path):
    found = checkpoints.load(path.parent, SETTINGS, "c", torch.device("cpu"))
    assert found.step <= SETTINGS.steps
    assert {group: tuple(value.shape) for group, value in found.model.named_parameters()} == {
        group: value.shape for group, value in WEIGHTS.items()
    }


def log(folder):
    return [b'{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.0}\n{"step": 3, "lo']


def go_on_with_log(path):
    checkpoints.cut_log(path.parent, 2)
    checkpoints.last_entry(path.parent)


def attention_only(folder):
    parameters = {"embed.W_E": (V, 4), "pos_embed.W_pos": (T, 4), "unembed.W_U": (4, V)}
    for group, shape in {"W_Q": (2, 4, 2), "W_K": (2, 4, 2), "W_V": (2, 4, 2), "W_O": (2, 2, 4)}.items():
        parameters[f"blocks.0.attn.{group}"] = shape
    return {name: np.ones(shape, dtype=np.float32) for name, shape in parameters.items()}


def configuration(folder):
    save_file(attention_only(folder), folder / "model.safetensors")
    return [json.dumps(MODEL).encode()]


def weights_of_model(folder):
    (folder / "config.json").write_text(json.dumps(MODEL))
    return [save(attention_only(folder))]


def look_at_model(path):
    model = load_model(str(path.parent), None, "cpu")
    assert model.sizes.layers == 1


def tokenized():
    return Tokenized(np.array([0, 1, 0], dtype=np.uint8), np.array([3]), ("a", "b"))


def kept_corpus(monkeypatch, folder):
    monkeypatch.setenv("LEADTERMS_CACHE", str(folder))
    kept("a corpus", tokenized)
    (path,) = folder.glob("*.safetensors")
    return path.read_bytes(), path.name


DENSE, SPARSE = (FirstSums, SecondSums), (SparseFirstSums, SparseSecondSums)
WEIGHTS_OF = partial(read_checkpoint, names=OWN, vocab_size=V, length=T)
READERS = [
    Reader("npz", "w.npz", npz, WEIGHTS_OF),
    Reader("safetensors", "w.safetensors", lambda _: [save(WEIGHTS)], WEIGHTS_OF),
    Reader("progress", "p.safetensors", partial(saved_progress, DENSE), partial(load_progress, DENSE)),
    Reader("sparse", "p.safetensors", partial(saved_progress, SPARSE), partial(load_progress, SPARSE)),
    Reader("training", checkpoints.CHECKPOINT, training, load_training),
    Reader("log", checkpoints.LOG, log, go_on_with_log),
    Reader("configuration", "config.json", configuration, look_at_model),
    Reader("model", "model.safetensors", weights_of_model, look_at_model),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_damaged_file_of_arrays_is_read_or_refused(reader, tmp_path, profile):
    hold(reader, tmp_path, profile)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_damaged_corpus_in_the_cache_is_made_again(tmp_path, monkeypatch, profile):
    content, name = kept_corpus(monkeypatch, tmp_path)

    def read(path):
        found = kept("a corpus", tokenized)
        assert found.ranks.tolist() == [0, 1, 0]
        assert found.words == ("a", "b")

    hold(Reader("cache", name, lambda _: [content], read), tmp_path, profile)


def facts_of(kinds):
    """Progress whose arrays are whole: only what it says of them is damaged."""

    def valid(folder):
        (content,) = saved_progress(kinds, folder)
        (folder / "whole").write_bytes(content)
        return [json.dumps(read_arrays(folder / "whole")[1]).encode()]

    def read(path):
        arrays, _ = read_arrays(path.with_name("whole"))
        told = path.read_bytes().decode(errors="replace")
        path.with_name("p").write_bytes(save(arrays, metadata(arrays, told)))
        load_progress(kinds, path.with_name("p"))

    return valid, read


def facts_of_training(folder):
    (content,) = training(folder)
    (folder / checkpoints.CHECKPOINT).write_bytes(content)
    return [json.dumps(read_arrays(folder / checkpoints.CHECKPOINT)[1]).encode()]


def read_facts_of_training(path):
    told = path.read_bytes().decode(errors="replace")
    arrays = {group: value.astype(np.float32) for group, value in WEIGHTS.items()}
    path.with_name(checkpoints.CHECKPOINT).write_bytes(save(arrays, metadata(arrays, told)))
    load_training(path)


FACTS = [
    Reader("facts of progress", "f.json", *facts_of(DENSE)),
    Reader("facts of sparse progress", "f.json", *facts_of(SPARSE)),
    Reader("facts of a training", "f.json", facts_of_training, read_facts_of_training),
]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("reader", FACTS, ids=lambda reader: reader.name)
def test_damaged_facts_are_read_or_refused(reader, tmp_path, profile):
    hold(reader, tmp_path, profile)
