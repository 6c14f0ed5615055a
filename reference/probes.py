"""Linear probes: whether a property can be read off activations by a plane, and what else could explain it.

A probe is logistic regression on standardised features with a small ridge, fitted by Newton's method: the
optimum is unique, so there is no learning rate, no step count and no seed to choose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from reference.errors import InputError

# The ridge per row and squared weight; with standardised features it keeps separable data finite.
RIDGE = 1e-3
MOST_STEPS = 50


@dataclass(frozen=True)
class Probe:
    """A plane: `direction` [d] and `bias`, in the coordinates of the features themselves."""

    direction: Float64[np.ndarray, " d"]
    bias: float

    def predicts(self, features: Float64[np.ndarray, "rows d"]) -> Bool[np.ndarray, " rows"]:
        """Return on which rows the property is predicted."""
        return features @ self.direction + self.bias > 0

    @property
    def unit(self) -> Float64[np.ndarray, " d"]:
        """The direction with length 1; zeros if it is zero."""
        length = np.linalg.norm(self.direction)
        return self.direction / length if length > 0 else self.direction


def fit_probe(features: Float64[np.ndarray, "rows d"], labels: Bool[np.ndarray, " rows"]) -> Probe:
    """Return the probe that minimises the mean logistic loss plus RIDGE |w|^2 / 2.

    Features are standardised first; those that do not vary get no weight. Labels of one class only give the
    probe that always says so.

    Raises:
        InputError: there are no rows, or a feature is not finite.
    """
    if not len(features) or not np.isfinite(features).all():
        raise InputError("A probe needs rows of finite features to be fitted to.")
    if labels.all() or not labels.any():
        return Probe(np.zeros(features.shape[1]), 1.0 if labels.all() else -1.0)
    centre, scale = features.mean(axis=0), features.std(axis=0)
    scale = np.where(scale > 0, scale, np.inf)
    X = np.column_stack([(features - centre) / scale, np.ones(len(features))])
    w = _newton(X, labels.astype(np.float64))
    direction = w[:-1] / scale
    return Probe(direction, float(w[-1] - centre @ direction))


def _newton(X: Float64[np.ndarray, "rows d_plus_1"], y: Float64[np.ndarray, " rows"]) -> np.ndarray:
    """Return the minimiser of the ridged logistic loss; the last column is the bias, without a ridge."""
    n, d = X.shape
    ridge = np.full(d, RIDGE)
    ridge[-1] = 0.0
    w = np.zeros(d)
    for _ in range(MOST_STEPS):
        p = 1 / (1 + np.exp(-(X @ w)))
        gradient = X.T @ (p - y) / n + ridge * w
        curvature = (X * (p * (1 - p))[:, None]).T @ X / n + np.diag(ridge)
        # The bias has no ridge; where all p are 0 or 1 to the last bit its curvature vanishes.
        curvature[-1, -1] += np.finfo(np.float64).eps
        step = np.linalg.solve(curvature, gradient)
        # The loss is self-concordant enough for steps of bounded length to descend.
        w -= step / max(1.0, np.abs(X @ step).max() / 2)
        if np.abs(step).max() <= np.sqrt(np.finfo(np.float64).eps):
            break
    return w


def accuracy_by_sequence(
    predicted: Bool[np.ndarray, " rows"],
    labels: Bool[np.ndarray, " rows"],
    sequences: Int64[np.ndarray, " rows"],
) -> Float64[np.ndarray, " n"]:
    """Return the share of right predictions in each sequence, in the order of their numbers."""
    numbers, place = np.unique(sequences, return_inverse=True)
    right = np.bincount(place, weights=(predicted == labels), minlength=len(numbers))
    return right / np.bincount(place)


def labels_by_type(types: Int64[np.ndarray, " rows"], rate: float, seed: int) -> Bool[np.ndarray, " rows"]:
    """Return the labels of a control task: a coin for each type, with `rate` of heads, kept throughout.

    A probe can learn it only by learning the types by heart; what it scores there is what its capacity buys.
    Selectivity is the accuracy on the property less that on the control task.

    Source: Hewitt and Liang 2019, "Designing and Interpreting Probes with Control Tasks".
    """
    coins = np.random.default_rng(seed).random(int(types.max(initial=0)) + 1) < rate
    return coins[types]


def one_hot_features(values: Int64[np.ndarray, " rows"]) -> Float64[np.ndarray, "rows k"]:
    """Return one column for each value that occurs: what a probe scores on knowing the value alone."""
    return (values[:, None] == np.unique(values)).astype(np.float64)


def without_direction(
    features: Float64[np.ndarray, "*rows d"], unit: Float64[np.ndarray, " d"]
) -> Float64[np.ndarray, "*rows d"]:
    """Return h - (h . w) w for a direction w of length 1."""
    return features - (features @ unit)[..., None] * unit


def random_directions(
    features: Float64[np.ndarray, "rows d"], count: int, seed: int
) -> Float64[np.ndarray, "count d"]:
    """Return directions of length 1 to compare a removal with, drawn as the features themselves vary.

    Each is a random sum of centred rows, so that it points where the stream has variance: removing a
    direction that the stream hardly uses costs nothing and would be too easy a control.
    """
    rng = np.random.default_rng(seed)
    centred = features - features.mean(axis=0)
    drawn = rng.normal(size=(count, len(centred))) @ centred
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
