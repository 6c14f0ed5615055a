"""What experiments make of effects of removal that are planted: each criterion, clause by clause."""

import math
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

from paper_checks.experiments import depth, removal, removal_pairs, removal_positions
from reference.resampling import ratio_of_means

COUPLES = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("shallow", "deep", "met"),
    [
        # Of one head beside three that cost 1 each: 3 of 4 at two layers is 1.5 times the average head.
        ([3.0, 1.0], [1.2, 1.0, 1.0, 1.0], True),  # 1.1 times
        ([3.0, 1.0], [3.0, 1.0, 1.0, 1.0], False),  # 2 times, though the share falls to a half
        ([3.0, 1.0], [1.0, 1.0, 1.0, 1.0], True),  # once
        ([1.0, 1.0], [1.0, 1.0, 1.0, 1.0], False),  # once both times, and the share falls from 1/2 to 1/4
        ([[3.0, 3.0, 1.1], [1.0] * 3], [[1.2] * 3, [1.0] * 3, [1.0] * 3, [1.0] * 3], False),  # but one model
    ],
)
def test_heads_of_layer_0_have_to_fall_beside_the_average_head(monkeypatch, shallow, deep, met):
    told = {2: shallow, 4: deep}
    plant(
        monkeypatch,
        depth,
        text_models=lambda setting, layers: SimpleNamespace(layers=layers),
        unseen_windows=returns(None),
        all_heads=lambda model: heads_of(model.layers),
        effects=lambda model, *more: planted_effects(told[model.layers]),
    )
    found = depth.first_layer(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "No")
    for layers, effects in told.items():
        share = np.mean(effects[0] / np.sum(effects, axis=0))
        assert numbers_of(found)[f"share of layer 0 at {layers} layers"] == pytest.approx(share)
        assert numbers_of(found)[f"head of layer 0 over average, {layers} layers"] == pytest.approx(
            layers * share
        )


# What single heads are removed from: models and windows that only what is planted for them reads.
HEADS_ALONE = {
    "text_models": returns(None),
    "unseen_windows": returns(None),
    "all_heads": returns(heads_of(2)),
}


