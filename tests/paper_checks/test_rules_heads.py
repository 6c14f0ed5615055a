"""What experiments make of profiles of heads that are planted: each criterion, clause by clause."""

from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import HEADS, MODELS, SETTING, WINDOWS, numbers_of, plant, returns, steps_of, swinging

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import heads
from properties.tolerances import rounding
from reference.random_heads import expected_profile, initial_logit_variance

T, UNTRAINED = 8, 4
EXPECTED = expected_profile(T, initial_logit_variance(SETTING.scale.width, SETTING.scale.deviation))


def profile_of(models, spreads, noise=0.0, **off):
    """Return a profile [models, 2, 2, WINDOWS] a name: entropies spread by so much in each model.

    The others have their expected values, moved by `off` and by one up and down between models.
    """
    signs = swinging(4).reshape(1, 2, HEADS, 1)
    entropy = 0.5 + np.reshape(spreads, (-1, 1, 1, 1)) * signs + noise * swinging(WINDOWS) * signs
    by_model = swinging(models).reshape(-1, 1, 1, 1) if models % 2 == 0 else np.zeros((models, 1, 1, 1))
    others = {name: EXPECTED[name].mean + off.get(name, 0.0) + by_model for name in heads.LINEAR}
    shape = (models, 2, HEADS, WINDOWS)
    return {name: np.broadcast_to(one, shape) for name, one in {"entropy": entropy, **others}.items()}


@pytest.mark.parametrize(
    ("trained", "untrained", "off", "met", "absent"),
    [
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {}, True, True),
        ([0.2, 0.2, 0.05], [0.1, 0.1, 0.1, 0.1], {}, False, False),  # one model's heads are alike
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.3], {}, False, False),  # one untrained one's differ as much
        # Four models one up and down have a standard error of 1/sqrt(3): 2 is 3.5 of them and 3 is 5.2.
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {"previous": 2.0}, True, True),
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {"diagonal": 3.0}, False, True),
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {"previous": -3.0}, False, True),
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {"distance": 3.0}, False, True),
        ([0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1], {"entropy": 4.1}, False, True),
    ],
)
def test_heads_of_every_model_have_to_differ_more_than_untrained_ones(
    monkeypatch, trained, untrained, off, met, absent
):
    told = {"ours": profile_of(MODELS, trained), "theirs": profile_of(UNTRAINED, untrained, **off)}
    plant(
        monkeypatch,
        heads,
        unseen_windows=returns(np.zeros((WINDOWS, T + 1), dtype=int)),
        text_models=returns("ours"),
        untrained_models=returns("theirs"),
        profiles=lambda model, tokens: told[model],
        _seen_less_unseen=returns(0.0),
        _entropy_off=returns((off.get("entropy", 0.0), 0.9)),
        _circuits=returns([]),
    )
    found = heads.structure(SETTING)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["absent_in_random"]) == (met, absent)
    assert found.verdict.startswith("Yes" if met else "Not as asked")
    assert f"in {sum(one > max(untrained) for one in trained)} of 3" in found.verdict
    assert numbers["standard deviation of entropy over heads, trained"] == pytest.approx(np.mean(trained))
    assert numbers["standard deviation of entropy over heads, untrained"] == pytest.approx(np.mean(untrained))
    variances = (np.mean(trained) / np.mean(untrained)) ** 2
    assert numbers["ratio of the variances of entropy over heads"] == pytest.approx(variances)
    # Two heads up and two down are apart by twice their deviation, in each model.
    ranges = f"{2 * np.mean(trained):.3g} in trained models and {2 * np.mean(untrained):.1g} in untrained"
    assert f"entropies range over {ranges}" in found.verdict
    for name in heads.LINEAR:
        away = np.sqrt(3) * off.get(name, 0.0)
        size = np.sqrt(3) * (EXPECTED[name].mean + abs(off.get(name, 0.0)) + 1)
        within = rounding(size, 2 * UNTRAINED * 2 * HEADS * WINDOWS, "float64")
        assert numbers[f"standard errors from what is derived: {name}"] == pytest.approx(
            away, rel=0, abs=within
        )


