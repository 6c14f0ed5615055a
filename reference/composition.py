"""How strongly one circuit reads what another writes, and how strongly it would by chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from reference.attention_rows import Numbers


def composition_score(
    first: Float64[np.ndarray, "*first a b"], second: Float64[np.ndarray, "*second b c"]
) -> Numbers:
    """Return |first second| / (|first| |second|) in Frobenius norms, in 0..1; 0 where a factor is zero.

    Leading axes broadcast. 1 when both have rank one and meet in the same direction. Where the bases are
    unrelated the square has the mean 1/b exactly, whatever the ranks (`random_composition`): the zero point
    is 1/sqrt(b), 1/sqrt(d_model) between heads, and not 0. The sign of a factor plays no part: turning one by
    180 degrees leaves the score as it is.

    Source: Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits".
    """
    size = _norm(first) * _norm(second)
    # [()] makes a number of an array without axes.
    score: Numbers = np.divide(_norm(first @ second), size, out=np.zeros_like(size), where=size > 0)[()]
    return score


@dataclass(frozen=True)
class Chance:
    """What the square of a composition score is for two circuits in unrelated bases."""

    mean: Numbers
    deviation: Numbers


def random_composition(
    first: Float64[np.ndarray, "*first a b"], second: Float64[np.ndarray, "*second b c"]
) -> Chance:
    """Return mean and standard deviation of the squared score over all rotations between two circuits.

    The mean is 1/b. The deviation depends on how concentrated the two are: with u = tr U^2, U = A^T A /
    |A|^2, and w likewise of B, E X^2 = (1 + 2u)(1 + 2w)/(3b(b+2)) + 2(1-u)(1-w)/(3b(b-1)). Circuits of zeros
    have none.

    Source: derived in `theory.composition_null`.
    """
    b = first.shape[-1]
    u, w = _concentration(first.swapaxes(-1, -2)), _concentration(second)
    if b == 1:
        return Chance(np.ones_like(u * w), np.zeros_like(u * w))
    second_moment = (1 + 2 * u) * (1 + 2 * w) / (3 * b * (b + 2))
    second_moment = second_moment + 2 * (1 - u) * (1 - w) / (3 * b * (b - 1))
    # A circuit that is the same in all directions has no spread, up to rounding.
    return Chance(np.full_like(u * w, 1 / b), np.sqrt(np.maximum(second_moment - 1 / b**2, 0.0)))


def composition_excess(
    first: Float64[np.ndarray, "*first a b"], second: Float64[np.ndarray, "*second b c"]
) -> Numbers:
    """Return by how many standard deviations of chance the squared score lies above 1/b; 0 without spread.

    0 for unrelated circuits in the mean; the deviations are those of `random_composition`, of a distribution
    with a long upper tail where both circuits have low rank.
    """
    chance = random_composition(first, second)
    above = composition_score(first, second) ** 2 - chance.mean
    excess: Numbers = np.divide(
        above, chance.deviation, out=np.zeros_like(above * chance.deviation), where=chance.deviation > 0
    )[()]
    return excess


def subspace_scores(
    sources: Mapping[str, Float64[np.ndarray, "_ d"]], circuit: Float64[np.ndarray, "*heads d c"]
) -> dict[str, Numbers]:
    """Return how strongly a circuit reads each source that is written into the stream, by the source's name.

    A source is a matrix with one row for each thing that it can write: the token embeddings [V, d] and the
    position embeddings [T, d], both less their mean row, which every input shares, or the OV circuit [d, d]
    of an earlier head. Pass W_QK for the query side, its transpose for the key side, W_OV for what is moved.
    In 0..1; chance is 1/sqrt(d).

    Source: circuits-notes (subspace scores).
    """
    return {name: composition_score(rows, circuit) for name, rows in sources.items()}


def _norm(matrix: Float64[np.ndarray, "*heads a b"]) -> Float64[np.ndarray, "*heads"] | np.floating:
    return np.linalg.norm(matrix, axis=(-2, -1))


def _concentration(matrix: Float64[np.ndarray, "*heads b c"]) -> Float64[np.ndarray, "*heads"] | np.floating:
    """tr S^2 for S = M M^T / |M|^2, in 1/b..1; 1 for zeros."""
    size = _norm(matrix)
    unit = matrix / np.where(size > 0, size, 1.0)[..., None, None]
    return np.where(size > 0, _norm(unit @ unit.swapaxes(-1, -2)) ** 2, 1.0)
