"""Spectra of rows whose variances are known, and of rows that vary by chance alone."""

import math

import numpy as np
import pytest

from properties.tolerances import DEVIATIONS, gamma, unit_roundoff
from reference.errors import InputError
from reference.spectrum import directions_for, explained

CLOSE = gamma(1000, unit_roundoff("float64"))


def crosses(*sizes):
    """Return rows that go so far up and down along each axis, around a centre far away."""
    arms = np.diag(np.array(sizes, dtype=float))
    return np.vstack([arms, -arms]) + 7.0


def test_shares_are_those_of_the_variances_whatever_the_centre():
    shares = explained(crosses(1, 3, 2))
    assert np.abs(shares - np.array([9, 4, 1]) / 14).max() <= CLOSE
    assert [directions_for(crosses(1, 3, 2), part) for part in (0.6, 0.7, 0.92, 0.93, 1 - CLOSE)] == [
        1,
        2,
        2,
        3,
        3,
    ]


def test_fewer_rows_than_features_have_one_component_less_than_rows():
    rows = np.random.default_rng(0).normal(size=(4, 9))
    shares = explained(rows)
    assert len(shares) == 3
    assert abs(shares.sum() - 1) <= CLOSE
    assert explained(np.ones((3, 2))).tolist() == [0, 0]
    assert directions_for(np.ones((3, 2)), 0.8) == 0
    with pytest.raises(InputError, match="two rows"):
        explained(np.ones((1, 2)))


def test_a_spectrum_falls_by_chance_to_the_edge_of_marchenko_and_pastur():
    n, d = 400, 100
    largest = explained(np.random.default_rng(1).normal(size=(n, d)))[0]
    edge = (1 + math.sqrt(d / n)) ** 2 / d
    # What is left of the edge is of the order n^(-2/3) of it.
    assert abs(largest / edge - 1) <= DEVIATIONS * n ** (-2 / 3)
    assert largest > 2 / d
