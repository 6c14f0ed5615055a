"""Linear probes on constructed representations, in which what there is to find is known."""

from __future__ import annotations

import numpy as np

TYPES = 16
WIDTH = 32
POSITIONS = 8
SEQUENCES = 24
INSTANCES = 320


def held_out_accuracy(X: np.ndarray, y: np.ndarray, train: np.ndarray) -> float:
    """Return the accuracy of a ridge regression probe on the rows that `train` leaves out.

    Args:
        X: [n, d] representations.
        y: [n] labels, -1 or 1.
        train: [n] booleans.
    """
    with_bias = np.hstack([X, np.ones((len(X), 1))])
    A = with_bias[train]
    w = np.linalg.solve(A.T @ A + np.eye(A.shape[1]), A.T @ y[train])
    return float((np.sign(with_bias[~train] @ w) == y[~train]).mean())


def signs(random: np.random.Generator, size: int) -> np.ndarray:
    """Return as many +1 as -1, [size], in random order."""
    return random.permutation(np.resize([-1.0, 1.0], size))


def readable_positions(seed: int, with_positions: bool) -> float:
    """Return the share of (character, position) pairs whose position a linear map reads off their sum.

    Random vectors of TYPES characters and POSITIONS positions are independent in WIDTH dimensions, so that
    some linear map takes each position's to its own axis and all characters' to 0.
    """
    random = np.random.default_rng(seed)
    characters, positions = random.normal(size=(TYPES, WIDTH)), random.normal(size=(POSITIONS, WIDTH))
    wanted = np.vstack([np.zeros((TYPES, POSITIONS)), np.eye(POSITIONS)])
    readout = np.linalg.lstsq(np.vstack([characters, positions]), wanted, rcond=None)[0]
    inputs = characters[:, None] + with_positions * positions[None]
    return float(((inputs @ readout).argmax(axis=-1) == np.arange(POSITIONS)).mean())


def accuracies(seed: int, labels: str, representation: str) -> float:
    """Return the held-out accuracy of a probe on instances of TYPES types.

    Args:
        labels: "real", a function of the type; "by type", random for each type; "by instance", the real ones
            shuffled over the instances.
        representation: "type", a random vector a type; "label", one feature, the real label.
    """
    random = np.random.default_rng(seed)
    of_type, control, vectors = (
        signs(random, TYPES),
        signs(random, TYPES),
        random.normal(size=(TYPES, WIDTH)),
    )
    types = random.integers(0, TYPES, INSTANCES)
    train = random.permutation(np.arange(INSTANCES) % 2 == 0)
    y = {
        "real": of_type[types],
        "by type": control[types],
        "by instance": random.permutation(of_type[types]),
    }[labels]
    X = vectors[types] if representation == "type" else of_type[types][:, None]
    return held_out_accuracy(X, y, train)


def split_accuracy(seed: int, by_sequence: bool) -> float:
    """Return the held-out accuracy where a label is random for each sequence, so that nothing is to be found.

    The positions of a sequence share a random vector, to which each adds its own noise.
    """
    random = np.random.default_rng(seed)
    sequence = np.repeat(np.arange(SEQUENCES), POSITIONS)
    shared, y = random.normal(size=(SEQUENCES, WIDTH)), signs(random, SEQUENCES)[sequence]
    X = shared[sequence] + random.normal(size=(len(sequence), WIDTH)) / WIDTH
    half = signs(random, SEQUENCES)[sequence] if by_sequence else signs(random, len(sequence))
    return held_out_accuracy(X, y, half > 0)


def effect_of_removal(readout: np.ndarray, direction: np.ndarray) -> float:
    """Return the mean squared change of readout.h, h [d] ~ N(0, 1), without its part along `direction`.

    With w = direction / |direction|, E ((readout.w) (h.w))^2 = (readout.w)^2.
    """
    return float((readout @ direction) ** 2 / (direction @ direction))
