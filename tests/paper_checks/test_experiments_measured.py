"""What experiments measure on models is found anew from their weights. The models are small and untrained."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import plant, returns

pytest.importorskip("torch", reason="experiments are of models in torch")

import torch

from gpu.small_gpt.ablation import losses
from gpu.small_gpt.config import Config
from gpu.small_gpt.export import layer_heads
from gpu.small_gpt.model import SmallGPT
from gpu.small_gpt.paths import cut
from gpu.threads import threads_worth
from paper_checks.experiments import circuits, heads, models, poems, probes, removal
from paper_checks.experiments.models import Blocks
from paper_checks.experiments.setting import SCALES, Setting
from properties.laws.statistics_exact import to_float
from properties.tolerances import gamma, unit_roundoff
from reference.attention_metrics import head_profile
from reference.cyclic import cyclic_sequences
from reference.encoded_text import END, UNKNOWN, EncodedText
from reference.probes import labels_by_type
from theory import random_rank

CLOSE = gamma(10_000, unit_roundoff("float32"))
V, T, H, D = 7, 9, 2, 8
SMALL = replace(
    SCALES["quick"],
    models=2,
    random_models=2,
    context=T,
    heads=H,
    width=D,
    deviation=0.4,
    batch=3,
    steps=11,
    poem_steps=17,
)
SETTING = Setting(SMALL)
CONFIG = Config(V, T, layers=2, heads=H, width=D, deviation=0.4)
WINDOWS = np.random.default_rng(0).integers(0, V, (5, T + 1))


@pytest.fixture(autouse=True)
def _one_thread():
    """Models this small are fastest on one thread."""
    with threads_worth(0):
        yield


def circuits_of(model):
    """Return W_V W_O of every head of every model, from the columns and rows that are its own."""
    k = D // H
    for m, layer, head in np.ndindex(len(model.seeds), 2, H):
        own = slice(head * k, (head + 1) * k)
        W_V, W_O = (model.weights[name][m, layer].detach().double().numpy() for name in ("W_V", "W_O"))
        yield W_V[:, own] @ W_O[own]


def losses_of(model, windows):
    """Return the losses [M, N, T] from the log of the softmax of the logits."""
    x, y = torch.from_numpy(windows[:, :-1]), torch.from_numpy(windows[:, 1:])
    with torch.no_grad():
        log_p = model(x).double().log_softmax(dim=-1)
    return -log_p.gather(-1, y[None, ..., None].expand(len(log_p), -1, -1, 1))[..., 0].numpy()


def drawn_text():
    """Return 400 tokens to train on, and the text that has them."""
    train = np.random.default_rng(1).integers(2, V, 400)
    vocabulary = (UNKNOWN, END, *map(str, range(2, V)))
    return train, EncodedText(vocabulary, train, np.zeros(20, dtype=int))


def test_every_seed_and_step_draws_windows_of_its_own(monkeypatch):
    """Models that differ in their start alone would make an interval over models too narrow."""
    train, text = drawn_text()
    plant(
        monkeypatch,
        models,
        text=returns(text),
        train=lambda config, seeds, batches, *more, **other: SimpleNamespace(model=(seeds, batches)),
    )
    seeds, batches = models._text_models.__wrapped__(SETTING, 2)
    assert seeds == (0, 1)
    pieces = {train[i : i + T + 1].tobytes() for i in range(len(train) - T)}
    drawn = [batches(step, seed) for step in (0, 1) for seed in (0, 1)]
    assert len({one.tobytes() for one in drawn}) == 4
    assert all(row.tobytes() in pieces for one in drawn for row in one)
    assert drawn[0].shape == (SMALL.batch, T + 1)
    assert (batches(0, 0) == drawn[0]).all()


@pytest.mark.parametrize("context", [None, 4])
def test_poems_are_drawn_so_too_and_as_many_characters_of_them_whatever_the_context(monkeypatch, context):
    train, text = drawn_text()
    plant(
        monkeypatch,
        poems,
        poems=returns(text),
        train=lambda config, seeds, batches, settings: SimpleNamespace(
            model=(config, seeds, batches, settings)
        ),
    )
    config, seeds, batches, settings = poems.poem_models.__wrapped__(SETTING, context)
    seen = context or T
    assert (config.context, seeds) == (seen, (0, 1))
    assert settings.steps == (SMALL.steps if context else SMALL.poem_steps)
    pieces = {train[i : i + seen + 1].tobytes() for i in range(len(train) - seen)}
    drawn = [batches(step, seed) for step in (0, 1) for seed in (0, 1)]
    assert len({one.tobytes() for one in drawn}) == 4
    assert all(row.tobytes() in pieces for one in drawn for row in one)
    assert drawn[0].shape == (SMALL.batch * T // seen, seen + 1)


def test_every_seed_and_step_draws_blocks_of_its_own(monkeypatch):
    plant(
        monkeypatch,
        models,
        train=lambda *given, record: SimpleNamespace(model=given),
    )
    run = models.block_models.__wrapped__(SETTING, Blocks(1, 4, False, (4, 6)), 32)
    config, seeds, batches, settings = run.model
    # What appears within a record of something else appears within a sixteenth of the training.
    assert (settings.steps, settings.record_every, settings.rate) == (32, 2, SMALL.blocks_rate)
    assert (config.layers, config.heads, config.positions, config.mlp) == (1, 4, False, False)
    assert seeds == (0, 1)
    drawn = [batches(step, seed) for step in (0, 1) for seed in (0, 1)]
    assert len({one.tobytes() for one in drawn}) == 4
    rows = np.concatenate(drawn)
    by_period = [(rows[:, P:] == rows[:, :-P]).all(axis=1) for P in (4, 6)]
    assert np.logical_xor(*by_period).all()
    assert by_period[0].any()
    assert by_period[1].any()


def test_ranks_are_of_what_heads_move(monkeypatch):
    trained, untrained = SmallGPT(CONFIG, (0, 1)), SmallGPT(CONFIG, (7, 8))
    derived, *rows = heads._circuits(SETTING, trained, untrained)
    assert derived["participation ratio"] == to_float(random_rank.participation_ratio(D, D // H))
    for model, row in zip((untrained, trained), rows, strict=True):
        grams = [M @ M.T for M in circuits_of(model)]
        ratios = [np.trace(one) ** 2 / np.trace(one @ one) for one in grams]
        assert row["participation ratio"] == pytest.approx(np.mean(ratios), rel=CLOSE)
        shares = [np.cumsum(np.linalg.eigvalsh(one)[::-1]) / np.trace(one) for one in grams]
        assert row["rank of 90%"] == np.mean([np.argmax(one >= 0.9) + 1 for one in shares])
    assert [row["models"] for row in rows] == ["untrained", "trained"]


def test_what_was_seen_in_training_is_compared_with_what_was_not(monkeypatch):
    """Of two texts of one token each every window is alike, so that one of each tells the difference."""
    seen, unseen = (np.full(9 * (T + 1), token) for token in (2, 3))
    planted = returns(EncodedText((UNKNOWN, END, "seen", "unseen"), seen, unseen))
    plant(monkeypatch, models, text=planted)
    plant(monkeypatch, heads, text=planted)
    model = SmallGPT(CONFIG, (0, 1))
    with torch.no_grad():
        maps = [model.run(torch.full((1, T), token)).attention for token in (2, 3)]
    entropies = [[head_profile(A.double().numpy())["entropy"] for A in one] for one in maps]
    expected = np.abs(np.subtract(*entropies)).max()
    assert heads._seen_less_unseen(SETTING, model) == pytest.approx(expected, rel=CLOSE / expected)


def test_a_row_of_the_table_of_heads_is_of_its_head():
    found = {"entropy": np.arange(24.0).reshape(2, 2, 2, 3), "diagonal": -np.arange(24.0).reshape(2, 2, 2, 3)}
    rows = heads._table(None, found)
    assert [(row["model"], row["layer"], row["head"]) for row in rows] == list(np.ndindex(2, 2, 2))
    assert [row["entropy"] for row in rows] == [3 * i + 1 for i in range(8)]
    assert [row["diagonal"] for row in rows] == [-3 * i - 1 for i in range(8)]


def test_untrained_layers_are_compared_as_trained_ones_are():
    model = SmallGPT(CONFIG, (0, 1))
    k, rises = D // H, []
    for layer, head in np.ndindex(2, H):
        untrained = SmallGPT(CONFIG, tuple(models.UNTRAINED + seed for seed in model.seeds))
        whole = losses_of(untrained, WINDOWS)
        with torch.no_grad():
            untrained.weights["W_O"][:, layer, head * k : (head + 1) * k] = 0
        rises.append((losses_of(untrained, WINDOWS) - whole).mean(axis=(1, 2)))
    first, later = np.mean(rises[:H], axis=0), np.mean(rises[H:], axis=0)
    assert np.abs(removal._untrained_gaps(model, WINDOWS) - (first - later)).max() <= CLOSE


def test_paths_compose_as_the_weights_of_their_heads_do(monkeypatch):
    """What the writer writes, W_V W_O, against what the reader takes with its queries, keys and values."""
    config = Config(V, T, layers=2, heads=H, width=D, mlp=False, normalised=False, deviation=0.4)
    model = SmallGPT(config, (0,))
    tokens, period = cyclic_sequences(np.random.default_rng(0), 5, T, V, (3, 4))
    known = np.arange(T) >= period[:, None]
    plant(monkeypatch, circuits, unseen_blocks=returns((tokens, period, known)))
    found = circuits._of_one(SETTING, model, layer_heads(model, 0))["rows"]
    assert {(row["writer"], row["role"]) for row in found} == {
        ((0, w), role) for w in range(H) for role in ("query", "key", "value")
    }
    for row in found:
        (_, w), (_, r) = row["writer"], row["reader"]

        def of(name, layer, head):
            return model.by_head(name, layer)[0, head].detach().double().numpy()

        W_Q, W_K, W_V, W_O = (of(name, 1, r) for name in ("W_Q", "W_K", "W_V", "W_O"))
        read = {"query": W_Q @ W_K.T, "key": W_K @ W_Q.T, "value": W_V @ W_O}[row["role"]]
        written = of("W_V", 0, w) @ of("W_O", 0, w)
        score = np.linalg.norm(written @ read) / (np.linalg.norm(written) * np.linalg.norm(read))
        assert row["composition"] == pytest.approx(score)
        edits = cut(model, tokens[:, :-1], row["writer"], row["reader"], row["role"])
        gained = (losses(model, tokens, edits) - losses(model, tokens))[0][known].mean()
        assert row["loss gained"] == pytest.approx(gained, abs=CLOSE)
        assert np.sign(row["deviations above chance"]) == np.sign(score**2 - 1 / D)


class Asked(probes.Rows):
    """Rows that answer with what they were asked to fit: the features and the labels."""

    def score(self, features, labels=None):
        return features, self.labels if labels is None else labels


def test_each_control_of_a_probe_is_fitted_to_what_its_name_says():
    marks = np.array([True, False, False, True, False, False, False])
    plain = probes.probe_rows(marks, WINDOWS, seed=0)
    rows = Asked(**vars(plain))
    model, untrained = SmallGPT(CONFIG, (0,)), SmallGPT(CONFIG, (7,))
    found = probes._accuracies(rows, model, untrained, WINDOWS, 3)

    def streams(one):
        with torch.no_grad():
            trace = one.run(torch.from_numpy(WINDOWS[:, :-1]))
        return [stream[0].double().numpy().reshape(-1, D) for stream in trace.streams]

    own, W_E = streams(model), model.weights["W_E"][0].detach().double().numpy()
    expected = {
        "token": W_E[WINDOWS[:, :-1].ravel()],
        "untrained": streams(untrained)[1],
        **{f"stream {layer}": one for layer, one in enumerate(own)},
    }
    for name, features in expected.items():
        assert np.abs(found[name][0] - features).max() <= CLOSE, name
        assert (found[name][1] == plain.labels).all(), name
    place = found["place in the sentence"][0]
    same = plain.since_mark[:, None] == plain.since_mark
    assert ((place @ place.T > 0) == same).all()  # a column for each place, and nothing else
    assert (found["majority"] == plain.majority()).all()
    for layer, one in enumerate(own):
        features, labels = found[f"stream {layer}, labels by type"]
        assert np.abs(features - one).max() <= CLOSE
        by_type = {(token, label) for token, label in zip(plain.tokens, labels, strict=True)}
        assert len(by_type) == len(np.unique(plain.tokens))
        assert (labels == labels_by_type(plain.tokens, plain.labels.mean(), 3)).all()
    assert found.keys() == {
        *expected,
        "place in the sentence",
        "majority",
        "split by position",
        *(f"stream {layer}, labels by type" for layer in range(3)),
    }


def test_a_split_by_position_lets_a_probe_know_its_sequences():
    """Each sequence has a direction and a label of its own, of which a new sequence says nothing."""
    rng = np.random.default_rng(4)
    sequences = np.repeat(np.arange(40), 12)
    nothing = np.zeros(len(sequences), dtype=int)
    tested = np.isin(sequences, np.arange(0, 40, 3))
    labels = (rng.random(40) < 0.5)[sequences]
    rows = probes.Rows(sequences, labels, nothing, nothing, tested)
    features = rng.normal(size=(40, 60))[sequences] + 0.1 * rng.normal(size=(len(sequences), 60))
    assert probes._split_by_row(rows, features, seed=0) > 0.9
    assert rows.score(features).mean() < 0.8
