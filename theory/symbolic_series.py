"""The descent of every corpus of a size at once: one symbol for the weight of each possible sequence.

There are V^(T+1) sequences of T + 1 tokens, and a corpus is a weight w_0, w_1, ... for each of them. The
gradient is linear in the weights when the parameters are held, and each eta comes with one gradient, so by
induction over the steps the coefficient of eta^k in any parameter is a homogeneous polynomial of degree k in
the weights. The statistics are homogeneous too: B_bar and Phi_bar of degree 1, Sigma_B of degree 2, G_bar 3,
Q_bar and Delta_bar 4. An identity between them therefore holds for weights that sum to one exactly when it
holds as polynomials, and no normalisation has to be imposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import product

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from theory import descent
from theory.corpus import check_corpus
from theory.one_hot import OneSequence, constants
from theory.polynomial_matrix import PolynomialMatrix


def every_sequence(vocab_size: int, length: int) -> list[list[int]]:
    """All V^(T+1) sequences in lexicographic order: sequence i is the one that weight w_i belongs to."""
    return [list(row) for row in product(range(vocab_size), repeat=length + 1)]


@cache
def weight_symbols(count: int) -> tuple[fmpq_mpoly, ...]:
    """The symbols w_0..w_(count-1)."""
    return fmpq_mpoly_ctx.get(("w", count), Ordering.degrevlex).gens()


def every_corpus(vocab_size: int, length: int) -> list[OneSequence[PolynomialMatrix]]:
    """All sequences as matrices, each with its symbol over T as its share.

    Raises:
        ValueError: sizes below 1.
    """
    if vocab_size < 1 or length < 1:
        raise ValueError(f"a vocabulary and a length of 1 or more are needed, not {vocab_size} and {length}")
    corpus = check_corpus(every_sequence(vocab_size, length), vocab_size)
    lift = PolynomialMatrix.lift
    return [
        OneSequence(lift(one.X), lift(one.Y), lift(one.A0), lift(one.p0), weight * fmpq(1, length))
        for one, weight in zip(constants(corpus), weight_symbols(len(corpus.rows)), strict=True)
    ]


def descend_every_corpus(
    vocab_size: int, length: int, layers: int, steps: int, orders: Mapping[str, int]
) -> list[descent.Truncated[PolynomialMatrix]]:
    """The parameters after 0..`steps` full-batch steps from zero, entries polynomials in the weights.

    `orders` gives the last order kept of each group (W_O, V, W, P).

    Raises:
        ValueError: sizes below 1.
    """
    corpus = every_corpus(vocab_size, length)
    step = descent.Step[PolynomialMatrix]({i: one.share for i, one in enumerate(corpus)})
    return descent.run(corpus, descent.zero_start(layers, orders), [step] * steps)
