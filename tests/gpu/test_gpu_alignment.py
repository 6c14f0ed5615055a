"""What the log of a training says: cosines with the theory's directions, and how far layers are apart."""

import numpy as np
import torch

from gpu.alignment import alignments, leading_terms, spreads
from gpu.model import Transformer

CHANCE = np.random.default_rng(0)
STATISTICS = {
    **{name: CHANCE.integers(-9, 9, (4, 4)).astype(float) for name in ("B_bar", "Phi_bar", "Q_bar")},
    "Delta_bar": CHANCE.integers(-9, 9, 3).astype(float),
}


def model(**groups):
    shapes = {"W_O": (4, 4), "V": (2, 4, 4), "W": (2, 4, 4), "P": (2, 3)}
    zero = {group: torch.zeros(shape) for group, shape in shapes.items()}
    return Transformer(zero | {group: torch.tensor(value) for group, value in groups.items()})


def test_the_directions_are_those_of_the_theorem():
    """Whole numbers, so that sums are exact: a value goes from a context over its targets to what is next."""
    found = leading_terms(STATISTICS, model())
    for group, name in (("W_O", "B_bar"), ("W", "Q_bar"), ("P", "Delta_bar")):
        np.testing.assert_array_equal(found[group], STATISTICS[name])
    along = np.einsum("tc,nt->cn", STATISTICS["Phi_bar"], STATISTICS["B_bar"])
    np.testing.assert_array_equal(found["V"], along)


def test_each_layer_has_a_cosine_of_its_own():
    directions = {group: torch.ones(4, 4) for group in ("W_O", "V", "W")} | {
        "P": torch.tensor([0.0, 2.0, 0.0])
    }
    one = np.zeros((4, 4))
    one[0, 0] = 3
    values = {"V": np.array([np.full((4, 4), 2.0), -one]), "P": np.array([[5.0, 0, 0], [0, 7.0, 0]])}
    found = alignments(model(**values), directions)
    assert found == {"W_O": [None], "V": [1.0, -0.25], "W": [None, None], "P": [0.0, 1.0]}


def test_layers_are_as_far_apart_as_the_farthest_is_from_their_mean():
    values = {"V": np.array([0.0, 1.0, 5.0]).reshape(3, 1, 1), "W": np.array([1.0, -1.0]).reshape(2, 1, 1)}
    assert spreads(model(**values)) == {"V": 1.5, "W": None, "P": None}
