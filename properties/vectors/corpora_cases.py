"""The vectors of statistics and of train: corpora from the awkward to the ordinary, and what is no corpus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from properties.vectors.inputs import ORDINARY, SMALL, Vector, drawn

# Twelve words, some rare and some frequent: products of two drawn numbers.
_WORDS = (abs(drawn(5, 6, 17)) * abs(drawn(6, 6, 17)) * 12).astype(int).clip(0, 11).tolist()

CORPORA: dict[str, tuple[str, tuple[str, ...], Any, int]] = {
    "ordinary": ("Four words, three sequences.", ("Ordinary", "SelfIncluded"), ORDINARY, 4),
    "larger": ("Twelve words of unequal frequency, six sequences.", ("Ordinary", "Unseen"), _WORDS, 12),
    "one-position": ("Two tokens a sequence.", ("OnePosition",), [[0, 1], [2, 0], [1, 1]], 3),
    "one-word": ("A vocabulary of one word.", ("OneWord", "Repeated"), [[0, 0, 0]], 1),
    "two-words": ("Two words.", ("TwoWords",), [[0, 1, 1, 0], [1, 1, 0, 1]], 2),
    "smallest": ("One prediction of one word out of two.", ("OnePosition", "OneSequence"), [[0, 1]], 2),
    "one-sequence": ("A single sequence.", ("OneSequence",), [[2, 0, 1, 2, 2, 0]], 3),
    "repeated-word": ("The same word throughout.", ("Repeated", "Unseen"), [[1, 1, 1, 1]], 3),
    "unseen-words": ("Words 3 and 4 never occur.", ("Unseen",), SMALL, 5),
    "ties": ("Words 0 and 2 occur alike.", ("Ties",), [[0, 1, 0, 2], [2, 1, 2, 0]], 3),
    "equal-sequences": ("The same sequence twice.", ("Ties",), [[0, 2, 1, 1]] * 2, 3),
    "word-zero-last": ("Sequences that end with word 0.", ("WordZero",), [[1, 2, 0, 0], [2, 1, 1, 0]], 3),
    "boundary": ("Constant sequences.", ("Boundary",), [[0, 0, 0], [1, 1, 1], [2, 2, 2]], 3),
}

NO_CORPUS: dict[str, tuple[str, str, tuple[str, ...], Any, int]] = {
    "ragged": ("Sequences of different lengths.", "ragged tokens", ("Refuse",), [[0, 1, 2], [0, 1]], 3),
    "out-of-range": ("A token equal to V.", "a token outside 0..V-1", ("Refuse",), [[0, 3, 1]], 3),
    "negative-token": (
        "A token -1.",
        "a token outside 0..V-1",
        ("Refuse", "NegativeIndex"),
        [[0, -1, 1]],
        3,
    ),
    "no-position": ("One token a sequence: T = 0.", "nothing is predicted", ("Refuse",), [[0], [1]], 2),
    "no-sequence": ("An empty list.", "there is no sequence", ("Refuse",), [], 2),
    "no-word": ("A vocabulary of none.", "a token outside 0..V-1", ("Refuse",), [[0, 0]], 0),
}


def statistics() -> Iterator[Vector]:
    """Yield the vectors of statistics."""
    for name, (comment, flags, tokens, V) in CORPORA.items():
        yield Vector(f"statistics/{name}", comment, flags, {"tokens": tokens, "vocab_size": V})
    for name, (comment, why, flags, tokens, V) in NO_CORPUS.items():
        yield Vector(f"statistics/{name}", comment, flags, {"tokens": tokens, "vocab_size": V}, why)


def train() -> Iterator[Vector]:
    """Yield the vectors of train."""

    def descent(tokens: Any, V: int, layers: int, rate: str, steps: int) -> dict[str, Any]:
        return {"tokens": tokens, "vocab_size": V, "layers": layers, "rate": rate, "steps": steps}

    yield Vector(
        "train/no-step", "Zero steps: the zero start.", ("ExactZero",), descent(SMALL, 3, 2, "1/8", 0)
    )
    yield Vector(
        "train/no-rate", "A rate of zero moves nothing.", ("ExactZero",), descent(SMALL, 3, 1, "0", 1)
    )
    yield Vector(
        "train/one-step",
        "After one step W_O is the rate times B_bar, and the others are exactly zero.",
        ("Ordinary", "ExactZero", "ManyLayers"),
        descent(ORDINARY, 4, 2, "1/32", 1),
    )
    yield Vector(
        "train/two-steps",
        "V has moved; W and P are exactly zero until the third step.",
        ("ExactZero", "ManyLayers"),
        descent(SMALL, 3, 2, "1/8", 2),
    )
    yield Vector("train/three-steps", "Everything has moved.", ("Ordinary",), descent(SMALL, 3, 1, "1/4", 3))
    yield Vector(
        "train/two-layers",
        "Layers part at the fourth order.",
        ("ManyLayers",),
        descent(SMALL, 3, 2, "1/2", 4),
    )
    yield Vector(
        "train/one-position", "T = 1.", ("OnePosition",), descent([[0, 1], [2, 0], [1, 1]], 3, 1, "1/2", 4)
    )
    yield Vector(
        "train/unseen-word", "Word 2 never occurs.", ("Unseen",), descent([[0, 1, 1, 0]], 3, 1, "1/2", 4)
    )
    yield Vector(
        "train/one-word", "V = 1: nothing moves.", ("OneWord",), descent([[0, 0, 0]], 1, 1, "1/2", 1)
    )
    for name, (comment, why, flags, tokens, V) in NO_CORPUS.items():
        yield Vector(f"train/{name}", comment, flags, descent(tokens, V, 1, "1/8", 1), why)
    wrong = {
        "negative-rate": ("A rate below zero ascends.", "a negative rate", descent(SMALL, 3, 1, "-1/8", 1)),
        "negative-steps": (
            "Steps below zero.",
            "a negative number of steps",
            descent(SMALL, 3, 1, "1/8", -1),
        ),
        "negative-layers": (
            "Layers below zero.",
            "a negative number of layers",
            descent(SMALL, 3, -1, "1/8", 1),
        ),
    }
    for name, (comment, why, params) in wrong.items():
        yield Vector(f"train/{name}", comment, ("Refuse",), params, why)
