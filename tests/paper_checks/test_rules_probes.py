"""What experiments make of accuracies and losses of probes that are planted: each criterion, by clauses."""

from types import SimpleNamespace

import numpy as np
import pytest
from planted_models import MODELS, SETTING, numbers_of, plant, returns, steps_of, swinging

pytest.importorskip("torch", reason="experiments are of models in torch")

from paper_checks.experiments import poem_probes, probe_removal, probes

ACCURACIES = {
    "majority": 0.8,
    "place in the sentence": 0.82,
    "token": 0.85,
    "stream 0": 0.85,
    "stream 1": 0.95,
    "stream 0, labels by type": 0.8,
    "stream 1, labels by type": 0.7,
    "untrained": 0.84,
    "split by position": 0.99,
}
N = 6


def rows_of(labels, tested=None):
    """Return rows of a window each with these labels; all are tested by default."""
    labels = np.asarray(labels, dtype=bool)
    tested = np.ones(len(labels), dtype=bool) if tested is None else np.asarray(tested, dtype=bool)
    nothing = np.zeros(len(labels), dtype=int)
    return probes.Rows(np.arange(len(labels)), labels, nothing, nothing, tested)


def accuracies(odd, noise=0.0):
    """Return accuracies of three models in six sequences, the last model's changed by `odd`."""
    moved = noise * swinging(N)
    return {
        name: np.array([np.full(N, value)] * 2 + [np.full(N, odd.get(name, value))])
        + (moved if name == "stream 1" else 0)
        for name, value in ACCURACIES.items()
    }


@pytest.mark.parametrize(
    ("odd", "noise", "met", "absent"),
    [
        ({}, 0.0, True, True),
        ({"majority": 0.95}, 0.0, False, True),  # no better than each of the controls, in one model
        ({"place in the sentence": 0.95}, 0.0, False, True),
        ({"token": 0.95}, 0.0, False, True),
        ({"untrained": 0.95}, 0.0, True, False),  # it is there without training
        ({}, 0.4, False, False),  # a tenth, and sequences up and down by .4
        ({"split by position": 0.1, "stream 0": 0.99}, 0.0, True, True),  # these decide nothing
    ],
)
def test_a_probe_has_to_beat_each_control_in_every_model(odd, noise, met, absent):
    scores = accuracies(odd, noise)
    found = probes._judged(scores, rows_of([1, 0, 0, 0]), SETTING)
    steps, numbers = steps_of(found), numbers_of(found)
    assert (found.met, steps["many_inputs"], steps["absent_in_random"]) == (met, met, absent)
    assert (steps["one_input"], steps["in_the_data"]) == (noise == 0, True)
    assert found.verdict.startswith("Yes" if met else "Not shown in every model")
    assert f"in {3 * met + 2 * (not met and noise == 0)} of 3 models" in found.verdict
    means = {name: one.mean() for name, one in scores.items()}
    best = max(probes.CONTROLS, key=lambda name: means[name])
    assert numbers[f"after layer 0 less {best}"] == pytest.approx(means["stream 1"] - means[best])
    assert numbers["selectivity, stream 1"] == pytest.approx(0.25)
    assert numbers["accuracy after layer 0 when split by position"] == pytest.approx(
        means["split by position"]
    )
    assert numbers["share of marks"] == 0.25


@pytest.mark.parametrize(("labels", "there"), [([0, 0, 0, 1], True), ([0] * 4, False), ([1] * 4, False)])
def test_marks_have_to_follow_somewhere_and_not_everywhere(labels, there):
    found = probes._judged(accuracies({}), rows_of(labels), SETTING)
    assert steps_of(found)["in_the_data"] == there


def test_the_majority_is_that_of_the_rows_trained_on():
    rows = rows_of([1, 1, 1, 0, 0, 0, 1], tested=[0, 0, 0, 1, 1, 1, 1])
    assert rows.majority().tolist() == [0, 0, 0, 1]


REMOVED = {"own": 0.5, "random": 0.1, "still": 0.9, "majority": 0.8}


def removal_of(monkeypatch, odd, noise=0.0):
    """Return the outcome for what removals do to three models, the last one's changed by `odd`."""

    def removed(setting, number, rows, windows):
        one = REMOVED | (odd if number == 2 else {})
        moved = {"own": noise * swinging(N), "still": 0.0, "majority": 0.0}
        parts = {name: one[name] + moved[name] + np.zeros(N) for name in moved}
        return probe_removal.Removed(random=np.resize(one["random"], 40).astype(float), **parts)

    plant(
        monkeypatch,
        probe_removal,
        text_models=returns(SimpleNamespace(seeds=(0, 1, 2), only=lambda number: number)),
        unseen_windows=returns(None),
        text=returns(SimpleNamespace(is_mark=None)),
        probe_rows=returns(None),
        _removed=removed,
    )
    return probe_removal.removal(SETTING)


ONE_IN_TEN = [0.1] * 9 + [0.9]


