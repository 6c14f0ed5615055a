"""The transformer of the paper and its gradient on one sequence, as power series in eta.

Written from Definition 3.1 and Lemma D.8. Every arrow of the computation is a lazy series, so whoever asks
for a coefficient of a gradient pays for what that coefficient needs and for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from theory.matrix import M, along_diagonals, negated, on_diagonals, row_sums, scale_rows
from theory.one_hot import OneSequence
from theory.power_series import (
    Series,
    bilinear,
    constant,
    difference,
    hadamard_product,
    image,
    product,
    softmax_rows,
    total,
    transposed,
)


@dataclass(frozen=True)
class ParameterSeries(Generic[M]):
    """W_O [V, V]; V and W a layer [V, V]; P a layer [T, 1]: parameters, or minus their gradients."""

    W_O: Series[M]
    V: tuple[Series[M], ...]
    W: tuple[Series[M], ...]
    P: tuple[Series[M], ...]


@dataclass(frozen=True)
class Forward(Generic[M]):
    """All activations: h[0..L] [T, V], attention A[0..L-1] [T, T], logits F and probabilities p [T, V]."""

    h: tuple[Series[M], ...]
    A: tuple[Series[M], ...]
    F: Series[M]
    p: Series[M]


def forward(at: ParameterSeries[M], sequence: OneSequence[M]) -> Forward[M]:
    """The forward pass (eq. 1-4)."""
    h = [constant(sequence.X)]
    A: list[Series[M]] = []
    for V, W, P in zip(at.V, at.W, at.P, strict=True):
        scores = total(product(product(h[-1], W), transposed(h[-1])), image(P, on_diagonals))
        A.append(softmax_rows(scores, sequence.A0))
        h.append(total(h[-1], product(A[-1], product(h[-1], V))))
    F = product(h[-1], at.W_O)
    return Forward(tuple(h), tuple(A), F, softmax_rows(F, sequence.p0))


def descent_direction(at: ParameterSeries[M], sequence: OneSequence[M]) -> ParameterSeries[M]:
    """Minus the gradient of the cross-entropy summed over the T positions of one sequence (Lemma D.8).

    The caller divides by N T.
    """
    run = forward(at, sequence)
    R = difference(constant(sequence.Y), run.p)
    G = product(R, transposed(at.W_O))
    V: list[Series[M]] = []
    W: list[Series[M]] = []
    P: list[Series[M]] = []
    for layer in reversed(range(len(at.V))):
        h, A = run.h[layer], run.A[layer]
        h_T = transposed(h)
        received = product(transposed(A), G)  # what each key hears from the queries that attend to it
        S = through_softmax(A, product(product(G, transposed(at.V[layer])), h_T))
        V.append(product(h_T, received))
        W.append(product(product(h_T, S), h))
        P.append(image(S, along_diagonals))
        G = total(
            G,
            product(received, transposed(at.V[layer])),
            product(product(S, h), transposed(at.W[layer])),
            product(product(transposed(S), h), at.W[layer]),
        )
    return ParameterSeries(
        product(transposed(run.h[-1]), R), tuple(reversed(V)), tuple(reversed(W)), tuple(reversed(P))
    )


def through_softmax(A: Series[M], upstream: Series[M]) -> Series[M]:
    """The gradient at the scores, given that at the softmax rows A: A * (upstream - rowsum(A * upstream))."""
    pulled = hadamard_product(A, upstream)
    return total(pulled, image(bilinear(scale_rows, image(pulled, row_sums), A), negated))
