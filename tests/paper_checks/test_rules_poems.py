"""What experiments on models of poems make of effects and losses that are planted, clause by clause."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import (
    HEADS,
    MODELS,
    PLACES,
    SETTING,
    WINDOWS,
    heads_of,
    numbers_of,
    plant,
    planted_effects,
    returns,
    steps_of,
    swinging,
)

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import poem_context, poem_heads

CONFIG = SimpleNamespace(layers=2)
COUPLES = list(itertools.combinations(range(2 * HEADS), 2))


def heads_found(monkeypatch, by_layer, interactions, noise=0.0, pair_noise=0.0, untrained=(0.0, 0.0, 0.0)):
    """Return the outcome for heads that cost so much and pairs that interact so, all of three models."""
    single = planted_effects(by_layer, noise)
    moved = pair_noise * swinging(WINDOWS)[None, :, None]
    double = np.stack(
        [
            single[i] + single[j] + np.reshape(one, (-1, 1, 1)) + moved
            for (i, j), one in zip(COUPLES, interactions, strict=True)
        ]
    )
    chance = planted_effects([untrained, [0.0] * 3])

    def effects(model, windows, removed, where=None):
        if model == "untrained":
            return chance
        return single if len(removed) == len(single) else double

    profile = np.full((MODELS, 2, HEADS, 1), 0.5)
    plant(
        monkeypatch,
        poem_heads,
        poem_models=returns(SimpleNamespace(config=CONFIG, seeds=(0, 1, 2), only=lambda number: number)),
        poem_windows=returns(np.zeros((WINDOWS, PLACES + 1), dtype=int)),
        poems=returns(None),
        punctuation=returns(np.array([False, True])),
        all_heads=returns(heads_of(2)),
        effects=effects,
        losses=returns(np.full((MODELS, 1, 1), 4.0)),
        profiles=returns({"copying": profile}),
        SmallGPT=returns(None),
        untrained_like=returns("untrained"),
        _maps=returns({}),
    )
    return poem_heads.heads(SETTING)


ALL = [-0.5] * 6


@pytest.mark.parametrize(
    ("by_layer", "noise", "interactions", "met", "many"),
    [
        ([3.0, 1.0], 0.0, ALL, True, True),
        ([1.0, 1.0], 0.0, ALL, False, False),
        ([[3.0, 3.0, 0.5], [1.0] * 3], 0.0, ALL, False, False),  # the later layer matters more in one model
        ([1.1, 1.0], 3.0, ALL, False, False),  # more on average, and no more than windows differ
        ([3.0, 1.0], 0.0, [*ALL[:5], [-0.5, -0.5, 0.1]], False, True),  # one pair of one model
    ],
)
def test_layer_0_has_to_cost_most_and_every_pair_less_than_its_sum_in_every_model(
    monkeypatch, by_layer, noise, interactions, met, many
):
    found = heads_found(monkeypatch, by_layer, interactions, noise)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["many_inputs"], steps["ablation"]) == (met, many, many)
    assert steps["one_input"] == (np.max(by_layer[0]) > 1.1)
    assert found.verdict.startswith("Yes" if met else "Not both")
    first, rest = (np.broadcast_to(one, MODELS) for one in by_layer)
    for m in range(MODELS):
        assert numbers[f"layer 0 less later layers, model {m}, nats"] == pytest.approx(first[m] - rest[m])
    negative = np.mean([np.broadcast_to(np.asarray(one) < 0, MODELS) for one in interactions])
    assert numbers["share of negative pairs"] == pytest.approx(negative)
    assert numbers["share of positive pairs, after correction"] == pytest.approx(1 - negative)
    pair = first[0] + first[0] + np.broadcast_to(interactions[0], MODELS)[0]
    assert found.runs[0]["pair_effects"][0] == pytest.approx(pair)
    assert found.runs[2]["effects"][1] == pytest.approx([rest[2]] * HEADS)


def test_a_pair_just_above_zero_is_not_positive_beyond_how_windows_differ(monkeypatch):
    found = heads_found(monkeypatch, [3.0, 1.0], [*ALL[:5], 0.01], pair_noise=0.1)
    assert not found.met
    assert "5, 5, 5 of 6 pairs are negative, 0, 0, 0 positive" in found.verdict


@pytest.mark.parametrize(
    ("untrained", "absent"), [((0.0, 0.0, 0.0), True), ((0.0, 0.0, 2.0), False), ((-9.0,) * 3, True)]
)
def test_layer_0_must_not_cost_as_much_in_any_untrained_model(monkeypatch, untrained, absent):
    found = heads_found(monkeypatch, [3.0, 1.0], ALL, untrained=untrained)
    assert steps_of(found)["absent_in_random"] == absent
    assert numbers_of(found)["layer 0 less later layers, untrained, nats, at most"] == max(untrained)


def context_of(monkeypatch, loss, noise=0.0, untrained=(3.0, 3.0)):
    """Return the outcome for losses by context length, a number a model, on six pieces of poems."""
    short, far = (min(loss), max(loss))

    def on_poems(setting, model, length):
        assert model[1] == length  # each model on what it was made for
        if model[0] == "untrained":
            return np.full((MODELS, WINDOWS), dict(zip((short, far), untrained, strict=True))[length])
        values = np.broadcast_to(np.reshape(loss[length], (-1, 1)), (MODELS, WINDOWS))
        return values + noise * swinging(WINDOWS) * (length != short)

    plant(
        monkeypatch,
        poem_context,
        poem_models=lambda setting, length: ("trained", length),
        untrained_like=lambda model: ("untrained", model[1]),
        _on_poems=on_poems,
    )
    return poem_context.context(SETTING)


@pytest.mark.parametrize(
    ("loss", "noise", "met", "many", "begins"),
    [
        ({4: 3.0, 8: 2.5, 24: 2.0}, 0.0, True, True, "Yes: 24 characters leave 1.000 nats less than 4"),
        ({4: 3.0, 8: 3.2, 24: 2.0}, 0.0, False, True, "No"),  # the second is worse, as published
        ({4: 3.0, 8: [2.5, 2.5, 3.2], 24: 2.0}, 0.0, False, True, "No"),  # in one model
        ({4: 3.0, 8: 2.5, 24: [2.0, 2.0, 3.2]}, 0.0, False, False, "No"),  # the longest is, in one
        ({4: 3.0, 8: 3.0, 24: 2.0}, 0.0, False, True, "Not shown"),  # the second is no better
        ({4: 3.0, 8: 2.5, 24: 2.0}, 2.0, False, False, "Not shown"),  # pieces differ by more
    ],
)
def test_more_context_has_to_lower_the_loss_in_every_model(monkeypatch, loss, noise, met, many, begins):
    found = context_of(monkeypatch, loss, noise)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["many_inputs"]) == (met, many)
    assert steps["one_input"] == (noise == 0)
    assert found.verdict.startswith(begins)
    for length, values in loss.items():
        assert numbers[f"loss with {length} characters, nats"] == pytest.approx(np.mean(values))
        run = found.runs[2]["loss"][str(length)]
        assert run == pytest.approx(np.broadcast_to(values, MODELS)[2])


@pytest.mark.parametrize(("untrained", "absent"), [((3.0, 3.0), True), ((3.0, 1.9), False)])
def test_what_context_is_worth_has_to_be_learned(monkeypatch, untrained, absent):
    found = context_of(monkeypatch, {4: 3.0, 8: 2.5, 24: 2.0}, untrained=untrained)
    assert steps_of(found)["absent_in_random"] == absent
    gain = numbers_of(found)["4 less 24, untrained, nats, at most"]
    assert gain == pytest.approx(untrained[0] - untrained[1])


def test_pieces_of_poems_are_the_same_whatever_the_context(monkeypatch):
    """Every length predicts all but the first character of each of its windows, of the same pieces."""
    stream = np.arange(25 * 400)  # more than enough: the windows that there may be bound the pieces
    seen = {}

    def losses(model, windows):
        seen[model] = windows
        return np.broadcast_to(windows[None, :, 1:], (MODELS, len(windows), windows.shape[1] - 1))

    plant(monkeypatch, poem_context, poems=returns(SimpleNamespace(test=stream)), losses=losses)
    for length in (4, 8, 24):
        found = poem_context._on_poems(SETTING, length, length)
        count = found.shape[1]
        assert count == SETTING.scale.windows  # of 24, which is the context too
        assert seen[length].shape[1] == length + 1
        assert {row[0] // 25 for row in seen[length]} == {*range(count)}
        assert ((seen[length][:, 0] // 25) == (seen[length][:, -1] // 25)).all()  # none crosses an end
        assert abs(found[0, 1] - found[0, 0] - 25) == 0
    assert len(seen[24]) == count
