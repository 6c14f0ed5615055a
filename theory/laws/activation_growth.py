"""How long rows of the activations become: the limit that the proofs of the bounds use, in guaranteed balls.

Attention rows are distributions, so row t of A h is an average of rows of h, and

    |row of h_l| <= (1 + |V_l|) max |row of h_(l-1)| <= prod_(m <= l) (1 + |V_m|),

with |V| the operator norm, since rows of h_0 = X are one-hot. It is reached where one word is repeated and
V_l = c_l 1 with c_l >= 0: all rows are alike, an average of them is the row, and each layer multiplies it by
1 + c_l. Paper, proof of Thm. D.10; derived here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from flint import arb, arb_mat, ctx, fmpq, fmpq_mat

from theory.balls import BITS, ball_matrix, softmax


def activations(
    words: Sequence[int], V: Sequence[fmpq_mat], W: Sequence[fmpq_mat], P: Sequence[fmpq_mat]
) -> list[Any]:
    """Balls [T, V] around h_0, ..., h_L of one sequence of words 1..T, at rational parameters (Def. 3.1)."""
    size = V[0].nrows()
    with ctx.workprec(BITS):
        h = [arb_mat([[arb(int(word == j)) for j in range(size)] for word in words])]
        for v, w, p in zip(V, W, P, strict=True):
            scores = (h[-1] * ball_matrix(w) * h[-1].transpose()).tolist()
            A = arb_mat([_attention(row, t, p) for t, row in enumerate(scores)])
            h.append(h[-1] + A * h[-1] * ball_matrix(v))
        return h


def longest_row_allowed(norms: Iterable[fmpq]) -> fmpq:
    """prod (1 + |V_l|) over the layers below."""
    return prod((1 + norm for norm in norms), start=fmpq(1))


def rows_squared(h: Any) -> list[Any]:
    """Balls around the squared length of each row."""
    with ctx.workprec(BITS):
        return [sum((x * x for x in row), arb(0)) for row in h.tolist()]


def _attention(scores: list[Any], t: int, P: fmpq_mat) -> list[Any]:
    seen = softmax([scores[k] + arb(P[t - k, 0]) for k in range(t + 1)])
    return seen + [arb(0)] * (len(scores) - len(seen))