def planted_losses(monkeypatch, module, right, wrong, heads=4):
    """Plant the effects of removing heads at the right place and at the wrong one, [heads, 3, 6] each."""
    rise = {(k // HEADS, k % HEADS): wrong[k] for k in range(heads)}
    model = SimpleNamespace(config=SimpleNamespace(head_width=1))

    def losses(model, windows, removed=()):
        found = 1.0 + sum((rise[head] for head in removed), np.zeros((MODELS, WINDOWS)))
        return np.repeat(found[..., None], PLACES, axis=2)

    def effects(model, windows, removed):
        return np.stack([np.repeat(right(heads)[..., None], PLACES, axis=2) for heads in removed])

    plant(
        monkeypatch,
        module,
        text_models=returns(model),
        unseen_windows=returns(None),
        all_heads=returns(heads_of(2)),
        losses=losses,
        effects=effects,
        removing_after_projection=lambda heads, width: heads,
    )


@pytest.mark.parametrize(
    ("apart", "noise", "met"),
    [
        ([0.5, 0.5, 0.5, 0.5], 0.1, True),
        ([0.5, 0.5, 0.5, 0.0], 0.1, True),  # three of four
        ([0.5, 0.5, 0.0, 0.0], 0.1, False),  # half is not most
        ([0.0, 0.0, 0.0, 0.0], 0.1, False),  # the same thing
        # Six windows up and down by .4 have a standard error of .18: p = .04 alone, .16 among four.
        ([0.5, 0.5, 0.5, 0.5], 0.4, False),
    ],
)
def test_the_wrong_place_has_to_do_another_thing_for_most_heads(monkeypatch, apart, noise, met):
    right = {head: 1.0 + k for k, head in enumerate(heads_of(2))}
    wrong = [right[head] + apart[k] + noise * swinging(WINDOWS) for k, head in enumerate(heads_of(2))]
    wrong = [np.broadcast_to(one, (MODELS, WINDOWS)) for one in wrong]
    planted_losses(
        monkeypatch, removal, lambda heads: np.full((MODELS, WINDOWS), right[tuple(heads[0])]), wrong
    )
    found = removal.place(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "Not shown for most")
    numbers = numbers_of(found)
    ratios = [(1.0 + k + one) / (1.0 + k) for k, one in enumerate(apart)]
    assert numbers["wrong effect over right one, median"] == pytest.approx(np.median(ratios))
    assert numbers["sum of differences over sum of effects"] == pytest.approx(sum(apart) / 10)
    assert numbers["rank correlation of the two over heads"] == pytest.approx(1)
    for row in found.tables["heads"]:
        away = row["slice of its output"] - row["before the projection"]
        assert row["difference, low"] < away < row["difference, high"]


@pytest.mark.parametrize("lacking", [None, 2])
def test_the_wrong_place_has_to_do_it_in_every_model(monkeypatch, lacking):
    own = {head: np.full((MODELS, WINDOWS), 1.0 + k) for k, head in enumerate(heads_of(2))}
    wrong = np.array([own[head] + 0.5 for head in heads_of(2)])
    if lacking is not None:
        wrong[:, lacking] -= 0.5
    planted_losses(monkeypatch, removal, lambda heads: own[tuple(heads[0])], wrong)
    assert removal.place(SETTING).met == (lacking is None)


@pytest.mark.parametrize(
    ("by_layer", "noise", "untrained", "met", "absent", "begins"),
    [
        ([3.0, 1.0], 0.0, [0.0, 0.0], True, True, "Yes: 3.0000 nats a head against 1.0000, 3.0 times"),
        ([1.0, 3.0], 0.0, [-9.0, -9.0], False, True, "No: 1.0000"),  # the later layers matter more
        ([1.1, 1.0], 3.0, [0.0, 0.0], False, False, "Not shown: 1.1"),  # no more than windows differ
        ([[2.0, 3.0, 9.0], [1.0] * 3], 0.0, [0.0, 0.0], False, False, "Not shown: 4.6"),  # than models do
        ([3.0, 1.0], 0.0, [0.0, 5.0], True, False, "Yes"),  # as in a model that was not trained
        ([3.0, 0.0], 0.0, [0.0, 0.0], True, True, "Yes: 3.0000 nats a head against 0.0000; 6 of 12"),
    ],
)
def test_layer_0_has_to_matter_more_beyond_how_windows_and_models_differ(
    monkeypatch, by_layer, noise, untrained, met, absent, begins
):
    plant(
        monkeypatch,
        removal,
        **HEADS_ALONE,
        effects=returns(planted_effects(by_layer, noise)),
        _untrained_gaps=returns(np.array(untrained)),
    )
    found = removal.layers(SETTING)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["many_inputs"], steps["ablation"]) == (met, met, met)
    assert (steps["absent_in_random"], steps["one_input"]) == (
        absent,
        np.mean(by_layer[0]) > np.mean(by_layer[1]),
    )
    assert found.verdict.startswith(begins)
    gap = np.mean(by_layer[0]) - np.mean(by_layer[1])
    assert numbers["layer 0 less later layers, nats"] == pytest.approx(gap)
    ratio = numbers["ratio"]
    for layer, row in enumerate(found.tables["layers"]):
        assert row["effect"] == pytest.approx(np.mean(by_layer[layer]))
        assert row["low"] <= row["effect"] <= row["high"]
        assert (row["low"] < row["high"]) == (layer == 0 and (noise > 0 or np.ptp(by_layer[0]) > 0))
    later = np.mean(by_layer[1])
    assert math.isnan(ratio) if later == 0 else ratio == pytest.approx(np.mean(by_layer[0]) / later)


def p_values(heads):
    """Return p-values [heads, 3]: the least just enough among so many, just not, and all alike."""
    enough, not_enough, alike = (np.full(heads, 0.9) for _ in range(3))
    enough[0], not_enough[0], alike[:] = 0.049 / heads, 0.051 / heads, 0.04
    return np.stack([enough, not_enough, alike], axis=1)


def test_single_heads_share_the_false_findings_of_their_model(monkeypatch):
    plant(
        monkeypatch,
        removal,
        **HEADS_ALONE,
        effects=returns(planted_effects([3.0, 1.0])),
        _untrained_gaps=returns(np.zeros(MODELS)),
        two_sided_p=returns(p_values(4)),
    )
    assert "; 5 of 12 single heads matter after correction" in removal.layers(SETTING).verdict


def test_pairs_share_the_false_findings_of_their_model(monkeypatch):
    none = np.zeros((MODELS, WINDOWS))
    planted_losses(
        monkeypatch, removal_pairs, lambda heads: none - (len(heads) == 2), np.zeros((4, *none.shape))
    )
    plant(monkeypatch, removal_pairs, two_sided_p=returns(p_values(6)))
    found = removal_pairs.pairs(SETTING)
    assert numbers_of(found)["negative after correction"] == 7
    by_model = [[row["adjusted p"] for row in found.tables["pairs"] if row["model"] == m] for m in range(3)]
    assert [sum(p < 0.05 for p in one) for one in by_model] == [1, 0, 6]


@pytest.mark.parametrize(
    ("windows", "often"), [([1.0] * 6, True), ([1.0] * 4 + [-1.0] * 2, False), ([-1.0] * 6, False)]
)
def test_layer_0_has_to_matter_more_in_more_than_half_of_the_windows(monkeypatch, windows, often):
    """Four of six are more than half, and no more than chance makes of a half: sqrt(2/9 / 5) is a fifth."""
    effects = planted_effects([0.0, 0.0])
    effects[:HEADS] = np.reshape(windows, (1, 1, WINDOWS, 1))
    plant(
        monkeypatch,
        removal,
        **HEADS_ALONE,
        effects=returns(effects),
        _untrained_gaps=returns(np.zeros(MODELS)),
    )
    found = removal.layers(SETTING)
    assert steps_of(found)["in_the_data"] == often
    share = numbers_of(found)["share of windows where layer 0 matters more"]
    assert share == pytest.approx(np.mean(np.array(windows) > 0))


@pytest.mark.parametrize(
    ("interactions", "noise", "met", "begins"),
    [
        ([-0.5] * 6, 0.1, True, "Yes: 100% of the pairs are negative; after correction 0 of 18 are positive"),
        ([0.5] + [-0.5] * 5, 0.1, False, "No: 83% of the pairs are negative; after correction 3 of 18"),
        # One pair is just above zero and no more than windows differ: that refutes nothing.
        ([0.01] + [-0.5] * 5, 0.1, False, "Not shown: 83% of the pairs are negative; after correction 0 of"),
    ],
)
def test_all_pairs_have_to_interact_negatively(monkeypatch, interactions, noise, met, begins):
    own = dict(zip(heads_of(2), (1.0, 2.0, 3.0, 4.0), strict=True))
    extra = {(heads_of(2)[i], heads_of(2)[j]): one for (i, j), one in zip(COUPLES, interactions, strict=True)}

    def right(heads):
        together = sum(own[tuple(head)] for head in heads)
        if len(heads) == 2:
            together = together + extra[tuple(heads)] + noise * swinging(WINDOWS)
        return np.broadcast_to(together, (MODELS, WINDOWS))

    planted_losses(monkeypatch, removal_pairs, right, np.ones((4, MODELS, WINDOWS)))
    found = removal_pairs.pairs(SETTING)
    assert found.met == met
    assert found.verdict.startswith(begins)
    numbers = numbers_of(found)
    same, across = [interactions[0], interactions[5]], interactions[1:5]
    assert numbers["mean interaction within a layer, nats"] == pytest.approx(np.mean(same))
    assert numbers["mean interaction between layers, nats"] == pytest.approx(np.mean(across))
    assert numbers["share of negative pairs"] == pytest.approx(np.mean(np.array(interactions) < 0))
    assert numbers["share of negative pairs, wrong place"] == 0  # the wrong effects just add up
    assert numbers["negative after correction"] == 3 * sum(one < -noise for one in interactions)
    for row in found.tables["pairs"]:
        assert row["low"] < row["interaction"] < row["high"]
        assert row["high"] - row["low"] < 4 * noise  # windows are up and down by the noise


BY_PLACE = np.array([-4.0, 1.0, 1.0, 1.0, 1.0])  # of what a head costs, 0 in the mean


def positions_of(monkeypatch, marks, others, noise=0.0):
    """Return the outcome for heads that cost so much in total [heads, 3] at a fifth of the positions."""
    marked = np.zeros((WINDOWS, PLACES + 1), dtype=int)
    marked[:, 2] = 1
    before = np.broadcast_to(np.arange(PLACES) == 1, (WINDOWS, PLACES))  # a mark comes next
    moved = noise * swinging(WINDOWS)

    def effects(model, windows, removed, where=None):
        parts = {"marks": np.asarray(marks, dtype=float), "others": np.asarray(others, dtype=float)}
        if where is None:
            total = parts["marks"] + parts["others"] + 0.25
        else:
            (name,) = [one for one, at in {"marks": before, "others": ~before}.items() if (where == at).all()]
            total = parts[name]
        found = np.broadcast_to(total.reshape(len(removed), -1, 1), (len(removed), MODELS, WINDOWS))
        found = np.repeat((found + (moved if where is not None else 0))[..., None], PLACES, axis=3)
        return found + BY_PLACE if where is None else found

    plant(
        monkeypatch,
        removal_positions,
        text_models=returns(None),
        unseen_windows=returns(marked),
        text=returns(SimpleNamespace(is_mark=np.array([False, True]))),
        all_heads=returns(heads_of(2)),
        effects=effects,
    )
    return removal_positions.positions(SETTING)


@pytest.mark.parametrize(
    ("marks", "others", "noise", "met", "fewer", "turned"),
    [
        # A fifth of the positions: .3 in total is 1.5 a position there, 1 is 1.25 a position elsewhere.
        ([0.3] * 4, [1.0] * 4, 0.0, True, 12, 12),
        ([0.2] * 4, [1.0] * 4, 0.0, False, 12, 0),  # 1 a position against 1.25
        ([1.5] * 4, [1.0] * 4, 0.0, False, 0, 0),  # the total is larger there as well
        ([0.3] * 4, [1.0] * 4, 0.2, False, 12, 0),  # larger a position, and no more than windows differ
        ([0.3, 0.2, 0.2, 0.2], [1.0] * 4, 0.0, True, 12, 3),  # one head a model is enough
        ([[0.3, 0.3, 0.2], *[[0.2] * 3] * 3], [1.0] * 4, 0.0, False, 12, 2),  # a model has none
    ],
)
def test_a_total_and_what_a_position_costs_have_to_tell_opposite_things(
    monkeypatch, marks, others, noise, met, fewer, turned
):
    marks = [np.broadcast_to(one, 3) for one in marks]
    others = [np.broadcast_to(one, 3) for one in others]
    found = positions_of(monkeypatch, marks, others, noise)
    assert found.met == met
    assert found.verdict.startswith("No: 20%" if met else "Not shown otherwise: 20%")
    numbers = numbers_of(found)
    assert numbers["heads with a smaller total before marks"] == fewer
    assert numbers["of these with a larger effect per position"] == turned
    assert numbers["largest gap between the whole and its two parts, nats"] == pytest.approx(0.25)
    whole = np.add(marks, others).mean() + 0.25 + BY_PLACE
    assert [row["effect"] for row in found.tables["by position"]] == pytest.approx(whole.tolist())
    assert numbers["share of heads and positions with a negative effect"] == 1 / PLACES
    row = found.tables["heads"][0]
    assert row["marks, per position"] == pytest.approx(5 * np.mean(marks[0]))
    assert row["others, per position"] == pytest.approx(1.25 * np.mean(others[0]))
    for name in ("marks, per position", "others, per position"):
        assert row[f"{name}, low"] <= row[name] <= row[f"{name}, high"]
    # The noise is of the total of a window, at a fifth of its positions.
    assert row["marks, per position, high"] >= row["marks, per position"] + 5 * noise / np.sqrt(WINDOWS - 1)


def test_of_heads_that_do_nothing_none_is_found_however_many_there_are():
    """The larger of two equal numbers with noise is either: 64 heads are as likely as one to be found."""
    rng, shares = np.random.default_rng(0), np.full(40, 0.2)
    totals = [rng.normal(part, 0.1, (64, 50, 40)) for part in (0.2, 0.8)]
    marks, others = (ratio_of_means(t, s) for t, s in zip(totals, (shares, 1 - shares), strict=True))
    assert (marks.mean(axis=2) > others.mean(axis=2)).any(axis=0).all()  # some are the larger ones by chance
    p = removal_positions._adjusted(removal_positions._above(marks - others))
    assert (p < removal_positions.FALSE_FINDINGS).any(axis=0).mean() < 0.2


def test_a_ratio_of_means_keeps_its_mean_and_its_spread():
    """Windows with unlike numbers of marks: effects of .5 a position removed leave no spread at all."""
    share = np.array([0.1, 0.2, 0.3, 0.4])
    each = ratio_of_means(np.broadcast_to(share / 2, (1, 1, 4)), share)
    assert each.tolist() == pytest.approx(np.full((1, 1, 4), 0.5))
