"""What experiments measure is what they say: on which text, of which token, where. Nothing is trained."""

from dataclasses import replace

import numpy as np
import pytest
from planted_models import SETTING, plant, returns

pytest.importorskip("torch", reason="experiments are of models in torch")

import torch

from gpu.small_gpt.ablation import losses
from gpu.small_gpt.config import Config
from gpu.small_gpt.export import layer_heads
from gpu.small_gpt.model import SmallGPT
from gpu.threads import threads_worth
from paper_checks.experiments import circuits, heads, models, probe_removal, probes
from properties.laws.statistics_exact import to_float
from properties.tolerances import gamma, unit_roundoff
from reference.attention_metrics import head_profile
from reference.constructions import induction_model
from reference.cyclic import cyclic_sequences
from reference.encoded_text import END, UNKNOWN, EncodedText
from reference.induction import sequence_induction_score
from reference.multi_head import NAMES
from reference.probes import fit_probe
from reference.random_heads import entropy_on_streams, initial_logit_variance
from theory import baselines

CLOSE = gamma(10_000, unit_roundoff("float32"))


@pytest.fixture(autouse=True)
def _one_thread():
    """Models this small are fastest on one thread."""
    with threads_worth(0):
        yield


def test_windows_are_unseen():
    """Of two texts with no token in common the windows are the test text's."""
    context = SETTING.scale.context
    train, test = np.full(9 * (context + 1), 2), np.full(9 * (context + 1), 3)
    with pytest.MonkeyPatch.context() as patch:
        plant(patch, models, text=returns(EncodedText((UNKNOWN, END, "seen", "unseen"), train, test)))
        assert (models.unseen_windows(SETTING, 4) == np.full((4, context + 1), 3)).all()


def test_a_row_of_a_probe_has_the_class_of_the_token_that_comes_next():
    """Were it the current token's, any embedding would tell it without error."""
    marks = np.array([False, True, False])
    windows = np.array([[0, 2, 1, 0, 2], [1, 1, 0, 2, 1]])
    rows = probes.probe_rows(marks, windows, seed=0)
    assert rows.tokens.tolist() == [0, 2, 1, 0, 1, 1, 0, 2]
    assert rows.labels.tolist() == [False, True, False, False, True, False, False, True]
    assert rows.sequences.tolist() == [0] * 4 + [1] * 4
    # The place in the sentence counts from the last mark that the model has read, the current token too.
    assert rows.since_mark.tolist() == [0, 1, 0, 1, 0, 0, 1, 2]
    assert sorted(rows.tested.reshape(2, 4).sum(axis=1).tolist()) == [0, 4]


def test_a_direction_is_removed_where_it_was_probed(monkeypatch):
    """The stream of one layer is given to the probe; the edits are those of that layer, on test windows."""
    rng = np.random.default_rng(0)
    windows, d, seen = rng.integers(0, 5, (6, 4)), 3, []
    labels = rng.random(18) < 0.5
    tested = np.repeat([True, False, True, False, False, False], 3)
    rows = probes.Rows(np.repeat(np.arange(6), 3), labels, windows[:, :-1].ravel(), labels, tested)
    stream = rng.normal(size=(18, d)) + labels[:, None] * [3.0, 0, 0]

    def measured(model, tokens, edits=None):
        assert (tokens == windows[[0, 2]]).all()
        seen.append(edits)
        return np.full((1, 2, 3), 1.0 if edits is None else 1.5 + edits[1][0])  # the direction's first part

    plant(
        monkeypatch,
        probe_removal,
        streams_as_rows=returns([None, stream, None]),
        removing_direction=lambda layer, unit: (layer, unit),
        losses=measured,
    )
    found = probe_removal._removed(SETTING, None, rows, windows)
    places = [edit[0] for edit in seen if edit is not None]
    assert places == [1] * (1 + SETTING.scale.directions)
    own = seen[1][1]
    assert own.tolist() == fit_probe(stream[~tested], labels[~tested]).unit.tolist()
    assert found.own.tolist() == pytest.approx([0.5 + own[0]] * 2)
    assert found.random.tolist() == pytest.approx([0.5 + edit[1][0] for edit in seen[2:]])
    assert len({edit[1][0] for edit in seen[1:]}) == 1 + SETTING.scale.directions
    # A new probe is fitted to the training rows without the direction.
    without = stream - (stream @ own)[:, None] * own
    assert found.still.tolist() == rows.score(without).tolist()


