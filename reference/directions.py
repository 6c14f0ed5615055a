"""Which singular directions of a matrix hold words together: neighbours by some of them, and by the others.

A word is a row of X = sum of sigma_i u_i v_i^T, and near another by the cosine. By the first k directions
alone a row is (sigma_1 u_1, ..., sigma_k u_k), since the v_i are orthonormal; without them it is the row of
X - U_k S_k V_k^T. A direction may hold nearly all of |X|^2 and no neighbour: by one direction alone every
cosine is 1 or -1, and half of all words are as near as each other. So ties are not broken by a word's
number: each order of what ties counts alike, and the share that is told is the mean over the orders,

    p_ij = 1 for a j nearer than the ties at the last place, (top - their number) / (ties) for a tie, else 0.

Two shares are told, each with what chance gives, exactly:

    kept         mean over i of sum_j p_ij q_ij / top, q that of the whole X; below 1 for X itself where words
                 tie. Chance: with another word's q, the mean over the pairs i, u of different words of
                 sum_j p_ij q_uj / top.
    of one kind  mean over the words i of all kinds of sum_j p_ij [kind_i = kind_j] / top. Chance: the kinds
                 dealt out again over these words, under which two of m words are of one kind with the
                 probability sum_c n_c (n_c - 1) / (m (m - 1)).

Derived here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from reference.alignment import Singular
from reference.categories import TOP, cosine_similarity

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Share:
    """A share of the nearest words and what chance gives.

    Attributes:
        value: in 0..1.
        chance: its mean under chance.
        p_value: the share of draws of chance, the value itself counted in, that reach it; nan if none drawn.
    """

    value: float
    chance: float
    p_value: float = math.nan


def first_alone(singular: Singular, k: int) -> Float64[np.ndarray, "V k"]:
    """Return the rows of a matrix by its first k singular directions alone, in these directions."""
    return singular.U[:, :k] * singular.sigma[:k]


def without_first(X: Float64[np.ndarray, "V n"], singular: Singular, k: int) -> Float64[np.ndarray, "V n"]:
    """Return the rows of X without its first k singular directions; zeros where only rounding is left.

    The difference is off by some roundoffs of the row that it is of, as many as it has terms at the most.
    """
    left = X - first_alone(singular, k) @ singular.Vt[:k]
    rounding = sum(X.shape) * EPSILON * np.linalg.norm(X, axis=1)
    return np.where((np.linalg.norm(left, axis=1) > rounding)[:, None], left, 0.0)


def chance_nearest(
    vectors: Float64[np.ndarray, "V d"], of: Int64[np.ndarray, " n"], top: int = TOP
) -> Float64[np.ndarray, "n V"]:
    """Return with which probability each word is among the `top` nearest of some, ties in an order of chance.

    Two cosines tie when they differ by no more than their rounding, which is that of sums of d products.

    Raises:
        ValueError: there are no more than `top` other words.
    """
    if top > len(vectors) - 1:
        raise ValueError(f"{len(vectors)} words have no {top} others.")
    similarity = cosine_similarity(vectors, of)
    similarity[np.arange(len(of)), of] = -np.inf
    last = -np.partition(-similarity, top - 1, axis=1)[:, top - 1 : top]
    within = 2 * (vectors.shape[1] + 4) * EPSILON
    nearer, tied = similarity > last + within, np.abs(similarity - last) <= within
    free = top - nearer.sum(axis=1, keepdims=True)
    return nearer + tied * (free / tied.sum(axis=1, keepdims=True))


def kept(part: Float64[np.ndarray, "n V"], whole: Float64[np.ndarray, "n V"], top: int = TOP) -> Share:
    """Return the share of each word's nearest by the whole that a part of it gives too; of two words up."""
    n, own = len(part), float((part * whole).sum())
    every = float(part.sum(axis=0) @ whole.sum(axis=0))
    return Share(own / (n * top), (every - own) / (n * (n - 1) * top))


def of_one_kind(
    part: Float64[np.ndarray, "m V"],
    members: Int64[np.ndarray, " m"],
    kinds: Int64[np.ndarray, " m"],
    *,
    draws: int,
    seed: int,
    top: int = TOP,
) -> Share:
    """Return the share of the nearest of some words that are of their own kind.

    Args:
        part: of `chance_nearest`, for the members.
        members: the words of all kinds, each once; two at the least.
        kinds: the number of each one's kind.
        draws: how often the kinds are dealt out again, for the p-value.
        seed: of these.
        top: how many nearest `part` is of.
    """
    m, among = len(members), part[:, members] / top
    same = kinds[:, None] == kinds
    value = float((among * same).sum() / m)
    one_kind = (same.sum() - m) / (m * (m - 1))
    chance, order = float(among.sum() / m * one_kind), np.random.default_rng(seed)
    dealt = (order.permutation(kinds) for _ in range(draws))
    # A deal that gives the same sum in another order of its terms is as large.
    least = value - m * m * EPSILON * value
    reached = 1 + sum(float((among * (one[:, None] == one)).sum() / m) >= least for one in dealt)
    return Share(value, chance, reached / (draws + 1) if draws else math.nan)