@pytest.mark.parametrize(
    ("odd", "noise", "met"),
    [
        ({}, 0.0, True),
        ({"own": 0.1}, 0.0, False),  # as costly as any direction, in one model
        ({"random": ONE_IN_TEN}, 0.0, False),  # one in ten directions costs more
        ({}, 0.9, False),  # sequences differ by more than the cost
    ],
)
def test_a_direction_has_to_cost_more_than_random_ones_in_every_model(monkeypatch, odd, noise, met):
    found = removal_of(monkeypatch, odd, noise)
    assert (found.met, steps_of(found)) == (met, {"targeted": met})
    assert found.verdict.startswith("Yes" if met else "Not shown in every model")
    numbers = numbers_of(found)
    own = np.mean([0.5, 0.5, odd.get("own", 0.5)])
    assert numbers["loss gained without the probe's direction, nats"] == pytest.approx(own)
    as_costly = {"own": 1.0, "random": 5 / 41}.get(next(iter(odd), ""), 1 / 41)
    assert numbers["share of random directions as costly, at most"] == pytest.approx(as_costly)
    usual = 0.9 if "random" in odd else 0.1
    assert numbers["random directions, 95th percentile"] == pytest.approx((0.1 + 0.1 + usual) / 3)
    assert numbers["random directions, median"] == pytest.approx(0.1)


@pytest.mark.parametrize(("still", "told"), [(0.9, True), (0.8, False)])
def test_more_directions_are_told_only_where_a_new_probe_reads(monkeypatch, still, told):
    found = removal_of(monkeypatch, {"still": still})
    assert ("more than one direction" in found.verdict) == told
    assert numbers_of(found)["accuracy of a new probe after removal"] == pytest.approx((1.8 + still) / 3)


@pytest.mark.parametrize(
    ("used", "unused", "met"),
    [
        ((1.0, 0.69), (1.0, 0.0), True),
        ((0.99, 0.69), (1.0, 0.0), False),  # not read where it is used
        ((1.0, 0.69), (0.99, 0.0), False),  # nor where it is not
        ((1.0, 0.5), (1.0, 0.0), False),  # removing it costs too little
        ((1.0, 0.69), (1.0, 0.05), False),  # or something where nothing is used
    ],
)
def test_a_used_bit_and_an_unused_one_have_to_be_told_apart(monkeypatch, used, unused, met):
    told = {"used": used, "unused": unused}
    plant(
        monkeypatch,
        probe_removal,
        used_bit=returns("used"),
        unused_bit=returns("unused"),
        _read_and_removed=lambda name: dict(zip(("accuracy", "cost"), told[name], strict=True)),
    )
    found = probe_removal.used_or_not(SETTING)
    assert found.met == met
    assert found.verdict.startswith("The probe cannot" if met else "Not as constructed")
    assert numbers_of(found)["cost, used"] == used[1]
    assert numbers_of(found)["accuracy, not used"] == unused[0]


def poem_probe_of(monkeypatch, odd, noise=0.0, majority=0.6):
    """Return the outcome for accuracies of three models and of untrained ones, the last model's changed."""

    def accuracies(rows, one, windows):
        trained, number = one
        if not trained:
            return {"layer1": np.full(N, odd.get("untrained", 0.6) if number == 2 else 0.6)}
        usual = {"majority": majority, "embedding": 0.7, "layer1": 0.8, "layer2": 0.75}
        found = {name: odd.get(name, usual[name]) if number == 2 else usual[name] for name in usual}
        moved = {"layer1": noise * swinging(N)}
        return {name: value + moved.get(name, np.zeros(N)) for name, value in found.items()}

    def models(trained):
        return SimpleNamespace(seeds=range(MODELS), only=lambda number: (trained, number))

    plant(
        monkeypatch,
        poem_probes,
        poem_models=returns(models(True)),
        untrained_like=returns(models(False)),
        poem_windows=returns(None),
        poems=returns(None),
        punctuation=returns(None),
        probe_rows=returns(None),
        _accuracies=accuracies,
        losses=returns(np.full((MODELS, 1, 1), 4.5)),
    )
    return poem_probes.probe(SETTING)


@pytest.mark.parametrize(
    ("odd", "noise", "met", "absent"),
    [
        ({}, 0.0, True, True),
        ({"embedding": 0.8}, 0.0, False, True),
        ({"majority": 0.8}, 0.0, False, True),
        ({"untrained": 0.8}, 0.0, True, False),
        ({}, 0.4, False, False),  # a tenth, and sequences up and down by .4
    ],
)
def test_a_probe_of_poems_has_to_beat_both_controls_in_every_model(monkeypatch, odd, noise, met, absent):
    found = poem_probe_of(monkeypatch, odd, noise)
    steps = steps_of(found)
    assert (found.met, steps["many_inputs"], steps["absent_in_random"]) == (met, met, absent)
    assert (steps["one_input"], steps["in_the_data"]) == (noise == 0, True)
    assert found.verdict.startswith("Yes, in 3 of 3" if met else "Not shown in every model, in ")
    assert "layer 2 is below layer 1 in 3 of 3 models" in found.verdict
    last = {"majority": 0.6, "embedding": 0.7, "layer1": 0.8, "layer2": 0.75, "loss": 4.5} | odd
    assert found.runs[2] == pytest.approx({name: last[name] for name in found.runs[2]})
    assert numbers_of(found)["accuracy, embedding"] == pytest.approx((1.4 + last["embedding"]) / 3)


def test_poems_without_punctuation_say_nothing(monkeypatch):
    assert not steps_of(poem_probe_of(monkeypatch, {"majority": 1.0}, majority=1.0))["in_the_data"]