@pytest.mark.parametrize(
    ("noise", "spreads", "one", "many"),
    [
        (0.1, [0.2, 0.2, 0.2], True, True),
        (0.1, [0.2, 0.2, 0.01], True, False),
        (9.0, [0.2] * 3, False, False),
    ],
)
def test_heads_differ_where_windows_agree_that_they_do(noise, spreads, one, many):
    """Six windows up and down have a standard error of noise/sqrt(5): .2 is 4.5 of it, .01 a quarter."""
    of_models = 50 * np.arange(MODELS).reshape(-1, 1, 1, 1)  # which is no difference between heads
    differ = heads._heads_differ(profile_of(MODELS, spreads, noise)["entropy"] + of_models)
    assert (any(differ), all(differ)) == (one, many)


def by_class_of(monkeypatch, distance, p=None):
    """Return the outcome for distances [3, 2, 2, 12, 5]; tokens 1 are marks, every other window's last."""
    windows = np.zeros((12, 6), dtype=int)
    windows[::2, 5] = 1
    plant(
        monkeypatch,
        heads,
        unseen_windows=returns(windows),
        text=returns(SimpleNamespace(is_mark=np.array([False, True]))),
        text_models=returns(None),
        attention_maps=returns(None),
        row_profile=returns({"distance": distance}),
    )
    if p is not None:
        plant(monkeypatch, heads, two_sided_p=returns(np.asarray(p)))
    return heads.by_class(SETTING)


def test_a_head_of_every_model_has_to_look_elsewhere_before_a_mark(monkeypatch):
    """Distances grow with the position, which matching takes out, and by .5 before a mark in one head."""
    noise = np.random.default_rng(0).normal(scale=0.1, size=(3, 2, HEADS, 12, 5))
    distance = noise + np.arange(5.0)
    assert not by_class_of(monkeypatch, distance).met
    distance[:, 1, 0, ::2, 4] += 0.5
    found = by_class_of(monkeypatch, distance)
    assert found.met
    assert found.verdict.startswith("Yes: 3 of 12 heads differ")
    rows = found.tables["distance before a mark less elsewhere"]
    for row in rows:
        moved = 0.5 * (row["layer"] == 1 and row["head"] == 0)
        assert abs(row["difference"] - moved) < 0.2
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["not matched by position"] > 1.5 + moved  # marks come last, where distances are long
    distance[2] = noise[2] + np.arange(5.0)
    found = by_class_of(monkeypatch, distance)
    assert not found.met
    assert found.verdict.startswith("Not in every model: 2 of 12")


@pytest.mark.parametrize(("least", "met"), [(0.012, True), (0.013, False)])
def test_four_heads_share_the_false_findings(monkeypatch, least, met):
    p = np.full((3, 2, HEADS), 1e-6)  # heads of other models are no reason to believe one of this
    p[2] = [[least, 0.9], [0.9, 0.9]]  # times 4 it is below .05 or not
    assert by_class_of(monkeypatch, np.zeros((3, 2, HEADS, 12, 5)), p).met == met


@pytest.mark.parametrize(
    ("first", "later", "met"),
    [
        ([3.0, 3.0, 3.0], 1.0, True),
        ([3.0, 3.0, 3.0], 3.0, False),
        # Models apart by 1, windows not at all: Student's interval of three is 2.5 to either side.
        ([2.0, 3.0, 4.0], 1.0, False),
        ([2.0, 3.0, 4.0], 0.5, True),
    ],
)
def test_layer_0_has_to_be_louder_than_every_later_one_in_models_like_these(monkeypatch, first, later, met):
    layers = np.array([first, [0.1] * 3, [later] * 3]).T.reshape(MODELS, 3, 1, 1)
    relative = layers * np.broadcast_to([[0.25], [1.75]], (MODELS, 3, HEADS, WINDOWS))  # its mean head
    told = {"relative_output": relative, "output_norm": relative * 2, "copying": relative * 0}
    plant(
        monkeypatch,
        heads,
        text_models=returns(0),
        unseen_windows=returns(np.zeros((2, 2))),
        profiles=returns(told),
    )
    found = heads.sizes(SETTING)
    assert found.met == met
    assert found.verdict.startswith("Yes" if met else "No")
    numbers = numbers_of(found)
    assert numbers["relative_output, layer 0"] == pytest.approx(3.0)
    assert numbers["output_norm, layer 2"] == pytest.approx(2 * later)
    (one,) = [one for one in found.quantities if one.name == "relative_output, layer 0"]
    # With two degrees of freedom the quantile p of Student's distribution is (2p - 1) / sqrt(2 p (1 - p)).
    quantile = 0.95 / np.sqrt(2 * 0.975 * 0.025)
    assert one.high - one.value == pytest.approx(quantile * np.std(first, ddof=1) / np.sqrt(3))
