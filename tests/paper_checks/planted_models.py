"""Measurements planted in place of models, so that what an experiment makes of them can be told by hand."""

from dataclasses import replace

import numpy as np

from paper_checks.experiments.setting import SCALES, Setting

MODELS, WINDOWS, PLACES, HEADS = 3, 6, 5, 2
SETTING = Setting(replace(SCALES["quick"], layers=2, heads=HEADS, models=MODELS, depths=(2, 4)))


def returns(value):
    """Return a function that returns `value` whatever it is given."""
    return lambda *given, **more: value


def plant(monkeypatch, module, **functions):
    """Replace functions of an experiment's module."""
    for name, function in functions.items():
        monkeypatch.setattr(module, name, function)


def steps_of(outcome, about=None):
    """Return which steps of evidence hold by an outcome, of one thing observed where there are several."""
    return {one.step.name: one.holds for one in outcome.observations if about in (None, one.about)}


def numbers_of(outcome):
    """Return an outcome's quantities by name."""
    return {one.name: one.value for one in outcome.quantities}


def heads_of(layers):
    """Return every (layer, head)."""
    return [(layer, head) for layer in range(layers) for head in range(HEADS)]


def swinging(count, by=1.0):
    """Return `count` numbers, an even one, that go up and down and have the mean 0."""
    return by * np.resize([1.0, -1.0], count)


def planted_effects(by_layer, noise=0.0):
    """Return effects [heads, models, windows, places] of so much a layer, with noise in layer 0.

    `by_layer` has a number a layer, or a list of numbers a model.
    """
    whole = np.repeat(np.asarray(by_layer, dtype=float), HEADS, axis=0).reshape(len(by_layer) * HEADS, -1)
    moved = noise * swinging(WINDOWS)[None, None, :, None]
    first = np.arange(len(whole))[:, None, None, None] < HEADS
    shape = (len(whole), MODELS, WINDOWS, PLACES)
    return np.broadcast_to(whole[:, :, None, None] + first * moved, shape).copy()
