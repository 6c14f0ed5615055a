"""How far W can be aligned after a start that Theorem D.13 allows, guaranteed without a run. Derived here.

With the sizes of `theory.laws.proved_bounds`, W after s steps is its start Z, its leading term Y = c_s eta^4
Q_bar, and a rest of norm at most

    R = sum over k > 4 of phi_k(0) x^k + sum over k >= 1 of [phi_k(2v) - phi_k(0)] x^k + (x/X)^(K+1) c,

whatever the starts of the other weights, as long as no norm is above 2v. So with y = <Z, Y> / |Y| + |Y| and
|Z + Y| > R the cosine of W with Y is between (y - R) / (|Z + Y| + R) and (y + R) / (|Z + Y| - R), if y >= R.
"""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from theory.balls import BITS
from theory.bounds import Setting
from theory.laws.proved_bounds import TERMS, ZERO, flow, widest_ceiling


def rest_of_W(at: Setting, start: fmpq) -> fmpq:
    """R: an upper bound on |W - Z - Y| in every layer, from starts of norm up to `start`."""
    x = at.progress
    without, moved = (flow(at.layers, at.vocab_size, norm) for norm in (ZERO, start))
    wider, c = widest_ceiling(at, start)
    rests = [
        sum((phi[k] * x**k for k in range(5, TERMS + 1)), fmpq(0))
        + sum(((more[k] - phi[k]) * x**k for k in range(1, TERMS + 1)), fmpq(0))
        + most / wider ** (TERMS + 1)
        for phi, more, most in zip(without.W, moved.W, c.W, strict=True)
    ]
    return max(rests)


def cosine_within(along: fmpq, start_squared: fmpq, leading_squared: fmpq, rest: fmpq) -> tuple[Any, Any]:
    """Balls below and above which the cosine of W with Y is not: from <Z, Y>, |Z|^2, |Y|^2 and R.

    Raises:
        ValueError: the rest may be larger than what it is added to, so that nothing is known.
    """
    with ctx.workprec(BITS):
        leading = arb(leading_squared).sqrt()
        whole = arb(start_squared + 2 * along + leading_squared).sqrt()
        y, R = arb(along) / leading + leading, arb(rest)
        if not whole > R:
            raise ValueError("the rest may be larger than W")
        low, high = y - R, y + R
        # What is divided by makes a negative number smaller where it is smaller.
        return (
            low / (whole + R if low > 0 else whole - R),
            high / (whole - R if high > 0 else whole + R),
        )