def test_a_record_of_training_is_of_the_rows_that_have_seen_a_repetition():
    setting, periods = (
        replace(SETTING, scale=replace(SETTING.scale, blocks_vocab=9, blocks_context=12)),
        (4, 5),
    )
    model = SmallGPT(Config(9, 12, layers=1, heads=2, width=8, deviation=0.3), (0, 1))
    record = models._recorder(setting, periods)(model)
    tokens, drawn, _ = models.unseen_blocks(setting, periods)
    each = losses(model, tokens)
    late = np.arange(each.shape[2]) >= drawn[:, None]
    assert record["loss"] == pytest.approx([one[late].mean() for one in each], rel=CLOSE)
    assert record["loss"] != pytest.approx([one.mean() for one in each], rel=CLOSE)
    inputs = tokens[:, :-1]
    with torch.no_grad():
        (maps,) = model.run(torch.from_numpy(inputs)).attention  # [M, H, N, T, T]
    maps = maps.double().numpy()
    for name, of_head in {
        "induction": lambda A: sequence_induction_score(A, inputs).mean(),
        "previous": lambda A: head_profile(A)["previous"].mean(),
    }.items():
        best = [max(of_head(A) for A in one) for one in maps]
        assert np.ravel(record[name]) == pytest.approx(best, rel=CLOSE), name


def test_there_are_as_many_untrained_models_as_are_asked_for(monkeypatch):
    plant(monkeypatch, models, text_config=returns(Config(5, 4, heads=2, width=8)))
    untrained = models.untrained_models(SETTING)
    assert len({*untrained.seeds} - {*SETTING.seeds}) == SETTING.scale.random_models


def test_untrained_models_are_no_trained_models_start():
    """A model before its training is no independent draw beside it."""
    model = SmallGPT(Config(5, 4, heads=2, width=8), (0, 1))
    untrained = models.untrained_like(model)
    assert untrained.config == model.config
    assert not {*untrained.seeds} & {*model.seeds}
    assert len(untrained.seeds) == 2


def test_an_untrained_heads_entropy_is_predicted_from_what_it_reads():
    """The streams before each layer, normalised as the model does it; not those after it."""
    model = SmallGPT(Config(5, 6, heads=2, width=8, deviation=0.4), (0, 1, 2))
    windows = np.random.default_rng(0).integers(0, 5, (9, 7))
    setting = replace(SETTING, scale=replace(SETTING.scale, width=8, deviation=0.4))
    with torch.no_grad():
        streams = model.run(torch.from_numpy(windows[: heads.STREAMS, :-1])).streams[:2]
        read = np.stack([model._read(one).double().numpy() for one in streams], axis=1)  # [R, L, N, T, d]
    expected = entropy_on_streams(read, initial_logit_variance(8, 0.4))[:, :, None]
    step = 0.01
    up_and_down = step * np.array([1.0, 0.0, 2.0]).reshape(3, 1, 1, 1)
    told = np.concatenate(
        [expected + up_and_down, 9 + 0 * expected[..., :1]], axis=-1
    )  # a window is left over
    off, predicted = heads._entropy_off(setting, model, told, windows)
    assert predicted == pytest.approx(expected.mean(), rel=CLOSE)
    # A mean of one step over its standard error; what rounds is the entropies, of size 1.
    assert off == pytest.approx(np.sqrt(3), rel=CLOSE / step)


def induction_head():
    """Return the constructed induction head as a small GPT, and sequences with a beginning to try it on."""
    V, T = 7, 11
    by_hand = induction_model(V, T)
    width = by_hand.W_E.shape[1]
    model = SmallGPT(Config(V, T, 2, 1, width, mlp=False, normalised=False), (0,), dtype=torch.float64)
    with torch.no_grad():
        for name in ("W_E", "W_pos", "W_U"):
            model.weights[name][0] = torch.from_numpy(getattr(by_hand, name))
        for layer, name in ((layer, name) for layer in range(2) for name in NAMES):
            model.weights[name][0, layer] = torch.from_numpy(getattr(by_hand.layers[layer], name)[0].copy())
    blocks, period = cyclic_sequences(np.random.default_rng(0), 6, T - 1, V, (3, 4))
    tokens = np.column_stack([np.zeros(6, dtype=np.int64), blocks])
    return model, (tokens, period, np.arange(T) > period[:, None])


def test_the_paths_of_an_exact_induction_head(monkeypatch):
    """Without what the first head writes its keys say nothing: it looks to the beginning, and scores 0.

    It scores 1, uniform attention something above 0, so more than all that lies above that is taken away.
    """
    model, blocks = induction_head()
    plant(monkeypatch, circuits, unseen_blocks=returns(blocks))
    found = circuits._of_one(SETTING, model, layer_heads(model, 0))
    tokens = blocks[0][:, :-1]
    zero = np.mean([to_float(baselines.sequence_induction_score(row.tolist())) for row in tokens])
    assert found["score"] == pytest.approx(1)
    assert found["previous"] == [pytest.approx((tokens.shape[1] - 1) / tokens.shape[1])]
    assert found["lost"] == {"query": [0.0], "key": [pytest.approx(1 / (1 - zero))], "value": [0.0]}
    row = {one["role"]: one for one in found["rows"]}
    assert row["key"]["low"] <= row["key"]["score lost"] <= row["key"]["high"]
    # It writes where only the keys read: the query reads the token's own field, and so does the value.
    assert [row[role]["composition"] > 0 for role in ("query", "key", "value")] == [False, True, False]
    # Where it could have copied all seven tokens are alike now.
    assert row["key"]["loss gained"] == pytest.approx(np.log(7))
