"""The vectors of a layer of heads with some of them removed, and of splits of rows for a probe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from properties.vectors.inputs import Vector, drawn, text

_UNKNOWN = "there is no such head"
_MISFIT = "the weights do not fit together"
_STREAM = "the weights do not fit the stream"


def _layer(seed: int, H: int, d: int, k: int, /, **given: np.ndarray) -> dict[str, Any]:
    """Return W_Q, W_K, W_V [H, d, k] and W_O [H, k, d] as text; `given` replaces one."""
    shapes = {"W_Q": (H, d, k), "W_K": (H, d, k), "W_V": (H, d, k), "W_O": (H, k, d)}
    made = {name: drawn(seed + i, *shape, scale=8) for i, (name, shape) in enumerate(shapes.items())}
    return {name: text(array) for name, array in {**made, **given}.items()}


def _stream(seed: int, *shape: int) -> Any:
    return text(drawn(seed, *shape))


_TWO = _layer(201, 2, 3, 2)
_STREAMED = _stream(206, 2, 3, 3)


def multi_head_output() -> Iterator[Vector]:
    """Yield the vectors of multi_head_output."""
    three = _layer(211, 3, 4, 2), _stream(216, 1, 4, 4)
    alike = text(np.repeat(drawn(226, 2, 1, 3), 3, axis=1))
    scored = _layer(231, 2, 3, 2, W_Q=64 * np.sign(drawn(231, 2, 3, 2)))
    no_query = _layer(221, 2, 3, 2, W_Q=np.zeros((2, 3, 2)))
    cases: dict[str, tuple[str, tuple[str, ...], Any, Any, list[int]]] = {
        "ordinary": ("Two heads, none removed.", ("Ordinary", "QueryKey"), _TWO, _STREAMED, []),
        "without-first": ("The same without head 0.", ("Removed",), _TWO, _STREAMED, [0]),
        "without-last": ("The same without head 1.", ("Removed",), _TWO, _STREAMED, [1]),
        "named-twice": ("A head can be removed once.", ("Removed",), _TWO, _STREAMED, [1, 1]),
        "without-any": ("No head is left.", ("Removed", "ExactZero"), _TWO, _STREAMED, [0, 1]),
        "without-two": ("Three heads, two removed, the later one named first.", ("Removed",), *three, [2, 0]),
        "one-head": ("One head.", ("EdgeSize",), _layer(241, 1, 3, 2), _stream(246, 1, 3, 3), []),
        "one-number": ("d = k = 1.", ("EdgeSize",), _layer(251, 2, 1, 1), _stream(256, 1, 3, 1), []),
        "one-position": (
            "One position attends to itself.",
            ("OnePosition",),
            _layer(261, 2, 2, 2),
            _stream(266, 2, 1, 2),
            [],
        ),
        "wide-heads": (
            "Heads wider than the stream: scores are divided by sqrt(k) = 2.",
            ("Shape",),
            _layer(271, 2, 2, 4),
            _stream(276, 1, 3, 2),
            [],
        ),
        "no-query": (
            "Queries of zero: each position averages over itself and all before it.",
            ("Zero", "SelfIncluded"),
            no_query,
            _STREAMED,
            [],
        ),
        "no-stream": ("A stream of zero.", ("Zero", "ExactZero"), _TWO, text(np.zeros((1, 2, 3))), []),
        "equal-positions": ("Positions that are all alike.", ("Ties",), _TWO, alike, [0]),
        "large-scores": ("Scores of hundreds.", ("LargeScores",), scored, _STREAMED, []),
    }
    for name, (comment, flags, weights, stream, ablated) in cases.items():
        yield _output(name, comment, flags, weights, stream, ablated)
    yield from _no_output()


def _no_output() -> Iterator[Vector]:
    without = {name: value for name, value in _TWO.items() if name != "W_V"}
    one_output = {**_TWO, "W_O": text(drawn(204, 1, 2, 3))}
    narrow = {**_TWO, "W_K": text(drawn(202, 2, 3, 1))}
    broadcast = ("Refuse", "Broadcast")
    wrong: dict[str, tuple[str, str, tuple[str, ...], Any, Any, list[int]]] = {
        "no-such-head": ("Head 2 of two.", _UNKNOWN, ("Refuse",), _TWO, _STREAMED, [2]),
        "negative-head": ("Head -1.", _UNKNOWN, ("Refuse", "NegativeIndex"), _TWO, _STREAMED, [-1]),
        "no-values": ("W_V is missing.", "a weight is missing", ("Refuse",), without, _STREAMED, []),
        "one-output": ("W_O has one head, the others two.", _MISFIT, broadcast, one_output, _STREAMED, []),
        "narrow-keys": ("Keys of width 1, queries of 2.", _MISFIT, broadcast, narrow, _STREAMED, []),
        "other-stream": ("Four numbers a position.", _STREAM, ("Refuse",), _TWO, _stream(207, 1, 3, 4), []),
        "narrow-stream": ("One number a position.", _STREAM, broadcast, _TWO, _stream(208, 1, 3, 1), []),
        "flat-stream": ("No axis of sequences.", _STREAM, broadcast, _TWO, _stream(209, 3, 3), []),
    }
    for name, (comment, why, flags, weights, stream, ablated) in wrong.items():
        yield _output(name, comment, flags, weights, stream, ablated, why)


def _output(
    name: str,
    comment: str,
    flags: tuple[str, ...],
    weights: Any,
    stream: Any,
    ablated: list[int],
    why: str | None = None,
) -> Vector:
    params = {"weights": weights, "stream": stream, "ablated": ablated}
    return Vector(f"multi_head_output/{name}", comment, flags, params, why)


def probe_split() -> Iterator[Vector]:
    """Yield the vectors of probe_split."""
    eight = [number for number in range(8) for _ in range(3)]
    cases: dict[str, tuple[str, tuple[str, ...], list[int], str, int]] = {
        "ordinary": ("Eight sequences of three rows.", ("Ordinary", "Split"), eight, "1/4", 0),
        "interleaved": (
            "Rows of five sequences, mixed.",
            ("Split",),
            [3, 0, 1, 3, 4, 2, 0, 1, 4, 3],
            "1/2",
            1,
        ),
        "unequal": (
            "One sequence has most rows: the share is of sequences.",
            ("Split",),
            [0] * 9 + [1, 2, 3],
            "1/4",
            2,
        ),
        "row-each": ("A row a sequence, and numbers with gaps.", ("Split",), [40, 9, 23, 7, 11, 2], "1/2", 3),
        "two-sequences": ("One on each side.", ("EdgeSize",), [0, 0, 1], "1/2", 4),
        "small-share": (
            "A share below one sequence: one is tested.",
            ("EdgeSize",),
            [0, 1, 2, 0, 1, 2],
            "1/16",
            5,
        ),
        "large-share": ("A share of nearly all: one is left.", ("EdgeSize",), [0, 1, 2, 0, 1, 2], "15/16", 6),
        "word-zero": ("Sequence 0 is one like any other.", ("WordZero",), [0, 5, 0, 5, 6], "1/2", 7),
    }
    for name, (comment, flags, sequences, share, seed) in cases.items():
        yield _split(name, comment, flags, sequences, share, seed)
    one_side = "one side has no sequence"
    wrong = {
        "one-sequence": ("All rows are of sequence 3.", [3, 3, 3], "1/2", one_side),
        "no-row": ("There are no rows.", [], "1/2", one_side),
        "no-share": ("A share of 0.", [0, 1, 2], "0", one_side),
        "whole-share": ("A share of 1.", [0, 1, 2], "1", one_side),
        "negative-share": ("A share of -1/4.", [0, 1, 2, 3], "-1/4", "a share outside 0..1"),
        "percentage": ("A share of 25.", [0, 1, 2, 3], "25", "a share outside 0..1"),
    }
    for name, (comment, sequences, share, why) in wrong.items():
        yield _split(name, comment, ("Refuse",), sequences, share, 0, why)


def _split(
    name: str,
    comment: str,
    flags: tuple[str, ...],
    sequences: list[int],
    share: str,
    seed: int,
    why: str | None = None,
) -> Vector:
    params = {"sequences": sequences, "share": share, "seed": seed}
    return Vector(f"probe_split/{name}", comment, flags, params, why)
