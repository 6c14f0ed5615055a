"""Induction: what followed the current token when it was seen before.

For a sequence x_0..x_T-1 and a position t let j < t be an earlier occurrence, x_j = x_t. An induction head
attends from t to j + 1, the position whose *previous* token is x_t, and predicts x_{j+1}. In A B C D A B C D
A at position 8 (A) the latest earlier occurrence is j = 4, the head attends to 5 and predicts B.

Source: attention-chapter, sec. 4.14 and 4.16.1; the score of any sequence is derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from reference.attention_metrics import check_map
from reference.attention_rows import Numbers
from reference.errors import InputError


@dataclass(frozen=True)
class Step:
    """What induction does at one position.

    Attributes:
        position: t.
        earlier: j, the latest earlier occurrence of the token at t, or None where it is new.
        attended: j + 1, or None.
        predicted: the token at j + 1, or None.
    """

    position: int
    earlier: int | None
    attended: int | None
    predicted: int | None


def walk_through(tokens: Int64[np.ndarray, " T"]) -> list[Step]:
    """Return what an induction head that looks back to the latest occurrence does, position by position."""
    steps = []
    last: dict[int, int] = {}
    for t, token in enumerate(tokens.tolist()):
        j = last.get(token)
        found = (None, None, None) if j is None else (j, j + 1, int(tokens[j + 1]))
        steps.append(Step(t, *found))
        last[token] = t
    return steps


def copy_targets(tokens: Int64[np.ndarray, "*batch T"]) -> Bool[np.ndarray, "*batch T T"]:
    """Return for each row t which keys k in 1..t follow an earlier occurrence: x_{k-1} = x_t."""
    targets = np.zeros((*tokens.shape, tokens.shape[-1]), dtype=bool)
    targets[..., 1:] = tokens[..., :, None] == tokens[..., None, :-1]
    return np.tril(targets)


def match_targets(tokens: Int64[np.ndarray, "*batch T"]) -> Bool[np.ndarray, "*batch T T"]:
    """Return for each row t which keys k < t hold the same token: x_k = x_t."""
    return np.tril(tokens[..., :, None] == tokens[..., None, :], k=-1)


def sequence_induction_score(
    attention: Float64[np.ndarray, "*batch T T"], tokens: Int64[np.ndarray, "*batch T"]
) -> Numbers:
    """Return the induction score of a map on any sequence: its weight on the copy targets, see `weight_on`.

    Raises:
        InputError: the map is no square with a row for each token, or no token of some sequence recurs.
    """
    T = check_map(attention)
    if tokens.shape[-1:] != (T,):
        raise InputError(
            f"A map of {T} rows cannot be scored on tokens of the shape {list(tokens.shape)}; "
            "give one token a row."
        )
    return weight_on(attention, copy_targets(tokens))


def weight_on(
    attention: Float64[np.ndarray, "*batch T T"], targets: Bool[np.ndarray, "*batch T T"]
) -> Numbers:
    """Return the mean, over all rows that have a target, of the weight that they give to their targets.

    In 0..1. With `copy_targets` this is the induction score of any sequence: 1 for a perfect induction head,
    however many earlier occurrences there are. With `match_targets` it is the weight on the occurrence
    itself: a head that scores there and not on the copy targets repeats a token and does not predict.

    Rows without a target, row 0 among them, are left out. Uniform attention: the mean over those rows of
    (number of targets) / (t+1), which `theory.baselines.sequence_induction_score` gives exactly; a random
    head with independent logits has the same mean at every variance.

    Raises:
        InputError: no row of some sequence has a target.
    """
    rows = targets.any(axis=-1)
    if not rows.any(axis=-1).all():
        raise InputError("A sequence in which no token recurs has no induction score; give a longer one.")
    on_targets = (attention * targets).sum(axis=-1)
    score: Numbers = (on_targets * rows).sum(axis=-1) / rows.sum(axis=-1)
    return score
