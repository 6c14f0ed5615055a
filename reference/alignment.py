"""What a cosine between a weight and its leading term is worth: its nulls, and its spectrum.

A matrix X with a dominant singular direction has a high cosine with any matrix that has this one direction
right: the best matrix of rank one has sigma_1 / |X|. So a cosine is told with what knows less than the weight
should (the best rank-one matrix, statistics of a corpus without order, statistics of another corpus, of a
sample), and once more after the first k singular directions u_i, v_i of X are projected out of both,

    X_k = sum over i > k of sigma_i u_i v_i^T,        W_k = (1 - U U^T) W (1 - V V^T),

so that what is left is measured against its own size. <W_k, X_k> = <W, X> - sum of sigma_i u_i^T W v_i, and
|W_k|^2 = |W|^2 - |U^T W|^2 - |W V|^2 + |U^T W V|^2. Derived here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float64

REMOVED = (0, 1, 2, 5, 10, 50)

# Below this size all singular values are computed; above it only those asked for.
DENSE_UP_TO = 200

Array = Float64[np.ndarray, "*shape"]


@dataclass(frozen=True)
class Singular:
    """The first singular directions of a matrix X [V, V], the largest first.

    Attributes:
        U: [V, n], left.
        sigma: [n].
        Vt: [n, V], right.
        square: |X|^2.
    """

    U: Float64[np.ndarray, "V n"]
    sigma: Float64[np.ndarray, " n"]
    Vt: Float64[np.ndarray, "n V"]
    square: float

    @property
    def best_rank_one(self) -> float:
        """The cosine of X with the best matrix of rank one; nan where X vanishes."""
        return float(self.sigma[0]) / math.sqrt(self.square) if self.square > 0 else math.nan

    def left_over(self, removed: int) -> float:
        """The share of |X|^2 that is left without the first `removed` directions."""
        gone = float((self.sigma[:removed] ** 2).sum())
        return max(0.0, 1 - gone / self.square) if self.square > 0 else math.nan


@dataclass(frozen=True)
class AlignmentReport:
    """A weight beside its leading term X, and what the cosine would be for less.

    Attributes:
        cosine: with X.
        best_rank_one: the cosine of X with the best matrix of rank one; nan for vectors.
        controls: by name, the cosine of X with what is not the weight.
        removed: numbers k of directions that are projected out.
        left_over: for each k the share of |X|^2 that is left.
        spectrum: for each k the cosine of what is left of the weight and of X.
        samples: for each k the same of each sample's statistic.
    """

    cosine: float
    best_rank_one: float
    controls: dict[str, float] = field(default_factory=dict)
    removed: tuple[int, ...] = ()
    left_over: tuple[float, ...] = ()
    spectrum: tuple[float, ...] = ()
    samples: tuple[tuple[float, ...], ...] = ()


def alignment_report(
    weight: Array,
    leading: Array,
    *,
    controls: Mapping[str, Array] | None = None,
    samples: Sequence[Array] = (),
    removed: Sequence[int] = REMOVED,
    singular: Singular | None = None,
) -> AlignmentReport:
    """Return the cosine of a weight with its leading term, with nulls and spectrum.

    Args:
        weight: a matrix [V, V], or a vector [T], which has no spectrum.
        leading: its leading term X, of the same shape; only the direction matters.
        controls: other statistics of the same shape, such as of a shuffled corpus.
        samples: X computed on samples of the sequences.
        removed: how many directions to project out; more than there are is left out.
        singular: of X, where it is known.
    """
    others = {name: cosine(other, leading) for name, other in (controls or {}).items()}
    if leading.ndim != 2:
        return AlignmentReport(cosine(weight, leading), math.nan, others)
    ladder = tuple(k for k in removed if k < min(leading.shape))
    singular = singular or singular_directions(leading, max(ladder, default=0))
    return AlignmentReport(
        cosine=cosine(weight, leading),
        best_rank_one=singular.best_rank_one,
        controls=others,
        removed=ladder,
        left_over=tuple(singular.left_over(k) for k in ladder),
        spectrum=spectrum(weight, leading, singular, ladder),
        samples=tuple(spectrum(sample, leading, singular, ladder) for sample in samples),
    )


def cosine(first: Array, second: Array) -> float:
    """Return the cosine in the Frobenius inner product; nan where one vanishes."""
    largest = float(np.abs(first).max(initial=0.0)), float(np.abs(second).max(initial=0.0))
    if not all(largest):
        return math.nan
    one, other = first / largest[0], second / largest[1]
    return float((one * other).sum() / (np.linalg.norm(one) * np.linalg.norm(other)))


def singular_directions(matrix: Float64[np.ndarray, "V V"], count: int) -> Singular:
    """Return the first `count` singular directions, one at the least; the same ones each time."""
    count = max(1, min(count, min(matrix.shape)))
    scale = float(np.abs(matrix).max(initial=0.0)) or 1.0
    scaled = matrix / scale
    if min(matrix.shape) <= max(DENSE_UP_TO, 2 * count):
        U, sigma, Vt = np.linalg.svd(scaled)
    else:
        from scipy.sparse.linalg import svds  # for many words alone

        # Lanczos from a fixed start.
        U, sigma, Vt = svds(scaled, k=count, v0=np.ones(min(matrix.shape)))
        order = np.argsort(-sigma)
        U, sigma, Vt = U[:, order], sigma[order], Vt[order]
    square = float((scaled * scaled).sum()) * scale**2
    return Singular(U[:, :count], sigma[:count] * scale, Vt[:count], square)


def spectrum(
    weight: Float64[np.ndarray, "V V"],
    leading: Float64[np.ndarray, "V V"],
    singular: Singular,
    removed: Sequence[int],
) -> tuple[float, ...]:
    """Return the cosine of W_k and X_k for each k of `removed`; nan where one is no more than rounding."""
    UW, WV = singular.U.T @ weight, weight @ singular.Vt.T
    UWV = UW @ singular.Vt.T
    rows, columns = (UW**2).sum(axis=1), (WV**2).sum(axis=0)
    product, square = float((weight * leading).sum()), float((weight * weight).sum())
    # What is left is a difference of squares, each off by about the roundoff of as many terms.
    rounding = len(weight) * float(np.finfo(np.float64).eps)
    found = []
    for k in removed:
        inner = product - float((singular.sigma[:k] * np.diagonal(UWV)[:k]).sum())
        own = square - float(rows[:k].sum()) - float(columns[:k].sum()) + float((UWV[:k, :k] ** 2).sum())
        other = singular.square - float((singular.sigma[:k] ** 2).sum())
        is_there = own > rounding * square and other > rounding * singular.square
        found.append(inner / math.sqrt(own * other) if is_there else math.nan)
    return tuple(found)
