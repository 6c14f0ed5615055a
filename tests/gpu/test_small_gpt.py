"""The small GPT is the model that it says it is, and heads are removed where they are still heads."""

import numpy as np
import pytest
import torch

from gpu.boundary import to_numpy
from gpu.small_gpt.ablation import (
    all_heads,
    effects,
    losses,
    removing,
    removing_after_projection,
    removing_direction,
)
from gpu.small_gpt.config import Config
from gpu.small_gpt.export import attention_only, embeddings
from gpu.small_gpt.generate import continued
from gpu.small_gpt.heads import head_scores, profiles
from gpu.small_gpt.model import Edits, SmallGPT
from gpu.small_gpt.paths import attention_of, cut
from gpu.small_gpt.training import Settings, train
from gpu.threads import threads_worth
from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference import attention_only as in_numpy
from reference.attention_metrics import head_profile
from reference.cyclic import cyclic_sequences
from reference.errors import InputError
from reference.induction import sequence_induction_score
from reference.model import causal_softmax
from reference.multi_head import head_outputs, multi_head_output
from reference.output_size import copying_cosine, relative_output

V, T = 11, 7
CLOSE = gamma(10_000, unit_roundoff("float64"))
TOKENS = np.random.default_rng(0).integers(0, V, (3, T + 1))


@pytest.fixture(autouse=True)
def _one_thread():
    """Models this small are fastest on one thread."""
    with threads_worth(0):
        yield


def model(seeds=(0, 1), **changes):
    sizes = {"vocab_size": V, "context": T, "heads": 2, "width": 8, "deviation": 0.3, **changes}
    return SmallGPT(Config(**sizes), seeds, dtype=torch.float64)


def bare(**changes):
    return model(mlp=False, normalised=False, **changes)


def test_without_perceptrons_it_is_the_reference():
    ours = bare()
    trace = ours.run(torch.from_numpy(TOKENS[:, :-1]))
    for number in range(2):
        theirs = in_numpy.run(attention_only(ours, number), TOKENS[:, :-1])
        assert np.abs(to_numpy(trace.logits)[number] - theirs.logits).max() <= CLOSE
        for layer in range(2):
            assert np.abs(to_numpy(trace.attention[layer])[number] - theirs.attention[layer]).max() <= CLOSE
        per_token = in_numpy.losses(theirs.logits, TOKENS[:, 1:])
        assert np.abs(losses(ours, TOKENS)[number] - per_token).max() <= CLOSE
    with pytest.raises(InputError, match="attention-only"):
        attention_only(model(), 0)


def test_removing_heads_is_the_reference_without_them():
    ours = bare()
    heads = [(0, 1), (1, 0)]
    found = losses(ours, TOKENS, removing(heads))
    for number in range(2):
        run = in_numpy.run(attention_only(ours, number), TOKENS[:, :-1], heads)
        assert np.abs(found[number] - in_numpy.losses(run.logits, TOKENS[:, 1:])).max() <= CLOSE


def test_a_head_removed_before_the_projection_is_its_rows_of_W_O_zeroed_and_after_it_is_not():
    ours, k = model(), 4
    right = losses(ours, TOKENS, removing([(1, 0)]))
    wrong = losses(ours, TOKENS, removing_after_projection([(1, 0)], k))
    with torch.no_grad():
        ours.weights["W_O"][:, 1, :k] = 0
    assert np.abs(losses(ours, TOKENS) - right).max() <= CLOSE
    assert np.abs(wrong - right).max() > 1000 * CLOSE


def test_a_layers_heads_add_up_to_what_it_adds_to_the_stream():
    ours = model(mlp=False)
    trace = ours.run(torch.from_numpy(TOKENS[:, :-1]))
    for layer in range(2):
        added = ours.head_outputs(layer, trace.mixed[layer]).sum(dim=1)
        assert (trace.streams[layer + 1] - trace.streams[layer] - added).abs().max() <= CLOSE
    stream = bare().run(torch.from_numpy(TOKENS[:, :-1])).streams
    weights = {name: to_numpy(bare().by_head(name, 0))[0] for name in ("W_Q", "W_K", "W_V", "W_O")}
    output = multi_head_output(weights, to_numpy(stream[0])[0], [])
    assert np.abs(output - to_numpy(stream[1] - stream[0])[0]).max() <= CLOSE


def test_a_profile_is_of_what_a_head_writes_beside_the_stream_that_it_reads():
    ours, x = bare(), TOKENS[:, :-1]
    found = profiles(ours, x)
    for number, layer in np.ndindex(2, 2):
        weights = attention_only(ours, number)
        run = in_numpy.run(weights, x)
        stream, maps = run.streams[layer], run.attention[layer]
        written = head_outputs(weights.layers[layer], stream, maps)
        beside = np.broadcast_to(stream, written.shape)
        expected = {
            **head_profile(maps),
            "relative_output": relative_output(written, beside),
            "copying": copying_cosine(written, beside),
            "output_norm": np.linalg.norm(written, axis=-1).mean(axis=-1),
        }
        assert expected.keys() == found.keys()
        for name, value in expected.items():
            assert np.abs(found[name][number, layer] - value).max() <= T * CLOSE, name


