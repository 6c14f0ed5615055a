"""Probes find what is there, their controls find what is not, and only a removal tells whether it is used."""

import math

import numpy as np
import pytest

from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference.errors import InputError
from reference.probe_examples import CONFIDENT, unused_bit, used_bit
from reference.probe_split import probe_split
from reference.probes import (
    RIDGE,
    accuracy_by_sequence,
    fit_probe,
    labels_by_type,
    one_hot_features,
    random_directions,
    without_direction,
)

CLOSE = gamma(10_000, unit_roundoff("float64"))


def test_a_probe_is_at_the_minimum_of_its_loss():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1, 10, 0.1] + 5
    y = X @ [1, 0.1, 5] + rng.normal(size=200) > 31
    probe = fit_probe(X, y)
    p = 1 / (1 + np.exp(-(X @ probe.direction + probe.bias)))
    scale = X.std(axis=0)
    slope = ((X - X.mean(axis=0)) / scale).T @ (p - y) / len(y) + RIDGE * probe.direction * scale
    assert np.abs(slope).max() <= math.sqrt(CLOSE)
    assert abs((p - y).mean()) <= math.sqrt(CLOSE)


def test_a_separable_property_is_found_and_a_coin_is_not():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000, 8))
    train, test = X[:2000], X[2000:]
    w = rng.normal(size=8)
    assert (fit_probe(train, train @ w > 0.3).predicts(test) == (test @ w > 0.3)).mean() > 0.99
    coins = rng.random(3000) < 0.5
    found = (fit_probe(train, coins[:2000]).predicts(test) == coins[2000:]).mean()
    assert abs(found - 0.5) <= DEVIATIONS * 0.5 / math.sqrt(1000)


def test_one_class_and_constant_features():
    X = np.ones((4, 2))
    assert fit_probe(X, np.ones(4, dtype=bool)).predicts(X).all()
    assert not fit_probe(X, np.zeros(4, dtype=bool)).predicts(X).any()
    mixed = fit_probe(X, np.array([True, True, True, False]))
    assert mixed.predicts(X).all()
    assert mixed.unit.tolist() == [0, 0]
    with pytest.raises(InputError, match="rows of finite features"):
        fit_probe(np.array([[np.nan]]), np.array([True]))


def test_the_control_task_is_learnt_by_heart_or_not_at_all():
    """With a column for each type the control is as easy as a property of types; with few dimensions not."""
    rng = np.random.default_rng(2)
    types = rng.integers(0, 60, 4000)
    property_of_types, control = np.arange(60) % 2 == 0, labels_by_type(types, 0.5, seed=3)
    assert len({(t, label) for t, label in zip(types.tolist(), control.tolist(), strict=True)}) == 60
    embedding = np.column_stack([np.where(property_of_types, 1, -1), rng.normal(size=(60, 3))])
    selectivity = {}
    for name, features in (("types", one_hot_features(types)), ("embedding", embedding[types])):
        scores = [
            (fit_probe(features[:3000], y[:3000]).predicts(features[3000:]) == y[3000:]).mean()
            for y in (property_of_types[types], control)
        ]
        selectivity[name] = scores[0] - scores[1]
    assert selectivity["types"] == 0
    assert selectivity["embedding"] > 0.2


def test_a_control_task_has_the_rate_of_what_it_controls_and_a_coin_a_type():
    """With another rate its majority would be another one, and selectivity a difference of majorities."""
    types = np.repeat(np.arange(3000), 2)
    for rate in (0.2, 0.7):
        labels = labels_by_type(types, rate, seed=0).reshape(-1, 2)
        assert (labels[:, 0] == labels[:, 1]).all()
        chance = DEVIATIONS * math.sqrt(rate * (1 - rate) / len(labels))
        assert abs(labels.mean() - rate) <= chance
        other = labels_by_type(types, rate, seed=1).reshape(-1, 2)
        both = (labels & other)[:, 0].mean()
        assert abs(both - rate**2) <= chance  # another seed tosses other coins


def test_a_split_by_position_lets_a_probe_score_on_what_it_has_seen():
    """Each sequence has a direction and a label of its own: nothing carries over to new sequences."""
    rng = np.random.default_rng(4)
    sequences = np.repeat(np.arange(60), 20)
    X = rng.normal(size=(60, 80))[sequences] + 0.1 * rng.normal(size=(1200, 80))
    y = (rng.random(60) < 0.5)[sequences]
    by_sequence = probe_split(sequences, 0.5, seed=0)
    by_row = rng.random(1200) < 0.5
    scores = {}
    for name, test in (("sequence", by_sequence), ("row", by_row)):
        predicted = fit_probe(X[~test], y[~test]).predicts(X[test])
        scores[name] = accuracy_by_sequence(predicted, y[test], sequences[test]).mean()
    assert scores["row"] > 0.95
    assert abs(scores["sequence"] - 0.5) <= DEVIATIONS * 0.5 / math.sqrt(30)


def test_removal_is_the_projection():
    rng = np.random.default_rng(5)
    h, w = rng.normal(size=(4, 7, 5)), rng.normal(size=5)
    unit = w / np.linalg.norm(w)
    left = without_direction(h, unit)
    assert np.abs(left @ unit).max() <= CLOSE
    assert np.abs(h - left - (h @ unit)[..., None] * unit).max() <= CLOSE
    flat = h.reshape(-1, 5) * [1, 0, 0, 0, 0]
    directions = random_directions(flat, 3, seed=0)
    assert np.abs(np.abs(directions[:, 0]) - 1).max() <= CLOSE
    # What all rows share is no direction in which they vary.
    far = random_directions(flat + 1000 * np.eye(5)[1], 3, seed=0)
    assert np.abs(far - directions).max() <= 1000 * CLOSE


def test_the_same_bit_is_read_in_both_and_used_in_one():
    """Probe accuracy 1 in both; removing its direction costs log 2 a token where it is used, else nothing."""
    words = 6
    left_over = 2 * words * math.exp(-CONFIDENT) + CLOSE
    for example, cost in (
        (used_bit(words, 40, 12, seed=0), math.log(2)),
        (unused_bit(words, 40, 12, seed=0), 0.0),
    ):
        features = example.stream().reshape(-1, words + 1)
        bit = example.tokens[:, :-1].ravel() >= words
        probe = fit_probe(features, bit)
        assert (probe.predicts(features) == bit).all()
        # The probe's direction is the bit's own; the fit leaves a little of the words in it.
        assert abs(probe.unit[-1]) > 0.99
        only_the_bit = np.eye(words + 1)[-1]
        rise = example.loss_without(only_the_bit) - example.loss(example.stream())
        assert abs(rise.mean() - cost) <= left_over
        others = [
            (example.loss_without(one) - example.loss(example.stream())).mean()
            for one in np.eye(words + 1)[:-1]
        ]
        # Every word's direction is used in both.
        assert min(others) > math.log(2) / words
