"""The verdict of an experiment turns where its criterion says so, on measurements that are planted."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import depth, induction, removal
from paper_checks.experiments.setting import SCALES, Setting
from properties.evidence_ladder import Step

MODELS, WINDOWS, PLACES, HEADS = 3, 6, 5, 2
SETTING = Setting(replace(SCALES["quick"], layers=2, heads=HEADS, models=MODELS, depths=(2, 4)))


def planted_effects(by_layer, noise=0.0):
    """Return effects [heads, models, windows, positions] of so much a layer, with noise in layer 0."""
    whole = np.repeat(np.asarray(by_layer), HEADS)[:, None, None, None]
    moved = noise * np.resize([1.0, -1.0], WINDOWS)[None, None, :, None]
    first = np.arange(len(whole))[:, None, None, None] < HEADS
    return np.broadcast_to(whole + first * moved, (len(whole), MODELS, WINDOWS, PLACES)).copy()


def heads_of(layers):
    return [(layer, head) for layer in range(layers) for head in range(HEADS)]


@pytest.mark.parametrize(
    ("shallow", "deep", "met"),
    [
        ([3.0, 1.0], [3.0, 1.0, 1.0, 1.0], True),  # 3/4 of all, then 1/2
        ([3.0, 1.0], [9.0, 1.0, 1.0, 1.0], False),  # 3/4 both times
        ([3.0, 1.0], [27.0, 1.0, 1.0, 1.0], False),  # 3/4, then 9/10
    ],
)
def test_the_share_of_layer_0_has_to_fall_with_depth(monkeypatch, shallow, deep, met):
    effects = {2: shallow, 4: deep}
    monkeypatch.setattr(depth, "text_models", lambda setting, layers: SimpleNamespace(layers=layers))
    monkeypatch.setattr(depth, "unseen_windows", lambda setting: None)
    monkeypatch.setattr(depth, "all_heads", lambda model: heads_of(model.layers))
    monkeypatch.setattr(depth, "effects", lambda model, *more: planted_effects(effects[model.layers]))
    found = depth.first_layer(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "No")
    shares = [one.value for one in found.quantities]
    assert shares == pytest.approx([effects[n][0] / sum(effects[n]) for n in (2, 4)])


@pytest.mark.parametrize(
    ("by_layer", "noise", "untrained", "met", "absent"),
    [
        ([3.0, 1.0], 0.0, 0.0, True, True),
        ([1.0, 3.0], 0.0, -9.0, False, True),  # the later layers matter more
        ([1.1, 1.0], 3.0, 0.0, False, False),  # more on average, and no more than windows differ
        ([3.0, 1.0], 0.0, 5.0, True, False),  # as in models that were not trained
    ],
)
def test_layer_0_has_to_cost_more_beyond_the_interval(monkeypatch, by_layer, noise, untrained, met, absent):
    monkeypatch.setattr(removal, "text_models", lambda setting: None)
    monkeypatch.setattr(removal, "unseen_windows", lambda setting: None)
    monkeypatch.setattr(removal, "all_heads", lambda model: heads_of(2))
    monkeypatch.setattr(removal, "effects", lambda *given: planted_effects(by_layer, noise))
    monkeypatch.setattr(removal, "_untrained_gap", lambda model, windows: untrained)
    found = removal.layers(SETTING)
    steps = {one.step: one.holds for one in found.observations}
    assert (found.met, steps[Step.many_inputs], steps[Step.ablation]) == (met, met, met)
    assert steps[Step.absent_in_random] == absent
    assert found.verdict.startswith("Yes" if met else "No")


LOG_V = math.log(SETTING.scale.blocks_vocab)


@pytest.mark.parametrize(
    ("losses", "scores", "chance", "met", "absent"),
    [
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.9], 0.1, True, True),
        ([0.05, 0.05, 0.2], [0.9, 0.9, 0.9], 0.1, False, True),  # one model has not learned it
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.4], 0.1, False, True),  # one model has no head that scores
        ([0.05, 0.05, 0.05], [0.9, 0.9, 0.9], 0.3, True, False),  # and so do heads that were not trained
    ],
)
def test_every_model_has_to_solve_blocks_with_a_head_of_the_second_layer(
    monkeypatch, losses, scores, chance, met, absent
):
    """Losses are in parts of log V, of which a tenth may be left."""
    tokens = np.tile(np.arange(9), (2, 1))
    known = np.ones((2, 8), dtype=bool)
    second = np.array([[[1.0, 1.0], [score, 0.0]] for score in scores])  # layer 0 does not count
    told = {"trained": second, "untrained": np.full((MODELS, 2, HEADS), chance)}
    monkeypatch.setattr(induction, "block_models", lambda *given: SimpleNamespace(model="trained"))
    monkeypatch.setattr(induction, "untrained_like", lambda model: "untrained")
    monkeypatch.setattr(induction, "unseen_blocks", lambda setting, periods: (tokens, None, known))
    monkeypatch.setattr(
        induction, "losses", lambda model, tokens: [np.full((2, 8), one * LOG_V) for one in losses]
    )
    monkeypatch.setattr(induction, "head_scores", lambda model, tokens: {"induction": told[model]})
    found = induction.random_period(SETTING)
    steps = {one.step: one.holds for one in found.observations}
    assert (found.met, steps[Step.many_inputs], steps[Step.absent_in_random]) == (met, met, absent)
    assert found.verdict.startswith("Yes" if met else "Not in every model")