def test_a_heads_scores_are_of_what_it_reads_and_not_of_what_comes_next():
    ours, x = bare(), TOKENS[:, :-1]
    found = head_scores(ours, TOKENS)
    for number, layer, head in np.ndindex(2, 2, 2):
        maps = in_numpy.run(attention_only(ours, number), x).attention[layer][head]
        scores = {
            "previous": head_profile(maps)["previous"],
            "induction": sequence_induction_score(maps, x),
        }
        for name, of_sequences in scores.items():
            assert abs(found[name][number, layer, head] - of_sequences.mean()) <= CLOSE, name


@pytest.mark.parametrize(("role", "moved"), [("query", True), ("key", True), ("value", False)])
def test_a_cut_path_is_the_stream_without_what_one_head_wrote(role, moved):
    ours, x = bare(seeds=(0,)), TOKENS[:, :-1]
    weights = attention_only(ours, 0)
    run = in_numpy.run(weights, x)
    written = head_outputs(weights.layers[0], run.streams[0], run.attention[0])[1]
    sides = dict.fromkeys(("query", "key"), run.streams[1])
    if role != "value":
        sides[role] = run.streams[1] - written
    heads = weights.layers[1]
    scores = (sides["query"] @ heads.W_Q[0]) @ (sides["key"] @ heads.W_K[0]).swapaxes(-1, -2)
    expected = causal_softmax(scores / 2)  # a head of width 4
    edits = cut(ours, x, (0, 1), (1, 0), role)
    found = ours.run(torch.from_numpy(x), edits)
    assert np.abs(attention_of(ours, x, (1, 0), edits)[0] - expected).max() <= CLOSE
    assert (np.abs(expected - run.attention[1][0]).max() > 1000 * CLOSE) == moved
    # The other head of the layer is as it was; the logits are not, whatever the role.
    assert np.abs(to_numpy(found.attention[1])[0, 1] - run.attention[1][1]).max() <= CLOSE
    assert np.abs(to_numpy(found.logits)[0] - run.logits).max() > 1000 * CLOSE
    with pytest.raises(InputError, match="an earlier layer"):
        cut(ours, x, (1, 1), (1, 0), role)


def test_removed_at_some_positions_only():
    ours = model()
    nowhere, late = np.zeros((3, T), dtype=bool), np.zeros((3, T), dtype=bool)
    late[:, 4:] = True
    whole = effects(ours, TOKENS, [[(0, 0)], [(1, 1)]])
    assert np.abs(effects(ours, TOKENS, [[(0, 0)]], nowhere)).max() == 0
    changed = effects(ours, TOKENS, [[(0, 0)]], late)
    assert np.abs(changed[..., :4]).max() == 0
    assert np.abs(changed[..., 4:]).max() > 1000 * CLOSE
    # In the last layer a position's loss depends on what is removed there alone.
    last = effects(ours, TOKENS, [[(1, 1)]], late)
    assert np.abs(last[..., 4:] - whole[1:, ..., 4:]).max() <= CLOSE


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_a_direction_is_taken_out_of_the_stream_before_one_layer(layer):
    """From there on the model is as if it had begun with what is left; layer 2 of two is the end."""
    ours = bare(seeds=(0,))
    unit = np.random.default_rng(0).normal(size=8)
    unit /= np.linalg.norm(unit)
    weights, x = attention_only(ours, 0), TOKENS[:, :-1]
    stream = in_numpy.run(weights, x).streams[layer]
    stream = stream - np.multiply.outer(stream @ unit, unit)
    for heads in weights.layers[layer:]:
        stream = stream + multi_head_output(vars(heads), stream, [])
    found = losses(ours, TOKENS, removing_direction(layer, unit))[0]
    assert np.abs(found - in_numpy.losses(stream @ weights.W_U, TOKENS[:, 1:])).max() <= CLOSE


def test_one_head_can_be_given_a_stream_of_its_own():
    """Head 1 of layer 1 reads its keys from zeros; head 0 keeps its pattern."""
    ours = bare()

    def for_head_one(layer, role, stream):
        if layer != 1 or role != "key":
            return stream
        own = stream.expand(-1, 2, -1, -1, -1).clone()
        own[:, 1] = 0
        return own

    x = torch.from_numpy(TOKENS[:, :-1])
    plain, edited = ours.run(x).attention[1], ours.run(x, Edits(read=for_head_one)).attention[1]
    assert (plain[:, 0] - edited[:, 0]).abs().max() <= CLOSE
    even = torch.ones(T, T, dtype=torch.float64).tril() / torch.arange(1, T + 1)[:, None]
    assert (edited[:, 1] - even).abs().max() <= CLOSE


