"""The vectors of logits, attention, loss and gradients: the same models for all four."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from properties.vectors.inputs import SMALL, Vector, drawn, parameters

METHODS = ("logits", "attention", "loss", "gradients")

_ONE_QUERY = np.zeros((1, 3, 3))
_ONE_QUERY[0, 0, 1] = 1.0
_BY_DISTANCE = np.array([[0.0, 1.0, -2.0]])


def _models() -> dict[str, tuple[str, tuple[str, ...], dict[str, Any], Any]]:
    none = np.zeros((1, 3, 3))
    return {
        "ordinary": (
            "Three words, one layer.",
            ("Ordinary", "QueryKey", "ByDistance"),
            parameters(1, 3, 3, 1),
            SMALL,
        ),
        "two-layers": ("Two layers.", ("ManyLayers",), parameters(11, 3, 3, 2, scale=32), SMALL),
        "one-position": (
            "One position attends to itself.",
            ("OnePosition",),
            parameters(21, 3, 1, 1),
            [[0, 1], [2, 0]],
        ),
        "one-word": ("One word: uniform logits.", ("OneWord",), parameters(31, 1, 2, 1), [[0, 0, 0]]),
        "zero": (
            "Zero parameters: uniform attention and logits.",
            ("Zero",),
            parameters(0, 3, 3, 1, W_O=none[0], V=none, W=none, P=none[:, 0]),
            SMALL,
        ),
        "one-query": (
            "Word 0 looks for word 1, and nothing else.",
            ("QueryKey",),
            parameters(41, 3, 3, 1, W=_ONE_QUERY, P=np.zeros((1, 3))),
            [[1, 0, 0, 2], [0, 1, 2, 1]],
        ),
        "by-distance": (
            "Attention by distance alone: it is the same for all sequences.",
            ("ByDistance",),
            parameters(51, 3, 3, 1, W=np.zeros((1, 3, 3)), P=_BY_DISTANCE),
            SMALL,
        ),
        "equal-words": (
            "Equal words receive equal weights.",
            ("Ties",),
            parameters(61, 3, 3, 1, P=np.ones((1, 3))),
            [[1, 1, 0, 2]],
        ),
        "unseen-word": ("Word 2 never occurs.", ("Unseen",), parameters(71, 3, 3, 1), [[0, 1, 1, 0]]),
        "large-scores": (
            "Scores of up to a thousand.",
            ("LargeScores",),
            parameters(81, 3, 3, 1, W=1000 * np.sign(drawn(82, 1, 3, 3))),
            SMALL,
        ),
        "large-logits": (
            "Logits of up to two thousand.",
            ("LargeScores",),
            parameters(91, 3, 3, 1, W_O=1000 * np.sign(drawn(92, 3, 3))),
            SMALL,
        ),
    }


def _refused() -> dict[str, tuple[str, str, tuple[str, ...], dict[str, Any], Any]]:
    fits = parameters(1, 3, 3, 1)
    without = {name: value for name, value in fits.items() if name != "P"}
    token = "a token outside 0..V-1"
    return {
        "out-of-range": ("A token equal to V.", token, ("Refuse",), fits, [[0, 1, 3, 0]]),
        "negative-token": ("A token -1.", token, ("Refuse", "NegativeIndex"), fits, [[0, -1, 1, 0]]),
        "ragged": (
            "Sequences of different lengths.",
            "ragged tokens",
            ("Refuse",),
            fits,
            [[0, 1, 2, 0], [0]],
        ),
        "no-position": ("One token a sequence.", "nothing is predicted", ("Refuse",), fits, [[0]]),
        "no-P": ("P is missing.", "a parameter is missing", ("Refuse",), without, SMALL),
        "short-P": (
            "P has one distance and the sequences three positions.",
            "P does not fit the sequences",
            ("Refuse", "Broadcast"),
            {**fits, "P": [["0"]]},
            SMALL,
        ),
        "small-V": (
            "V is one number and W_O a matrix.",
            "the parameters do not fit together",
            ("Refuse", "Broadcast"),
            {**fits, "V": [[["1"]]]},
            SMALL,
        ),
    }


def of(method: str) -> Iterator[Vector]:
    """Yield the vectors of one of the four methods."""
    for name, (comment, flags, model, tokens) in _models().items():
        yield Vector(f"{method}/{name}", comment, flags, {"parameters": model, "tokens": tokens})
    for name, (comment, why, flags, model, tokens) in _refused().items():
        yield Vector(f"{method}/{name}", comment, flags, {"parameters": model, "tokens": tokens}, why)
