"""A corpus of one repeated word, where a descent is two numbers: how near error bounds come. Derived here.

Every position has the same token and the same target, so rows of h are equal, and what attention does makes
no difference: W and P stay zero. With u = e_0 - 1/V and |u|^2 = q = 1 - 1/V, descent from zero has W_O =
o e_0 u^T and, in every one of the L layers, V = v e_0 e_0^T. Then h_L = (1 + v)^L e_0, the logits are
(1 + v)^L o u, the word has the probability p = 1 / (1 + (V - 1) exp(-(1 + v)^L o)), the residual is
(1 - p)/q u, and

    o gains eta (1 + v)^L (1 - p)/q,      v gains eta (1 + v)^(L-1) o (1 - p),

while B_bar = e_0 u^T and Phi_bar^T B_bar^T = q e_0 e_0^T. No corpus has larger statistics (`bounds.norms`),
and rows of h grow as fast as a norm allows: a bound that is too small shows here first, above all with many
layers. Lemma D.6 does not name a number of layers; `deepest` finds up to how many it can hold.

For V -> infinity q and 1 - p go to one, and in many small steps o' = (1 + v)^L and v' = (1 + v)^(L-1) o in
s eta. So do the sizes of `theory.majorants` move while a(z) = 1, that is but for what W and P, of order 4,
may do to attention: rows of h are larger by it from order 6 on, and what V gains from order 5. So the proof
of the bounds loses nothing on W_O before (s eta)^7, and on V before (s eta)^6.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from theory.balls import BITS, at_most
from theory.bounds import Setting


def errors_squared(at: Setting) -> dict[str, Any]:
    """Balls that hold |W_O - s eta B_bar|^2 and, in every layer, |V - C(s,2) eta^2 Phi_bar^T B_bar^T|^2."""
    V, s = at.vocab_size, at.steps
    q = 1 - fmpq(1, V)
    with ctx.workprec(BITS):
        o, v = descent(at)
        return {
            "W_O": (o - arb(at.progress)) ** 2 * arb(q),
            "V": (v - arb(fmpq(s * (s - 1), 2) * at.rate**2 * q)) ** 2,
        }


def descent(at: Setting) -> tuple[Any, Any]:
    """o and v after s steps, in balls."""
    V, L = at.vocab_size, at.layers
    with ctx.workprec(BITS):
        q, eta = arb(1 - fmpq(1, V)), arb(at.rate)
        o = v = arb(0)
        for _ in range(at.steps):
            grown = (1 + v) ** L
            missing = 1 - 1 / (1 + (V - 1) * (-grown * o).exp())
            o, v = o + eta * grown * missing / q, v + eta * (1 + v) ** (L - 1) * o * missing
        return o, v


def deepest(at: Setting, bounds_squared: dict[str, fmpq], limit: int = 100) -> int:
    """The largest number of layers up to `limit` with which one repeated word is within the bounds, decided.

    The layers of `at` do not matter; errors grow with their number.
    """
    for layers in range(1, limit + 1):
        run = Setting(at.vocab_size, at.length, layers, at.rate, at.steps)
        if not all(at_most(e, bounds_squared[g]) for g, e in errors_squared(run).items()):
            return layers - 1
    return limit