def test_models_side_by_side_are_the_models_alone():
    pair, alone = model((3, 5)), model((5,))
    assert np.abs(losses(pair, TOKENS)[1] - losses(alone, TOKENS)[0]).max() <= CLOSE

    def batches(step, seed):
        return np.random.default_rng([seed, step]).integers(0, V, (4, T + 1))

    config, settings = Config(V, T, heads=2, width=8), Settings(5, rate=0.01)
    together = train(config, (3, 5), batches, settings).model
    single = train(config, (5,), batches, settings).model
    for name, value in together.weights.items():
        apart = (value[1] - single.weights[name][0]).abs().max().item()
        assert apart <= DEVIATIONS * 5 * 0.01 * unit_roundoff("float32") ** 0.5, name


def test_matrices_decay_and_biases_do_not(monkeypatch):
    asked, plain = [], torch.optim.AdamW

    def spied(groups, **more):
        asked.extend(groups)
        return plain(groups, **more)

    monkeypatch.setattr(torch.optim, "AdamW", spied)
    config = Config(V, T, heads=2, width=8)
    trained = train(config, (0,), lambda step, seed: TOKENS, Settings(1, decay=0.5)).model
    decays = {id(weight): group["weight_decay"] for group in asked for weight in group["params"]}
    found = {name: decays[id(weight)] for name, weight in trained.weights.items()}
    assert found == {name: 0.0 if name in ("b_in", "b_out") else 0.5 for name in trained.weights}


def test_the_rate_rises_in_a_line_and_falls_as_half_a_cosine_to_a_tenth():
    settings = Settings(100, rate=2.0, warmup=10)
    falls = [1.1 + 0.9 * np.cos(np.pi * step / 100) for step in range(101)]
    rises = [min(1.0, (step + 1) / 10) for step in range(101)]
    assert [settings.rate_at(step) for step in range(101)] == pytest.approx(
        np.multiply(rises, falls).tolist()
    )
    assert settings.rate_at(100) == pytest.approx(0.2)


def test_training_learns_a_fixed_period_and_repeats_to_the_bit():
    config = Config(9, 10, layers=1, heads=2, width=32, mlp=False, normalised=False, deviation=0.1)

    def batches(step, seed):
        return cyclic_sequences(np.random.default_rng([seed, step]), 16, 10, 9, (4,))[0]

    def known(trained):
        return float(trained.losses(torch.from_numpy(batches(10**6, 0)))[..., 4:].mean())

    runs = [
        train(config, (0,), batches, Settings(120, rate=0.02, warmup=20, record_every=50), record=known)
        for _ in range(2)
    ]
    assert runs[0].records == runs[1].records
    assert [step for step, _ in runs[0].records] == [0, 50, 100, 120]
    assert runs[0].records[-1][1] < runs[0].records[0][1] / 4
    for name, value in runs[0].model.weights.items():
        assert torch.equal(value, runs[1].model.weights[name])


def test_text_is_the_most_likely_continuation():
    ours = model((0,))
    written = continued(ours, [1, 2, 3], 3)[0]
    step = ours(torch.tensor([[1, 2, 3, *written[:-1]]]))[0, 0, 2:].argmax(dim=-1).tolist()
    assert written == step
    long = [1, 2, 3, *continued(ours, [1, 2, 3], T + 3)[0]]
    assert len(long) == 3 + T + 3
    # Past its context it sees the last T tokens.
    for end in (T + 1, len(long) - 1):
        assert ours(torch.tensor([long[end - T : end]]))[0, 0, -1].argmax() == long[end]


def test_embeddings_are_float64_arrays_of_the_model_asked_for():
    assert {name: (value.shape, value.dtype.name) for name, value in embeddings(model(), 1).items()} == {
        "tokens": ((V, 8), "float64"),
        "positions": ((T, 8), "float64"),
    }
    second = SmallGPT(Config(V, T, heads=2, width=8, deviation=0.3), (1,), dtype=torch.float64)
    for name, value in embeddings(model((0, 1)), 1).items():
        assert (value == embeddings(second, 0)[name]).all()
    assert all_heads(model()) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_what_does_not_fit_is_told():
    with pytest.raises(InputError, match="3 heads do not share a width of 8"):
        model(heads=3)
    with pytest.raises(InputError, match="layers is -1"):
        model(layers=-1)
    with pytest.raises(InputError, match="deviation"):
        model(deviation=-1.0)
    with pytest.raises(InputError, match="exceed the context of 7"):
        model()(torch.zeros((1, 9), dtype=torch.int64))
    with pytest.raises(InputError, match="fit no 2 models"):
        model()(torch.zeros((3, 1, 4), dtype=torch.int64))
    with pytest.raises(InputError, match="No seed"):
        train(Config(V, T, heads=2, width=8), (), lambda step, seed: TOKENS, Settings(1))
    with pytest.raises(InputError, match="lower the rate"):
        train(
            Config(V, T, heads=2, width=8), (0,), lambda step, seed: TOKENS, Settings(40, rate=1e30, warmup=1)
        )
